"""The shapes that files of answers come in, as tables: where the records stand, and what keys are called.

A new shape is a new line of `SHAPES`, a new spelling of a key a new word in `KEYS`.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from locomo.core.json_input import Fault, expect
from locomo.core.messages import quoted, some
from locomo.submissions.files import Content

EACH = "*"
"""A step into each element of a list."""
NAMED = "{}"
"""A step into each value of an object; its keys name the conversations, unless the records do."""
ROWS = "rows"
"""A step into each row of a table that is an object of columns."""


class Shape(NamedTuple):
    """One shape: the steps from the top of a file to its records; a word is a key to go into."""

    name: str
    steps: tuple[str, ...]


SHAPES = (
    Shape("a list of records", (EACH,)),
    Shape("columns (as pandas writes them)", (ROWS,)),
    Shape("one record", ()),
    Shape("samples with qa (the official shape)", (EACH, "qa", EACH)),
    Shape("one sample with qa (the official shape)", ("qa", EACH)),
    Shape("conversations with qa_results", (EACH, "qa_results", EACH)),
    Shape("conversations with qa_results, in results", ("results", EACH, "qa_results", EACH)),
    Shape("lists by conversation, in detailed_results", ("detailed_results", NAMED, EACH)),
    Shape("lists by conversation, in results", ("results", NAMED, EACH)),
    Shape("lists by conversation", (NAMED, EACH)),
    Shape("samples with qa, by conversation", (NAMED, "qa", EACH)),
    Shape("records by key", (NAMED,)),
)
"""The known shapes. The first that leads to a question is taken."""

KEYS: dict[str, tuple[str, ...]] = {
    "conversation": ("sample_id", "conv_idx", "conversation_id", "conv_id"),
    "question": ("question",),
    "question id": ("question_id",),
    "reply": ("prediction", "response", "generated_answer", "answer"),
    "reference": ("golden_answer", "gold_answer", "gold", "reference_answer", "ground_truth", "answer"),
    "judge": ("llm_score", "llm_judgments", "grade", "label", "is_correct", "correct"),
    "run": ("run", "run_id", "trial"),
    "system": ("arm", "system", "model"),
}
"""What the parts of a record are called, the most usual name first."""

PREDICTION = "_prediction"
"""The end of a key that holds the reply of the system named before it, as in the official shape."""


class Record(NamedTuple):
    """One record as the file has it, and what stands around it."""

    place: str
    values: dict[str, Any]
    outer: Mapping[str, Any] = {}
    """The object around the list that it is in: a sample, in the official shape."""
    under: str = ""
    """The key that it stands under, where keys name the conversations."""


def find(content: Content) -> tuple[Shape, list[Record]]:
    """The shape of a file, and its records. Raises `Fault` that says what a file of no shape holds."""
    for shape in SHAPES:
        if _leads(content.value, shape.steps):
            return shape, list(_walk(content.value, shape.steps, content.places, Record("", {})))
    raise Fault(_unknown(content.value))


def left_out(value: Any, steps: Sequence[str]) -> list[str]:
    """The keys that stand among the names of conversations and lead to no question, such as a summary's."""
    step, *others = steps or ("",)
    if not isinstance(value, dict) or step in (EACH, ROWS, ""):
        return []
    if step is NAMED:
        return [name for name, one in value.items() if not _leads(one, others)]
    return left_out(value[step], others)


def first_key(part: str, values: Mapping[str, Any]) -> str | None:
    """The name that a part of a record has here; None if it is missing."""
    return next((key for key in KEYS[part] if key in values), None)


_ASKS = ("question", "question id")
"""The parts that make an object a record."""


def _leads(value: Any, steps: Sequence[str]) -> bool:
    """Whether the steps lead to a question at any place."""
    if not steps:
        return isinstance(value, dict) and any(first_key(part, value) for part in _ASKS)
    step, *others = steps
    if step is EACH:
        return isinstance(value, list) and any(_leads(one, others) for one in value)
    if not isinstance(value, dict):
        return False
    if step is ROWS:
        return _leads(value, others) and all(isinstance(column, dict) for column in value.values())
    if step is NAMED:
        return any(_leads(one, others) for one in value.values())
    return step in value and _leads(value[step], others)


def _walk(value: Any, steps: Sequence[str], places: Sequence[str], at: Record) -> Iterator[Record]:
    """The records that the steps lead to; what is of another kind is a fault with its place."""
    step, *others = steps or ("",)
    try:
        if step is EACH:
            elements = expect(value, list)
        else:
            expect(value, dict)
    except Fault as fault:
        raise Fault(f"{at.place}: {fault}" if at.place else str(fault)) from None
    if not steps:
        yield at._replace(values=value)
    elif step is EACH:
        for index, one in enumerate(elements):
            place = places[index] if places else f"{at.place}[{index}]"
            yield from _walk(one, others, (), at._replace(place=place))
    elif step is ROWS:
        for index in next(iter(value.values())):
            row = {name: column.get(index) for name, column in value.items()}
            yield at._replace(place=f"row {index}", values=row)
    elif step is NAMED:
        for name, one in value.items():
            if _leads(one, others):
                yield from _walk(one, others, (), at._replace(place=quoted(name), under=name))
    elif step in value:
        key = first_key("conversation", value)
        sample = str(value[key]) if key else at.place
        place = f"{sample}, {step}" if sample else step
        yield from _walk(value[step], others, (), at._replace(place=place, outer=value))
    else:
        raise Fault(f"{at.place}: has no {step!r}")


def _unknown(value: Any) -> str:
    """What a file of no known shape holds, and how to have it read."""
    known = "; ".join(shape.name for shape in SHAPES)
    if isinstance(value, dict):
        holds = f"holds an object with the keys {some([quoted(key) for key in value])}"
    elif isinstance(value, list) and value:
        keys = dict.fromkeys(key for one in value if isinstance(one, dict) for key in one)
        named = some([quoted(key) for key in keys])
        holds = f"holds a list of {len(value):,}, {f'with the keys {named}' if named else 'of no objects'}"
    else:
        holds = "holds no answer"
    return (
        f"{holds}; expected records with a 'question' and its reply ('prediction', or the key that"
        f" --prediction-key names), as {known}"
    )

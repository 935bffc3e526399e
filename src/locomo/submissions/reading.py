"""Answers of systems that ran elsewhere, as their files have them.

`files` loads a file and `shapes` finds its records. Here each record becomes one answer of one system.
"""

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from locomo.core.errors import LocomoError
from locomo.core.json_input import Fault, text_of
from locomo.core.messages import quoted, some
from locomo.formats.dataset import REPORT_ORDER, Category
from locomo.submissions import files, judges, shapes
from locomo.submissions.failures import reads_as_failure, says_nothing
from locomo.submissions.files import Content
from locomo.submissions.shapes import KEYS, PREDICTION, Record, first_key


class Given(NamedTuple):
    """One system's answer to one question, as the file has it."""

    place: str
    """Where in the file, for messages."""
    arm: str
    sample: str
    """The conversation, as the file names it."""
    question: str
    """Its text; empty if only `position` is known."""
    position: int | None
    """The question's place in the conversation, from 0 or from 1, if the file says so."""
    category: Category | None
    reply: str
    failure: str
    """Why there is no reply to score; empty if there is one. A failure is not a wrong answer."""
    context: list[str] | None = None
    """Ids of the cited turns or sessions, in any spelling; None if the file doesn't say what was cited."""
    confidence: float | None = None
    judged: tuple[float, ...] = ()
    """What judges said, from 0 to 1, one number for each judgment."""
    run: str = ""
    """Which of several runs, if the file says so."""
    reference: str | None = None
    """The reference answer of the file; scores use the dataset's."""
    own: bool = False
    """Whether it is of a run of this project, which says for itself what failed and what cites nothing."""

    @property
    def usable_confidence(self) -> float | None:
        """The confidence, if it is a number from 0 to 1."""
        return self.confidence if self.confidence is not None and 0 <= self.confidence <= 1 else None


class Answers(NamedTuple):
    """Every answer of a file, in its order, and one line that says how the file was read."""

    given: list[Given]
    recognised: str


def read(path: Path, prediction_key: str | None = None, judge_key: str | None = None) -> Answers:
    """Every answer of a file; answers without an arm get the name of the file.

    The keys of the reply and of the judge's label are found, unless they are given. Raises LocomoError that
    names the file and the place if something needed is missing or cannot be read, and that names each
    category that the dataset does not have.
    """
    return _answers(path, files.load(path), files.stem(path), prediction_key, judge_key)


def of_content(content: Content, arm: str) -> Answers:
    """Every answer of records in the form of a file's; answers without an arm get `arm`.

    Raises LocomoError as `read` does.
    """
    return _answers("answers", content, arm)


def _answers(
    source: object,
    content: Content,
    arm: str,
    prediction_key: str | None = None,
    judge_key: str | None = None,
) -> Answers:
    try:
        shape, records = shapes.find(content)
        keys = _keys(records, prediction_key, judge_key)
    except Fault as fault:
        raise LocomoError(f"{source}: {fault}") from None
    _check_categories(source, records)
    given = []
    for record in records:
        try:
            given += [_given(record, keys, reply, arm) for reply in _replies(record, keys)]
        except Fault as fault:
            raise LocomoError(f"{source}: {f'{record.place}: ' if record.place else ''}{fault}") from None
    if not given:
        raise LocomoError(f"{source}: holds no answer; expected keys such as 'mine{PREDICTION}'")
    found = f"read as {content.format}, {shape.name}; {_recognised(records, keys)}"
    if others := shapes.left_out(content.value, shape.steps):
        found += f"; left out, as no question is in them: {some([quoted(name) for name in others])}"
    return Answers(given, found)


def category_table() -> str:
    """The names and numbers of the dataset's categories."""
    return ", ".join(category.numbered for category in REPORT_ORDER)


# ---- what the keys of a file mean


class _Keys(NamedTuple):
    replies: tuple[str, ...]
    """The keys of replies: one, or one of each system."""
    of_systems: bool
    """Whether each of these keys names its system."""
    reference: str | None
    judge: str | None
    by_name: bool
    """Whether the keys that lists stand under name systems, since the records name their conversations."""


def _keys(records: Sequence[Record], prediction_key: str | None, judge_key: str | None) -> _Keys:
    """The keys of a file, from those of all its records together."""
    there = dict.fromkeys(key for record in records for key in record.values)
    for option, key in (("--prediction-key", prediction_key), ("--judge-key", judge_key)):
        if key is not None and key not in there:
            raise Fault(f"{option}: no record has {key!r}; they have {some([quoted(one) for one in there])}")
    replies = (prediction_key,) if prediction_key is not None else _reply_keys(there)
    named = [key for key in KEYS["reference"] if key in there and key not in replies]
    of_systems = all(key.endswith(PREDICTION) for key in replies)
    judge = _judge_key(records, judge_key) if len(replies) == 1 else None
    if judge_key and judge is None:
        several = some([quoted(key) for key in replies])
        raise Fault(f"--judge-key: one label does not say which of {several} it judges; add --prediction-key")
    by_name = len({r.under for r in records}) > 1 and all(
        first_key("conversation", r.values) for r in records
    )
    return _Keys(replies, of_systems, next(iter(named), None), judge, by_name)


def _judge_key(records: Sequence[Record], wanted: str | None) -> str | None:
    """The key of a judge's labels: all its values must be labels, since those of another scale are none."""
    for key in (wanted,) if wanted else KEYS["judge"]:
        values = [record.values.get(key) for record in records]
        judged = [judges.read(value) for value in values]
        if all(one is not None for one in judged) and any(judged):
            return key
        if wanted:
            odd = next((v for v, one in zip(values, judged, strict=True) if one is None), None)
            raise Fault(f"--judge-key: {key!r} holds {quoted(odd)}; expected {judges.EXPECTED}")
    return None


def _reply_keys(there: Iterable[str]) -> tuple[str, ...]:
    known = [key for key in KEYS["reply"] if key in there]
    of_systems = tuple(key for key in there if key.endswith(PREDICTION))
    # In the dataset itself, `answer` is the reference: it is the reply only beside another reference.
    sure = [key for key in known if key not in KEYS["reference"]]
    if sure or of_systems:
        return tuple(sure[:1]) or of_systems
    others = [key for key in KEYS["reference"] if key in there and key not in known]
    return (known[0],) if known and others else (KEYS["reply"][0],)


def _recognised(records: Sequence[Record], keys: _Keys) -> str:
    """What the keys were taken for."""
    there = dict.fromkeys(key for record in records for key in record.values)
    parts = [f"reply under {some([quoted(key) for key in keys.replies])}"]
    used = {*keys.replies, keys.reference}
    others = [key for key in there if key in KEYS["reply"] or key.endswith(PREDICTION)]
    if others := [key for key in others if key not in used]:
        parts[0] += f" (also there: {', '.join(map(quoted, others))}; --prediction-key chooses)"
    if keys.reference:
        parts.append(f"reference under {quoted(keys.reference)}")
    if keys.judge:
        parts.append(f"judge under {quoted(keys.judge)}")
    return ", ".join(parts)


def _check_categories(source: object, records: Sequence[Record]) -> None:
    """Refuse categories with other names or numbers: a guess at their meaning may be wrong."""
    unknown: dict[str, list[str]] = {}
    for record in records:
        value = record.values.get("category")
        if not _is_blank(value) and Category.named(str(value)) is None:
            unknown.setdefault(quoted(str(value)), []).append(record.place)
    if unknown:
        named = ", ".join(f"{name} ({len(places):,}, first: {places[0]})" for name, places in unknown.items())
        raise LocomoError(
            f"{source}: category: {named}: the dataset has no such category; it has {category_table()}"
        )


# ---- one record


def _replies(record: Record, keys: _Keys) -> Iterable[str]:
    """The keys of the replies that a record has; a system that a record does not name did not answer it."""
    if keys.of_systems:
        return [key for key in keys.replies if key in record.values]
    return keys.replies


def _given(record: Record, keys: _Keys, reply_key: str, arm: str) -> Given:
    values = record.values

    def own(part: str) -> Any:
        value = values.get(f"{reply_key}_{part}")
        return values.get(part) if value is None and not keys.of_systems else value

    named = reply_key.removesuffix(PREDICTION) if keys.of_systems else _system(record, keys)
    conversation, position = _asked(record)
    reply, failure = _reply(record, reply_key, own("error"))
    reference = values.get(keys.reference) if keys.reference else None
    run_key = first_key("run", values)
    return Given(
        record.place,
        arm if _is_blank(named) else str(named),
        conversation,
        _question(values, position),
        position,
        Category.named(str(values.get("category"))),
        reply,
        failure,
        _context(own("context")),
        _confidence(own("confidence")),
        (judges.read(values.get(keys.judge)) if keys.judge else None) or (),
        str(values[run_key]) if run_key and isinstance(values[run_key], (str, int, float)) else "",
        None if _is_blank(reference) else str(reference),
        _is_own(record),
    )


_QUESTION_ID = re.compile(r"(.*?)[_-]?(?:qa|question|q)[_-]?(\d+)", re.IGNORECASE)


def _asked(record: Record) -> tuple[str, int | None]:
    """The conversation, as the file names it, and the question's place there, if the file says so."""
    id_key = first_key("question id", record.values)
    id = _QUESTION_ID.fullmatch(str(record.values[id_key])) if id_key else None
    position = int(id[2]) if id else None
    for around in (record.values, record.outer):
        if key := first_key("conversation", around):
            if _is_blank(around[key]):
                raise Fault(f"{key}: is blank")
            return str(around[key]).strip(), position
    conversation = (id[1] if id else "") or record.under
    if not conversation and record.outer:
        holds = ", ".join(map(repr, record.outer))
        raise Fault(
            f"its sample has no {KEYS['conversation'][0]!r}, which names the conversation; it has {holds}"
        )
    if not conversation:
        raise _missing(record.values, KEYS["conversation"][0], ", which names the conversation")
    return conversation, position


def _question(values: dict[str, Any], position: int | None) -> str:
    key = first_key("question", values)
    if key is None and position is not None:
        return ""
    if key is None:
        raise _missing(values, KEYS["question"][0], "")
    if _is_blank(values[key]):
        raise Fault(f"{key}: is blank")
    return str(values[key]).strip()


def _missing(values: Mapping[str, Any], key: str, more: str) -> Fault:
    close = difflib.get_close_matches(key, values, n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"it has {', '.join(map(repr, values)) or 'nothing'}"
    return Fault(f"has no {key!r}{more}; {hint}")


def _reply(record: Record, key: str, error: Any) -> tuple[str, str]:
    """The reply, and why there is none to score."""
    if not says_nothing(error):
        return "", quoted(str(error).strip())
    if key not in record.values:
        raise _missing(
            record.values, key, "; where a call failed it may be null; --prediction-key names another key"
        )
    reply = record.values[key]
    if reply is None or reply != reply:  # pandas writes null as NaN
        return "", "no prediction"
    if type(reply) is float and reply.is_integer():
        text = str(int(reply))  # pandas makes 2022 a 2022.0
    else:
        text = str(reply) if type(reply) in (int, float) else text_of(record.values, key)
    if not _is_own(record) and reads_as_failure(text):
        return text, f"the reply is {quoted(text.strip())}"
    return text, ""


def _system(record: Record, keys: _Keys) -> Any:
    if key := first_key("system", record.values):
        return record.values[key]
    return record.under if keys.by_name else None


def _is_own(record: Record) -> bool:
    """Whether it is of a run of ours: its sample says in full what it was made from."""
    run = record.outer.get("run")
    return isinstance(run, dict) and run.keys() >= {"version", "dataset", "settings"}


def _context(value: Any) -> list[str] | None:
    """The cited ids as text, whatever they are written in; null among them is nothing cited."""
    if _is_blank(value):
        return None
    if isinstance(value, dict):
        value = [value]
    if not isinstance(value, (list, tuple)):
        return [] if str(value).strip() == "[]" else [str(value)]
    ids = [one.get("dia_id", one) if isinstance(one, dict) else one for one in value]
    return [str(id) for id in ids if not _is_blank(id)]


def _confidence(value: Any) -> float | None:
    if _is_blank(value):
        return None
    try:
        if not isinstance(value, bool):
            return float(value)
    except (TypeError, ValueError, OverflowError):
        pass
    raise Fault(f"confidence: is {quoted(str(value))}, expected a number from 0 to 1")


def _is_blank(value: Any) -> bool:
    """Whether a value is null, NaN (the null of pandas) or blank text."""
    if isinstance(value, str):
        return not value.strip()
    return value is None or (isinstance(value, float) and value != value)

"""The shapes of files and the names of keys: a test for every line of the tables, and what wins over what."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from helpers.given import Record
from locomo.core.errors import LocomoError
from locomo.submissions.reading import Given, read
from locomo.submissions.shapes import KEYS, SHAPES

Write = Callable[[str, Any], Path]

REPLY: Record = {"question": "Who?", "prediction": "Ada"}
RECORD: Record = {"sample_id": "conv-1", **REPLY}
QA: Record = {"question": "Who?", "mine_prediction": "Ada"}

FILES: dict[str, tuple[Any, str, str]] = {
    "a list of records": ([RECORD], "conv-1", "record 0"),
    "columns (as pandas writes them)": (
        {key: {"0": value} for key, value in RECORD.items()},
        "conv-1",
        "row 0",
    ),
    "one record": (RECORD, "conv-1", ""),
    "samples with qa (the official shape)": (
        [{"sample_id": "conv-1", "conversation": {}, "qa": [QA]}],
        "conv-1",
        "conv-1, qa[0]",
    ),
    "one sample with qa (the official shape)": (
        {"sample_id": "conv-1", "qa": [QA]},
        "conv-1",
        "conv-1, qa[0]",
    ),
    "conversations with qa_results": (
        [{"conv_idx": 3, "qa_results": [REPLY]}],
        "3",
        "3, qa_results[0]",
    ),
    "conversations with qa_results, in results": (
        {"system": "mine", "total_qa": 1, "results": [{"conv_idx": 3, "qa_results": [REPLY]}]},
        "3",
        "3, qa_results[0]",
    ),
    "lists by conversation, in detailed_results": (
        {"accuracy": 0.5, "detailed_results": {"locomo_exp_user_3": [REPLY]}},
        "locomo_exp_user_3",
        "'locomo_exp_user_3'[0]",
    ),
    "lists by conversation, in results": ({"k": 5, "results": {"3": [REPLY]}}, "3", "'3'[0]"),
    "lists by conversation": (
        {"locomo_experiment_user_3": [REPLY]},
        "locomo_experiment_user_3",
        "'locomo_experi",
    ),
    "samples with qa, by conversation": ({"conv-1": {"qa": [QA]}}, "conv-1", "'conv-1', qa[0]"),
    "records by key": ({"7": RECORD}, "conv-1", "'7'"),
}
"""By the name of a shape: a file of it, the conversation that it names, and the place of its record."""


def only(path: Path) -> Given:
    (given,) = read(path).given
    return given


# ---- shapes


def test_every_shape_has_a_test() -> None:
    assert [shape.name for shape in SHAPES] == list(FILES)


@pytest.mark.parametrize("name", [shape.name for shape in SHAPES])
def test_every_shape(name: str, file: Write) -> None:
    content, conversation, place = FILES[name]
    answers = read(file("a.json", content))
    (given,) = answers.given
    assert (given.sample, given.question, given.reply) == (conversation, "Who?", "Ada")
    assert given.place.startswith(place) and bool(given.place) is bool(place)
    assert answers.recognised.startswith(f"read as JSON, {name}; reply under '")


def test_the_records_of_all_conversations_are_read_in_order(file: Write) -> None:
    given = read(file("a.json", {"1": [REPLY, REPLY | {"question": "Why?"}], "0": [REPLY], "2": []})).given
    assert [(one.sample, one.question) for one in given] == [("1", "Who?"), ("1", "Why?"), ("0", "Who?")]


def test_a_record_names_its_conversation_before_what_stands_around_it(file: Write) -> None:
    assert only(file("a.json", {"3": [RECORD]})).sample == "conv-1"
    assert only(file("b.json", {"results": [{"conv_idx": 3, "qa_results": [RECORD]}]})).sample == "conv-1"


def test_columns_and_records_of_pandas_have_every_row(file: Write) -> None:
    import pandas as pd

    rows = [RECORD, RECORD | {"question": "Why?", "prediction": None}]
    for orient, format in (("columns", "columns"), ("index", "records by key"), ("records", "a list")):
        answers = read(file(f"{orient}.json", pd.DataFrame(rows).to_json(orient=orient)))
        assert f", {format}" in answers.recognised
        assert [(one.sample, one.question, one.reply, one.failure) for one in answers.given] == [
            ("conv-1", "Who?", "Ada", ""),
            ("conv-1", "Why?", "", "no prediction"),
        ]


def test_records_by_the_id_of_their_question(file: Write) -> None:
    """The key is no conversation where the record's own id names it."""
    given = only(file("a.json", {"x9": {"question_id": "locomo_3_qa12", "prediction": "x"}}))
    assert (given.sample, given.position) == ("locomo_3", 12)


def test_samples_beside_other_keys_and_an_empty_one(file: Write) -> None:
    samples = [{"sample_id": "conv-1", "qa": []}, {"sample_id": "conv-2", "speaker": "Eve", "qa": [QA]}]
    assert only(file("a.json", samples)).sample == "conv-2"


@pytest.mark.parametrize(
    ("content", "holds"),
    [
        ({"accuracy": 0.5, "model": "x"}, "holds an object with the keys 'accuracy', 'model';"),
        ({"columns": ["question"], "index": [0], "data": [["Who?"]]}, "the keys 'columns', 'index', 'data';"),
        (
            {str(n): 0 for n in range(13)},
            "the keys '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', and 3 more;",
        ),
        ([{"q": "Who?"}, {"a": "Ada"}], "holds a list of 2, with the keys 'q', 'a';"),
        ([["Who?", "Ada"]], "holds a list of 1, of no objects;"),
        ([], "holds no answer;"),
        (None, "holds no answer;"),
    ],
)
def test_a_file_of_no_shape_is_told_what_it_holds_and_what_is_known(
    content: Any, holds: str, file: Write
) -> None:
    with pytest.raises(LocomoError) as refused:
        read(file("a.json", content))
    message = str(refused.value)
    assert holds in message and "--prediction-key" in message
    assert all(shape.name in message for shape in SHAPES)


@pytest.mark.parametrize(
    "content",
    [
        {"metadata": {"model": "x", "k": 5}, "conv-1": [REPLY]},
        {"results": {"summary": {"model": "x", "k": 5}, "conv-1": [REPLY]}},
    ],
)
def test_an_object_where_a_list_was_expected_is_named_with_its_keys(content: Any, file: Write) -> None:
    """Notes on a run beside its conversations: they are skipped, or their keys are named."""
    path = file("a.json", content)
    try:
        assert only(path).sample == "conv-1"
    except LocomoError as error:
        assert "'model', 'k'" in str(error), error


# ---- keys

SPELLINGS = [(part, key) for part, keys in KEYS.items() for key in keys]
JUDGED: dict[str, object] = {"llm_judgments": {"judgment_1": True, "judgment_2": False}, "label": "CORRECT"}


def record_with(part: str, key: str) -> Record:
    """A record that has one part under this key, and all others as usual."""
    usual: Record = {**RECORD, "golden_answer": "Eve", "llm_score": 1, "run": "one", "arm": "mine"}
    names = {
        "conversation": "sample_id",
        "question": "question",
        "reply": "prediction",
        "reference": "golden_answer",
        "judge": "llm_score",
        "run": "run",
        "system": "arm",
    }
    if part == "question id":
        return {name: value for name, value in usual.items() if name not in ("sample_id", "question")} | {
            key: "locomo_3_qa12"
        }
    value = usual.pop(names[part])
    return usual | {key: JUDGED.get(key, value) if part == "judge" else value}


@pytest.mark.parametrize(("part", "key"), SPELLINGS)
def test_every_key(part: str, key: str, file: Write) -> None:
    answers = read(file("a.json", [record_with(part, key)]))
    (given,) = answers.given
    by_id = part == "question id"
    assert given.sample == ("locomo_3" if by_id else "conv-1")
    assert (given.question, given.position) == (("", 12) if by_id else ("Who?", None))
    assert (given.reply, given.reference, given.run, given.arm) == ("Ada", "Eve", "one", "mine")
    assert given.judged == ((1.0, 0.0) if key == "llm_judgments" else (1.0,))
    if part in ("reply", "reference", "judge"):
        assert f"{part} under {key!r}" in answers.recognised


def test_the_end_of_a_key_names_the_system(file: Write) -> None:
    """As the official code writes it: `<model>_prediction`."""
    record = {"sample_id": "conv-1", "question": "Who?", "gpt-4o_prediction": "Ada", "answer": "Eve"}
    answers = read(file("a.json", [record]))
    (given,) = answers.given
    assert (given.arm, given.reply, given.reference) == ("gpt-4o", "Ada", "Eve")
    assert answers.recognised.endswith("reply under 'gpt-4o_prediction', reference under 'answer'")


@pytest.mark.parametrize(
    ("record", "reply", "reference"),
    [
        # mem0, memobase: the reply is `response`, and `answer` the reference.
        ({"answer": "ref", "response": "rep"}, "rep", "ref"),
        # Zep: the reply is `answer`, as the reference has another key.
        ({"answer": "rep", "golden_answer": "ref"}, "rep", "ref"),
        ({"answer": "rep", "gold": "ref"}, "rep", "ref"),
        ({"answer": "x", "golden_answer": "ref", "generated_answer": "rep"}, "rep", "ref"),
        ({"answer": "ref", "mine_prediction": "rep"}, "rep", "ref"),
        ({"answer": "ref", "prediction": "rep", "response": "x"}, "rep", "ref"),
        ({"response": "rep"}, "rep", None),
    ],
)
def test_which_key_is_the_reply_and_which_the_reference(
    record: Record, reply: str, reference: str | None, file: Write
) -> None:
    given = only(file("a.json", [{"sample_id": "conv-1", "question": "Who?"} | record]))
    assert (given.reply, given.reference) == (reply, reference)


@pytest.mark.parametrize(
    ("id", "sample", "position"),
    [("locomo_3_qa12", "locomo_3", 12), ("conv-26-q7", "conv-26", 7), ("conv-26_question_0", "conv-26", 0)],
)
def test_the_id_of_a_question(id: str, sample: str, position: int, file: Write) -> None:
    given = only(file("a.json", [{"question_id": id, "prediction": "x"}]))
    assert (given.sample, given.question, given.position) == (sample, "", position)
    # A text beside it is what the question is found by.
    given = only(file("b.json", [RECORD | {"question_id": id}]))
    assert (given.sample, given.question, given.position) == ("conv-1", "Who?", position)


def test_an_id_that_says_no_place_needs_the_question(file: Write) -> None:
    assert only(file("a.json", [RECORD | {"question_id": "8f3a"}])).position is None
    with pytest.raises(LocomoError, match=r"record 0: has no 'sample_id', which names the conversation"):
        read(file("b.json", [{"question_id": "8f3a", "prediction": "x"}]))


def test_a_new_key_is_read_from_the_table(file: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """A new spelling is a new word of the table, and nothing else."""
    record = {"sample_id": "conv-1", "question": "Who?", "hypothesis": "Ada"}
    path = file("a.json", json.dumps([record]))
    with pytest.raises(LocomoError):
        read(path)
    monkeypatch.setitem(KEYS, "reply", (*KEYS["reply"], "hypothesis"))
    assert only(path).reply == "Ada"

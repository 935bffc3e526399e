"""Answers from elsewhere: what is read of each format, and what is refused, with its place."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

from locomo.core.errors import LocomoError
from locomo.formats.dataset import Category
from locomo.submissions.reading import Given, read

RECORD = {"sample_id": "conv-1", "question": "What did Ada buy?", "prediction": "a kayak"}
FULL = RECORD | {
    "category": 4,
    "context": ["D1:1", "D1:2"],
    "confidence": 0.5,
    "error": "",
    "arm": "mine",
}
TABLE = "single_hop (4), multi_hop (1), temporal (2), open_domain (3), adversarial (5)"


@pytest.fixture
def file(tmp_path: Path) -> Any:
    """Writes a file of answers: text or bytes as they are, records as JSON or as JSON lines."""

    def write(name: str, content: Any) -> Path:
        path = tmp_path / name
        if isinstance(content, bytes):
            path.write_bytes(content)
        elif isinstance(content, str):
            path.write_bytes(content.encode())
        elif path.suffix == ".jsonl":
            path.write_text("".join(json.dumps(record) + "\n" for record in content), encoding="utf-8")
        else:
            path.write_text(json.dumps(content), encoding="utf-8")
        return path

    return write


def only(path: Path) -> Given:
    (given,) = read(path)
    return given


def test_the_same_answer_in_every_format(file: Any) -> None:
    official = {
        "sample_id": "conv-1",
        "qa": [
            {
                "question": "What did Ada buy?",
                "category": 4,
                "mine_prediction": "a kayak",
                "mine_prediction_context": ["D1:1", "D1:2"],
                "mine_prediction_confidence": 0.5,
                "mine_f1": 0.0,
            }
        ],
    }
    table = (
        "sample_id,question,category,prediction,context,confidence,error,arm\n"
        "conv-1,What did Ada buy?,4,a kayak,D1:1 D1:2,0.5,,mine\n"
    )
    files = {
        "a.json": ([FULL], "record 0"),
        "b.json": ([official], "conv-1, qa[0]"),
        "a.jsonl": ([FULL], "line 1"),
        "b.jsonl": ([official], "conv-1, qa[0]"),
        "a.csv": (table, "line 2"),
        "c.csv": (table.replace(",", ";"), "line 2"),
        "d.csv": (table.replace(",", "\t"), "line 2"),
        "b.CSV": (b"\xef\xbb\xbf" + table.replace("\n", "\r\n").encode(), "line 2"),  # as Excel writes it
    }
    for name, (content, place) in files.items():
        assert only(file(name, content)) == Given(
            place,
            "mine",
            "conv-1",
            "What did Ada buy?",
            Category.SINGLE_HOP,
            "a kayak",
            ["D1:1", "D1:2"],
            0.5,
            "",
        )


@pytest.mark.parametrize("name", ["a.json", "a.jsonl"])
def test_what_is_not_given_is_none_and_the_file_names_the_system(name: str, file: Any) -> None:
    given = only(file(name, [RECORD | {"latency": 3}]))
    assert given[5:] == ("a kayak", None, None, "") and given.category is None
    assert given.arm == "a" and not given.failed


def test_a_line_with_a_break_inside_and_blank_lines(file: Any) -> None:
    table = 'prediction,sample_id,question\n\n"one,\ntwo",conv-1,"Say ""x"""\n"",conv-1,Who?\n'
    first, second = read(file("a.csv", table))
    assert first[:4] == ("line 3", "a", "conv-1", 'Say "x"') and first.reply == "one,\ntwo"
    assert (second.place, second.reply, second.failed) == ("line 5", "", False)
    lines = json.dumps(RECORD | {"prediction": "a\u2028b"}, ensure_ascii=False)
    (given,) = read(file("a.jsonl", f"\n{lines}\r\n\n"))
    assert (given.place, given.reply) == ("line 2", "a\u2028b")


def test_several_systems_of_which_one_lacks_an_answer(file: Any) -> None:
    questions = [
        {"question": "One?", "a_prediction": "x", "b_prediction": None},
        {"question": "Two?", "a_prediction": 3, "c+d_prediction": "", "c+d_prediction_error": "timeout"},
    ]
    given = read(file("p.json", [{"sample_id": "conv-1", "qa": questions}]))
    assert [(one.arm, one.question, one.reply, one.failed) for one in given] == [
        ("a", "One?", "x", False),
        ("b", "One?", None, True),
        ("a", "Two?", "3", False),
        ("c+d", "Two?", "", True),
    ]


@pytest.mark.parametrize(
    ("changes", "failed"),
    [
        ({"prediction": None}, True),
        ({"prediction": math.nan}, True),  # null by way of pandas
        ({"error": "timeout"}, True),
        ({"error": {"code": 429}}, True),
        ({"prediction": ""}, False),
        ({"error": None}, False),
        ({"error": False}, False),
        ({"error": math.nan}, False),
    ],
)
def test_what_a_failed_call_is(changes: dict[str, Any], failed: bool, file: Any) -> None:
    assert only(file("a.json", [RECORD | changes])).failed is failed


def test_a_failed_call_needs_no_prediction(file: Any) -> None:
    record = {key: value for key, value in RECORD.items() if key != "prediction"}
    assert only(file("a.json", [record | {"error": "timeout"}])).failed


@pytest.mark.parametrize("value", [4, 4.0, "4", "4.0", " 4", "single_hop", "Single-Hop", "SINGLE HOP"])
def test_categories(value: object, file: Any) -> None:
    assert only(file("a.json", [RECORD | {"category": value}])).category is Category.SINGLE_HOP


@pytest.mark.parametrize("value", [None, "", " ", math.nan])
def test_no_category(value: object, file: Any) -> None:
    assert only(file("a.json", [RECORD | {"category": value}])).category is None


@pytest.mark.parametrize("value", [0, 6, -1, 4.5, "40", "commonsense", "single", "unanswerable", True, []])
def test_other_categories_are_refused_by_name(value: object, file: Any) -> None:
    records = [RECORD | {"category": 4}, RECORD | {"category": value}, RECORD | {"category": value}]
    with pytest.raises(LocomoError) as refused:
        read(file("a.jsonl", records))
    assert str(refused.value).partition("a.jsonl")[2] == (
        f": category: {str(value)!r} (2, first: line 2): the dataset has no such category; it has {TABLE}"
    )


@pytest.mark.parametrize(
    ("value", "ids"),
    [
        (["D1:1 ", "D2:3"], ["D1:1", "D2:3"]),
        ("D1:1 D2:3", ["D1:1", "D2:3"]),
        ("D1:1, D2:3", ["D1:1", "D2:3"]),
        ('["D1:1", "D2:3"]', ["D1:1", "D2:3"]),
        ("['D1:1', 'D2:3']", ["D1:1", "D2:3"]),  # a list in a data frame of pandas, as it writes CSV
        ("['D1:1' 'D2:3']", ["D1:1", "D2:3"]),  # and an array
        ("S3", ["S3"]),
        ([], []),
        ("[]", []),
        ("", None),
        (None, None),
    ],
)
def test_contexts(value: object, ids: list[str] | None, file: Any) -> None:
    assert only(file("a.json", [RECORD | {"context": value}])).context == ids


@pytest.mark.parametrize(("value", "sure"), [(1, 1.0), ("0.25", 0.25), ("", None), (None, None), (7, 7.0)])
def test_confidences(value: object, sure: float | None, file: Any) -> None:
    assert only(file("a.json", [RECORD | {"confidence": value}])).confidence == sure


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.txt", "", "a.txt: ends in '.txt'; expected one of .json, .jsonl, .csv"),
        ("a.json", "[]", "a.json: holds no answer; expected one record per question with 'sample_id'"),
        ("a.json", [{"sample_id": "conv-1", "qa": [{"question": "x"}]}], "a.json: holds no answer; expected"),
        ("a.jsonl", "", "a.jsonl: holds no answer"),
        ("a.csv", "", "a.csv: holds no answer"),
        ("a.json", "{}", "a.json: is an object, expected a list"),
        ("a.json", "[\n1,\n}", "a.json: line 3, column 1: is not JSON"),
        ("a.json", "[" * 99999, "a.json: cannot be read as JSON"),
        ("a.json", [3], "a.json: record 0: is a number, expected an object"),
        (
            "a.json",
            [{"sample_id": "conv-1", "qa": {}}],
            "a.json: record 0: qa: is an object, expected a list",
        ),
        ("a.json", [{"sample_id": "c", "qa": [3]}], "a.json: c, qa[0]: is a number, expected an object"),
        (
            "a.json",
            [{"qa": [{"question": "x", "a_prediction": ""}]}],
            "a.json: record 0, qa[0]: has no 'sample_id'",
        ),
        ("a.jsonl", '{"a": 1}\n{"a": \n', "a.jsonl: line 2, column 7: is not JSON"),
        ("a.jsonl", b'{"a": "\xff"}', "a.jsonl: is not UTF-8 (byte 7); save it as UTF-8"),
        ("a.csv", "a,b\n1\n", "a.csv: line 2: has 1 cells, the header 2"),
        ("a.csv", "a,a\n1,2\n", "a.csv: line 1: column: 'a' is there 2 times"),
        ("a.csv", 'a,b\n1,"2', "a.csv: line 2: is not CSV (unexpected end of data)"),
        (
            "a.csv",
            "sample_id,question,predicton\nconv-1,x,y\n",
            "a.csv: line 2: has no 'prediction'; where a call failed it may be null;"
            " did you mean 'predicton'?",
        ),
        (
            "a.csv",
            "conversation,question,prediction\nconv-1,x,y\n",
            "a.csv: line 2: has no 'sample_id'; it has 'conversation', 'question', 'prediction'",
        ),
        ("a.json", [RECORD | {"question": " "}], "a.json: record 0: question: is blank"),
        (
            "a.json",
            [RECORD | {"prediction": ["x"]}],
            "a.json: record 0: prediction: is a list, expected text",
        ),
        (
            "a.json",
            [RECORD | {"prediction": True}],
            "a.json: record 0: prediction: is true or false, expected",
        ),
        (
            "a.json",
            [RECORD | {"prediction": "\ud800"}],
            "a.json: record 0: prediction: holds half a surrogate",
        ),
        (
            "a.json",
            [RECORD | {"context": [3]}],
            "a.json: record 0: context: holds something that is not text",
        ),
        ("a.json", [RECORD | {"context": {}}], "a.json: record 0: context: is an object, expected a list"),
        (
            "a.json",
            [RECORD | {"confidence": "high"}],
            "a.json: record 0: confidence: is 'high', expected a number",
        ),
        (
            "a.json",
            [RECORD | {"confidence": True}],
            "a.json: record 0: confidence: is 'True', expected a number",
        ),
        ("a.json", [RECORD | {"confidence": 10**400}], "a.json: record 0: confidence: is '1000"),
    ],
)
def test_what_is_refused(name: str, content: Any, message: str, file: Any) -> None:
    path = file(name, content)
    with pytest.raises(LocomoError) as refused:
        read(path)
    assert str(refused.value).startswith(f"{path.parent / message}")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(LocomoError, match=r"a\.csv: cannot be read \(No such file"):
        read(tmp_path / "a.csv")


def test_a_cell_as_long_as_it_likes(file: Any) -> None:
    """The csv module's own limit is 131,072 characters."""
    reply = "tea " * 50_000
    path = file("mine.csv", f"sample_id,question,prediction\nconv-1,What did Ada buy?,{reply}\n")
    assert [given.reply for given in read(path)] == [reply]

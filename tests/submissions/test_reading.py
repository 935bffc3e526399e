"""Answers from elsewhere: what is read of each format, and what is refused, with its place."""

import gzip
import json
import math
from pathlib import Path
from typing import Any

import pytest

from locomo.core import paths
from locomo.core.errors import LocomoError
from locomo.formats.dataset import Category
from locomo.submissions.cites import KnownIds
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


KNOWN = KnownIds("conv-1", frozenset({"D1:1", "D1:2", "D2:3", "D3:1"}), {"conv-1": "conv-1"})


def cited(given: Given) -> list[str] | None:
    """The ids that are read of an answer."""
    return None if given.context is None else KNOWN.read(given.context).ids


def only(path: Path) -> Given:
    """The one answer of a file."""
    (given,) = read(path).given
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
        "e.csv": ("sep=;\r\n" + table.replace(",", ";"), "line 3"),
        "a.tsv": (table.replace(",", "\t"), "line 2"),
        "one.json": (FULL, ""),
        "a.csv.gz": (gzip.compress(table.encode()), "line 2"),
        "a.JSON.GZ": (gzip.compress(json.dumps([FULL]).encode()), "record 0"),
    }
    for name, (content, place) in files.items():
        given = only(file(name, content))
        assert given == Given(
            place,
            "mine",
            "conv-1",
            "What did Ada buy?",
            None,
            Category.SINGLE_HOP,
            "a kayak",
            "",
            given.context,
            0.5,
        ), name
        assert cited(given) == ["D1:1", "D1:2"], name


@pytest.mark.parametrize("name", ["a.json", "a.jsonl"])
def test_what_is_not_given_is_none_and_the_file_names_the_system(name: str, file: Any) -> None:
    given = only(file(name, [RECORD | {"latency": 3}]))
    assert given.arm == "a" and (given.reply, given.failure) == ("a kayak", "")
    assert given[4:6] == (None, None) and given[8:] == (None, None, (), "", None, False)


def test_a_line_with_a_break_inside_and_blank_lines(file: Any) -> None:
    table = 'prediction,sample_id,question\n\n"one,\ntwo",conv-1,"Say ""x"""\n"",conv-1,Who?\n'
    first, second = read(file("a.csv", table)).given
    assert first[:4] == ("line 3", "a", "conv-1", 'Say "x"') and first.reply == "one,\ntwo"
    # An empty cell is how CSV says null, also in quotes: the module csv gives no difference.
    assert (second.place, second.reply, second.failure) == ("line 5", "", "no prediction")
    lines = json.dumps(RECORD | {"prediction": "a\u2028b"}, ensure_ascii=False)
    (given,) = read(file("a.jsonl", f"\n{lines}\r\n\n")).given
    assert (given.place, given.reply) == ("line 2", "a\u2028b")


def test_several_systems_of_which_one_lacks_an_answer(file: Any) -> None:
    questions = [
        {"question": "One?", "a_prediction": "x", "b_prediction": None},
        {"question": "Two?", "a_prediction": 3, "c+d_prediction": "", "c+d_prediction_error": "timeout"},
    ]
    given = read(file("p.json", [{"sample_id": "conv-1", "qa": questions}])).given
    assert [(one.arm, one.question, one.reply, one.failure) for one in given] == [
        ("a", "One?", "x", ""),
        ("b", "One?", "", "no prediction"),
        ("a", "Two?", "3", ""),
        ("c+d", "Two?", "", "'timeout'"),
    ]


def test_a_file_of_ours_is_read_as_it_is(ran: Path) -> None:
    """Every answer of every arm, also those that would be the text of a failure elsewhere."""
    samples = json.loads((ran / paths.PREDICTIONS).read_bytes())
    answers = read(ran / paths.PREDICTIONS)
    arms = [key.removesuffix("_prediction") for key in samples[0]["qa"][0] if key.endswith("_prediction")]
    assert [
        (one.arm, one.sample, one.question, one.reply, one.context, one.confidence) for one in answers.given
    ] == [
        (
            arm,
            sample["sample_id"],
            question["question"].strip(),
            question[f"{arm}_prediction"],
            question[f"{arm}_prediction_context"],
            question[f"{arm}_prediction_confidence"],
        )
        for sample in samples
        for question in sample["qa"]
        for arm in arms
    ]
    assert not any(one.failure for one in answers.given) and len(arms) == 15
    assert answers.recognised.startswith(
        "read as JSON, samples with qa (the official shape); reply under 'vector"
    )


RUN = {"version": "0.1.0", "dataset": "79" * 32, "settings": {"k": 5}}


def test_a_reply_that_reads_as_a_failure_is_one_unless_the_file_is_of_ours(file: Any) -> None:
    qa = [{"question": "What did Ada buy?", "mine_prediction": "None"}]
    theirs, ours = {"sample_id": "conv-1", "qa": qa}, {"sample_id": "conv-1", "run": RUN, "qa": qa}
    assert only(file("a.json", [theirs])).failure == "the reply is 'None'"
    assert only(file("b.json", [ours])).failure == ""


def test_a_failed_call_needs_no_prediction(file: Any) -> None:
    record = {key: value for key, value in RECORD.items() if key != "prediction"}
    assert only(file("a.json", [record | {"error": "timeout"}])).failure == "'timeout'"


@pytest.mark.parametrize(("reply", "text"), [(7, "7"), (0, "0"), (2.5, "2.5"), ("7", "7"), (" x ", " x ")])
def test_a_numeric_reply_is_its_text(reply: object, text: str, file: Any) -> None:
    """One command scored it, the other refused it."""
    given = only(file("a.json", [RECORD | {"prediction": reply}]))
    assert (given.reply, given.failure) == (text, "")
    given = only(file("b.json", [{"sample_id": "c", "qa": [{"question": "Who?", "mine_prediction": reply}]}]))
    assert (given.reply, given.failure) == (text, "")


# ---- which key is what


def test_prediction_key_chooses_the_reply(file: Any) -> None:
    path = file("a.json", [RECORD | {"response": "b", "hypothesis": "c"}])
    assert read(path).given[0].reply == "a kayak"
    assert "(also there: 'response'; --prediction-key chooses)" in read(path).recognised
    for key, reply in (("response", "b"), ("hypothesis", "c")):
        answers = read(path, prediction_key=key)
        assert answers.given[0].reply == reply and f"reply under '{key}'" in answers.recognised
    with pytest.raises(
        LocomoError, match=r"a\.json: --prediction-key: no record has 'text'; they have 'sample_id'"
    ):
        read(path, prediction_key="text")


def test_prediction_key_in_the_official_shape_keeps_the_name_of_the_system(file: Any) -> None:
    question = {
        "question": "Who?",
        "a_prediction": "x",
        "b_prediction": "y",
        "b_prediction_context": ["D1:1"],
    }
    path = file("p.json", [{"sample_id": "conv-1", "qa": [question]}])
    (given,) = read(path, prediction_key="b_prediction").given
    assert (given.arm, given.reply, given.context) == ("b", "y", ["D1:1"])


def test_the_answer_of_the_dataset_is_no_reply(file: Any) -> None:
    """The dataset itself, or a file without replies, is refused: it would score 1 everywhere."""
    record = {"sample_id": "conv-1", "question": "What did Ada buy?", "answer": "kayak"}
    for value in ([record], [{"sample_id": "conv-1", "qa": [record]}], [record | {"hypothesis": "x"}]):
        with pytest.raises(LocomoError, match=r"has no 'prediction'; .*--prediction-key names another key"):
            read(file("a.json", value))
    given = only(file("a.json", [record | {"golden_answer": "a kayak"}]))
    assert (given.reply, given.reference) == ("kayak", "a kayak")
    assert read(file("a.json", [record]), prediction_key="answer").given[0].reply == "kayak"


def test_records_of_which_some_have_another_key_are_refused_with_their_place(file: Any) -> None:
    """One key is the reply throughout: another would be a guess."""
    records = [RECORD, {"sample_id": "conv-1", "question": "What did Bob sell?", "response": "x"}]
    with pytest.raises(LocomoError, match=r"a\.json: record 1: has no 'prediction'"):
        read(file("a.json", records))


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
        ({"dia_id": "D1:1", "text": "Tea."}, ["D1:1"]),
        ([{"dia_id": "D1:1"}, {"dia_id": "D2:3"}], ["D1:1", "D2:3"]),
        (["D1:1", None, "", "D2:3"], ["D1:1", "D2:3"]),
        ("S3", ["S3"]),
        ([], []),
        ("[]", []),
        ("", None),
        (None, None),
    ],
)
def test_contexts(value: object, ids: list[str] | None, file: Any) -> None:
    assert cited(only(file("a.json", [RECORD | {"context": value}]))) == ids


@pytest.mark.parametrize(("value", "sure"), [(1, 1.0), ("0.25", 0.25), ("", None), (None, None), (7, 7.0)])
def test_confidences(value: object, sure: float | None, file: Any) -> None:
    assert only(file("a.json", [RECORD | {"confidence": value}])).confidence == sure


UNKNOWN = "; expected records with a 'question' and its reply ('prediction', or the key that --prediction-key"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.json", "[]", f"a.json: holds no answer{UNKNOWN}"),
        ("a.jsonl", "", f"a.jsonl: holds no answer{UNKNOWN}"),
        ("a.csv", "", f"a.csv: holds no answer{UNKNOWN}"),
        ("a.json", [3], f"a.json: holds a list of 1, of no objects{UNKNOWN}"),
        ("a.json", {"a": 1, "b": []}, f"a.json: holds an object with the keys 'a', 'b'{UNKNOWN}"),
        ("a.json", [{"a": 1}, {"b": 2}], f"a.json: holds a list of 2, with the keys 'a', 'b'{UNKNOWN}"),
        (
            "a.json",
            [{"sample_id": "conv-1", "qa": [{"question": "x"}]}],
            "a.json: conv-1, qa[0]: has no 'prediction'; where a call failed it may be null;",
        ),
        ("a.json", [RECORD, 3], "a.json: record 1: is a number, expected an object"),
        (
            "a.json",
            [{"sample_id": "c", "qa": [{"question": "x", "a_prediction": ""}, 3]}],
            "a.json: c, qa[1]: is a number, expected an object",
        ),
        (
            # Where a list of official samples has no names, its keys are named.
            "a.json",
            [{"speaker": "Ada", "qa": [{"question": "x", "a_prediction": ""}]}],
            "a.json: record 0, qa[0]: its sample has no 'sample_id', which names the conversation; it has"
            " 'speaker', 'qa'",
        ),
        (
            "a.csv",
            "sample_id,question,predicton\nconv-1,x,y\n",
            "a.csv: line 2: has no 'prediction'; where a call failed it may be null; --prediction-key names"
            " another key; did you mean 'predicton'?",
        ),
        (
            "a.csv",
            "conversation,question,prediction\nconv-1,x,y\n",
            "a.csv: line 2: has no 'sample_id', which names the conversation; it has 'conversation',"
            " 'question', 'prediction'",
        ),
        ("a.json", [RECORD | {"question": " "}], "a.json: record 0: question: is blank"),
        ("a.json", [RECORD | {"sample_id": " "}], "a.json: record 0: sample_id: is blank"),
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


@pytest.mark.parametrize("context", [["e5a1"], [3], {}, {"text": "Tea."}, "Ada: I bought tea", 3])
def test_an_odd_context_does_not_refuse_the_file(context: object, file: Any) -> None:
    """It did: now it is read as text, and the answer has no recall."""
    given = only(file("a.json", [RECORD | {"context": context}]))
    assert given.reply == "a kayak" and given.context is not None
    assert KNOWN.read(given.context).ids == [] and KNOWN.read(given.context).unread

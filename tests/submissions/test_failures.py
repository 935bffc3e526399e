"""Failed calls that a file writes as text: named and counted, and not scored as wrong answers."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from helpers.given import SINGLE, about, asked, found, given, matched
from locomo.submissions.comparison import compare
from locomo.submissions.failures import reads_as_failure, says_nothing
from locomo.submissions.reading import Given, read

Write = Callable[[str, Any], Path]

RECORD = {"sample_id": "conv-1", "question": "What did Ada buy?", "prediction": "a kayak"}


def only(path: Path) -> Given:
    (given,) = read(path).given
    return given


@pytest.mark.parametrize(
    "reply",
    [
        "None", "none", " NONE\n", "null", "nil", "nan", "NaN", "N/A", "n/a", "NA", "<NA>", "#N/A",
        "undefined",
        "ERROR", "error", "Error:", "Error: timeout", "ERROR: 429 Too Many Requests", "Error code: 429",
        "Error code: 429 - {'error': {'message': 'Rate limit reached', 'code': 'rate_limit'}}",
        "[ERROR]", "[ERROR] timeout", "[Error] the model\nis overloaded",
        "openai.RateLimitError: Error code: 429", "TimeoutError", "ValueError: no choices\nin the response",
        "httpx.ConnectError: no route",
        "JSONDecodeException: line 1",
        "Traceback (most recent call last):\n  File \"a.py\", line 1, in <module>\nKeyError: 'x'",
    ],
)  # fmt: skip
def test_the_text_of_null_and_of_errors_is_a_failure(reply: str, file: Write) -> None:
    assert reads_as_failure(reply)
    for path in (
        file("a.json", [RECORD | {"prediction": reply}]),
        file("a.jsonl", [RECORD | {"prediction": reply}]),
    ):
        assert only(path).failure.startswith("the reply is ")


@pytest.mark.parametrize(
    "reply",
    [
        "", " ", "0", "-", "no", "No", "none of them", "None of the books", "nothing", "Nana",
        "N/A until May", "an error", "Errors in the report", "Error analysis", "trial and error",
        "An error code: 429", "The ERROR", "He made an Error: he left", "Terror", "mirror", "nullify",
        "No information available", "I don't know.", "undefined behaviour", "Exceptional",
        "A ValueError", "errors: none",
    ],
)  # fmt: skip
def test_other_text_is_an_answer(reply: str, file: Write) -> None:
    assert not reads_as_failure(reply)
    assert only(file("a.json", [RECORD | {"prediction": reply}])).failure == ""


@pytest.mark.parametrize(
    "error",
    [None, False, 0, 0.0, math.nan, "", " ", [], {}, "None", "none", "null", "nan", "N/A", "false", "False",
     "0", "[]", "{}"],
)  # fmt: skip
def test_what_is_no_error(error: object, file: Write) -> None:
    assert says_nothing(error)
    given = only(file("a.json", [RECORD | {"error": error}]))
    assert (given.reply, given.failure) == ("a kayak", "")
    question = {"question": "Who?", "mine_prediction": "x", "mine_prediction_error": error}
    assert only(file("b.json", [{"sample_id": "c", "qa": [question]}])).failure == ""


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (True, "'True'"),
        (1, "'1'"),
        (429, "'429'"),
        ("timeout", "'timeout'"),
        ({"code": 429}, "\"{'code': 429}\""),
        (["timeout"], "\"['timeout']\""),
        ("Error", "'Error'"),
    ],
)
def test_what_is_an_error(error: object, reason: str, file: Write) -> None:
    assert not says_nothing(error)
    given = only(file("a.json", [RECORD | {"error": error}]))
    assert (given.reply, given.failure) == ("", reason)


@pytest.mark.parametrize(
    ("prediction", "failed"), [(None, True), (math.nan, True), ("", False), ("  ", False)]
)
def test_null_is_a_failure_and_an_empty_text_an_answer(prediction: object, failed: bool, file: Write) -> None:
    given = only(file("a.json", [RECORD | {"prediction": prediction}]))
    assert given.failure == ("no prediction" if failed else "")


def test_an_empty_cell_is_how_csv_says_null(file: Write) -> None:
    rows = ["c,Who?,,", "c,Why?,x,", "c,How?,None,", "c,When?,x,0", "c,Where?,,timeout"]
    table = "\n".join(["sample_id,question,prediction,error", *rows])
    assert [one.failure for one in read(file("a.csv", table)).given] == [
        "no prediction",
        "",
        "the reply is 'None'",
        "",
        "'timeout'",
    ]


def test_failures_are_named_and_counted_with_their_reasons() -> None:
    failures = ["no prediction", "'timeout'", "the reply is 'None'", "'timeout'"]
    conversation = asked(*((f"{n}?", SINGLE) for n in range(5)))
    one = matched(
        conversation,
        given("0?", SINGLE, "x"),
        *(given(f"{n}?", SINGLE, "", failure=failure) for n, failure in enumerate(failures, 1)),
    )
    assert about(one, "failed") == (
        "4 calls failed, not scored as wrong: 'timeout' (2), no prediction (1), the reply is 'None' (1)"
    )
    # The one that is scored is right: 1; with the four failures as 0 it is 1 of 5.
    (comparison,) = compare([one], {})
    assert comparison.table("f1")["mine"]["single_hop"] == 1
    assert comparison.failures_as_0("f1")["mine"]["single_hop"] == 1 / 5
    assert comparison.failures_as_0("recall")["mine"]["single_hop"] == 1 / 5


def test_without_a_failure_there_are_no_means_with_failures_as_0() -> None:
    (comparison,) = compare([matched(asked(("Who?", SINGLE)), given("Who?", SINGLE))], {})
    assert comparison.failures_as_0("f1") == {}


def test_means_with_failures_as_0_stand_beside(
    small: Path, file: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    """To leave out the question that a system failed on would flatter it."""
    records = [
        RECORD | {"prediction": "kayak"},
        RECORD | {"question": "What did Bob sell?", "prediction": "ERROR"},
    ]
    path = file("mine.json", records)
    comparison = found(capsys, path)
    assert comparison["f1"]["mine"]["overall"] == 1
    assert comparison["failures_as_0"]["f1"] == {
        "mine": dict.fromkeys(("multi_hop", "temporal", "open_domain"), None)
        | {"single_hop": 1.0, "adversarial": 0.0, "answerable": 1.0, "overall": 0.5}
    }

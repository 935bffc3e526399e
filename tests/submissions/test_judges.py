"""The labels of judges: read beside the replies, and without influence on any score."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from helpers.given import SINGLE, Record, asked, found, given, matched
from locomo.core.errors import LocomoError
from locomo.submissions import judges
from locomo.submissions.comparison import compare
from locomo.submissions.reading import read

Write = Callable[[str, Any], Path]

RECORD: Record = {"sample_id": "conv-1", "question": "What did Ada buy?", "prediction": "a boat"}


@pytest.mark.parametrize(
    ("value", "judged"),
    [
        ("CORRECT", (1.0,)),
        ("WRONG", (0.0,)),
        ("Incorrect", (0.0,)),
        (" correct ", (1.0,)),
        ("yes", (1.0,)),
        ("no", (0.0,)),
        (True, (1.0,)),
        (False, (0.0,)),
        ("False", (0.0,)),
        (1, (1.0,)),
        (0, (0.0,)),
        ("1", (1.0,)),
        (0.5, (0.5,)),
        ({"judgment_1": True, "judgment_2": False, "judgment_3": True}, (1.0, 0.0, 1.0)),
        ([1, 0, 0], (1.0, 0.0, 0.0)),
        (["CORRECT", "WRONG"], (1.0, 0.0)),
        (None, ()),
        ("", ()),
        ("multi_hop", None),
        (5, None),
        (-1, None),
        (float("nan"), ()),
        ([], ()),
        ({}, ()),
    ],
)
def test_labels(value: object, judged: tuple[float, ...] | None) -> None:
    assert judges.read(value) == judged


def test_the_mean_is_over_the_judgments_of_an_answer_then_over_the_questions() -> None:
    conversation = asked(("Who?", SINGLE), ("Why?", SINGLE), ("How?", SINGLE))
    one = matched(
        conversation,
        given("Who?", SINGLE, judged=(1.0, 1.0, 0.0)),
        given("Why?", SINGLE, judged=(0.0,)),
        given("How?", SINGLE),
    )
    (comparison,) = compare([one], {})
    # Two thirds and 0, over the two questions that have a label.
    assert comparison.table("judge")["mine"]["single_hop"] == round((2 / 3 + 0) / 2, 6)
    assert len(comparison.over("judge")) == 2


def test_a_judge_changes_no_score_and_has_no_row_of_ours(
    small: Path, file: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    judged = found(capsys, file("a.json", [RECORD | {"label": "CORRECT"}]))
    plain = found(capsys, file("a.json", [RECORD]))
    assert judged["judge"] == {
        "a": dict.fromkeys(judged["f1"]["a"]) | dict.fromkeys(("single_hop", "answerable", "overall"), 1.0)
    }
    assert "judge" not in plain and judged["f1"] == plain["f1"] and judged["f1"]["a"]["overall"] == 0


def test_judge_key_chooses(file: Write) -> None:
    path = file("a.json", [RECORD | {"llm_score": 1, "strict": "WRONG", "note": "x"}])
    assert read(path).given[0].judged == (1.0,)
    answers = read(path, judge_key="strict")
    assert answers.given[0].judged == (0.0,) and "judge under 'strict'" in answers.recognised
    with pytest.raises(
        LocomoError, match=r"a\.json: --judge-key: no record has 'other'; they have 'sample_id'"
    ):
        read(path, judge_key="other")
    with pytest.raises(LocomoError, match=r"--judge-key: 'note' holds 'x'; expected CORRECT or"):
        read(path, judge_key="note")


def test_a_key_that_holds_no_labels_is_no_judge(file: Write) -> None:
    answers = read(file("a.json", [RECORD | {"label": "multi_hop", "grade": "A", "is_correct": True}]))
    assert answers.given[0].judged == (1.0,) and "judge under 'is_correct'" in answers.recognised
    answers = read(file("b.json", [RECORD | {"label": "multi_hop"}]))
    assert answers.given[0].judged == () and "judge" not in answers.recognised


def test_marks_from_1_to_5_are_no_labels(file: Write) -> None:
    """Of marks from 1 to 5 the worst alone is a number from 0 to 1: a mean over those would be 1."""
    records = [RECORD | {"llm_score": mark} for mark in (5, 4, 1, 3, 1)]
    path = file("a.json", records)
    assert [one.judged for one in read(path).given] == [()] * 5
    with pytest.raises(LocomoError, match="--judge-key: 'llm_score'"):
        read(path, judge_key="llm_score")

"""SPEC 11: the scores of every answer, and the means."""

import pytest

from helpers.talks import talk
from locomo.core.errors import LocomoError
from locomo.formats.dataset import Category, Question
from locomo.results.predictions import Answer
from locomo.results.scores import Score
from locomo.score.averages import rounded, row, table
from locomo.score.scoring import score, tables

SINGLE, MULTI, TEMPORAL, OPEN, ADVERSARIAL = (Category(number) for number in (4, 1, 2, 3, 5))
COLUMNS = ["single_hop", "multi_hop", "temporal", "open_domain", "adversarial", "answerable", "overall"]
NONE = "No information available"


def scored(
    category: Category,
    f1: float,
    arm: str = "path",
    recall: float = 0.0,
    abstained: int = 0,
    *,
    question: int = 0,
    confidence: float = 0.5,
) -> Score:
    values = {"f1": f1, "recall": recall, "abstained": abstained}
    return Score("talk", question, category, arm, values, confidence)


def test_each_answer_is_scored_in_order() -> None:
    asked = talk(
        "Ada: Tea.",
        questions=[
            Question("A?", "green tea", SINGLE, ("(D1:1)", "D1:2")),
            Question("B?", "tea", ADVERSARIAL, ()),
        ],
    )
    first = {"graph": Answer("tea", ["D1:1"], 0.75), "path": Answer(NONE, [], 0.0)}
    second = {"graph": Answer("tea", ["D1:1"], 0.5), "path": Answer("Not mentioned, NO", [], 0.25)}
    # "tea" of "green tea": precision 1, recall 1/2, F1 2/3; one of two evidence ids is cited.
    assert list(score([asked], [("talk", [first, second])])) == [
        scored(SINGLE, 2 / 3, "graph", 0.5, 0, question=0, confidence=0.75),
        scored(SINGLE, 0.0, "path", 0.0, 1, question=0, confidence=0.0),
        scored(ADVERSARIAL, 0.0, "graph", 1.0, 0, question=1, confidence=0.5),
        scored(ADVERSARIAL, 1.0, "path", 1.0, 1, question=1, confidence=0.25),
    ]


@pytest.mark.parametrize("samples", [[], [("other", [{}])], [("talk", [{}, {}])]])
def test_predictions_of_other_questions_are_refused(
    samples: list[tuple[str, list[dict[str, Answer]]]],
) -> None:
    asked = talk("Ada: Tea.", questions=[Question("A?", "tea", SINGLE, ())])
    count = len(dict(samples).get("talk", []))
    with pytest.raises(LocomoError, match=f"talk has {count} answered questions, the dataset 1"):
        list(score([asked], samples))


def test_means_of_each_category_of_the_answerable_and_of_all() -> None:
    scores = [
        scored(SINGLE, 1),
        scored(SINGLE, 0.5),
        scored(MULTI, 0.25),
        scored(TEMPORAL, 0),
        scored(OPEN, 1),
        scored(ADVERSARIAL, 0),
    ]
    means = tables(scores)["f1"]["path"]
    assert list(means) == COLUMNS
    # Every question counts once, not every category: 2.75 over five answerable questions and six in all.
    assert list(means.values()) == [0.75, 0.25, 0, 1, 0, 0.55, 0.458333]


def test_a_row_an_arm_and_a_table_a_measure() -> None:
    scores = [
        scored(SINGLE, 1, "walk2", 0.5, 0),
        scored(SINGLE, 0, "graph", 1, 1),
        scored(SINGLE, 0, "graph", 0, 0),
    ]
    found = tables(scores)
    assert list(found) == ["f1", "recall", "abstained"]
    assert [list(rows) for rows in found.values()] == [["walk2", "graph"]] * 3
    assert [(rows["walk2"]["overall"], rows["graph"]["overall"]) for rows in found.values()] == [
        (1, 0),
        (0.5, 0.5),
        (0, 0.5),
    ]


def test_a_category_without_questions_has_no_mean() -> None:
    only_adversarial = tables([scored(ADVERSARIAL, 1)])["f1"]["path"]
    assert only_adversarial == dict.fromkeys(COLUMNS) | {"adversarial": 1, "overall": 1}
    only_open = tables([scored(OPEN, 0)])["f1"]["path"]
    assert only_open == dict.fromkeys(COLUMNS) | {"open_domain": 0, "answerable": 0, "overall": 0}
    assert tables([]) == {"f1": {}, "recall": {}, "abstained": {}}


def test_six_decimals_and_no_rounding_on_the_way() -> None:
    assert tables([scored(SINGLE, value) for value in (1, 0, 0)])["f1"]["path"]["overall"] == 0.333333
    # Scores of 2^53, 1 and 1 have a sum of 2^53 + 2, in every order; one after the other it would be 2^53.
    for values in ([2.0**53, 1, 1], [1, 2.0**53, 1], [1, 1, 2.0**53]):
        assert (
            tables([scored(SINGLE, value) for value in values])["f1"]["path"]["overall"] == (2.0**53 + 2) / 3
        )


def test_rows_of_means() -> None:
    observations = [(SINGLE, 1.0), (ADVERSARIAL, 0.0), (SINGLE, 0.0), (TEMPORAL, 1.0)]
    assert row(observations) == {
        "single_hop": 0.5,
        "multi_hop": None,
        "temporal": 1.0,
        "open_domain": None,
        "adversarial": 0.0,
        "answerable": 0.666667,
        "overall": 0.5,
    }
    assert list(table([("b", SINGLE, 1.0), ("a", SINGLE, 1.0), ("b", SINGLE, 0.0)])) == ["b", "a"]
    assert str(rounded(-1e-9)) == "0.0"

"""SPEC 11: the mark of every answer, and the means."""

import csv
from pathlib import Path

import pytest

from helpers.talks import talk
from locomo.core.errors import LocomoError
from locomo.formats.dataset import Category, Question
from locomo.results.predictions import Answer
from locomo.score.scoring import Mark, mark, tables, write_marks

SINGLE, MULTI, TEMPORAL, OPEN, ADVERSARIAL = (Category(number) for number in (4, 1, 2, 3, 5))
COLUMNS = ["single_hop", "multi_hop", "temporal", "open_domain", "adversarial", "answerable", "overall"]
NONE = "No information available"


def graded(category: Category, f1: float, arm: str = "path", recall: float = 0.0, quiet: int = 0) -> Mark:
    return Mark("talk", 0, category, arm, f1, recall, quiet, 0.5)


def test_each_answer_is_marked_in_order() -> None:
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
    assert list(mark([asked], [("talk", [first, second])])) == [
        Mark("talk", 0, SINGLE, "graph", 2 / 3, 0.5, 0, 0.75),
        Mark("talk", 0, SINGLE, "path", 0.0, 0.0, 1, 0.0),
        Mark("talk", 1, ADVERSARIAL, "graph", 0.0, 1.0, 0, 0.5),
        Mark("talk", 1, ADVERSARIAL, "path", 1.0, 1.0, 1, 0.25),
    ]


@pytest.mark.parametrize("samples", [[], [("other", [{}])], [("talk", [{}, {}])]])
def test_predictions_of_other_questions_are_refused(
    samples: list[tuple[str, list[dict[str, Answer]]]],
) -> None:
    asked = talk("Ada: Tea.", questions=[Question("A?", "tea", SINGLE, ())])
    count = len(dict(samples).get("talk", []))
    with pytest.raises(LocomoError, match=f"talk has {count} answered questions, the dataset 1"):
        list(mark([asked], samples))


def test_means_of_each_category_of_the_answerable_and_of_all() -> None:
    marks = [
        graded(SINGLE, 1),
        graded(SINGLE, 0.5),
        graded(MULTI, 0.25),
        graded(TEMPORAL, 0),
        graded(OPEN, 1),
        graded(ADVERSARIAL, 0),
    ]
    table = tables(marks)["f1"]["path"]
    assert list(table) == COLUMNS
    # Every question counts once, not every category: 2.75 over five answerable questions and six in all.
    assert list(table.values()) == [0.75, 0.25, 0, 1, 0, 0.55, 0.458333]


def test_a_row_an_arm_and_a_table_a_measure() -> None:
    marks = [
        graded(SINGLE, 1, "walk2", 0.5, 0),
        graded(SINGLE, 0, "graph", 1, 1),
        graded(SINGLE, 0, "graph", 0, 0),
    ]
    found = tables(marks)
    assert list(found) == ["f1", "recall", "quiet"]
    assert [list(table) for table in found.values()] == [["walk2", "graph"]] * 3
    assert [(t["walk2"]["overall"], t["graph"]["overall"]) for t in found.values()] == [
        (1, 0),
        (0.5, 0.5),
        (0, 0.5),
    ]


def test_a_category_without_questions_has_no_mean() -> None:
    only_adversarial = tables([graded(ADVERSARIAL, 1)])["f1"]["path"]
    assert only_adversarial == dict.fromkeys(COLUMNS) | {"adversarial": 1, "overall": 1}
    only_open = tables([graded(OPEN, 0)])["f1"]["path"]
    assert only_open == dict.fromkeys(COLUMNS) | {"open_domain": 0, "answerable": 0, "overall": 0}
    assert tables([]) == {"f1": {}, "recall": {}, "quiet": {}}


def test_six_decimals_and_no_rounding_on_the_way() -> None:
    assert tables([graded(SINGLE, value) for value in (1, 0, 0)])["f1"]["path"]["overall"] == 0.333333
    # Marks of 2^53, 1 and 1 have a sum of 2^53 + 2, in every order; one after the other it would be 2^53.
    for values in ([2.0**53, 1, 1], [1, 2.0**53, 1], [1, 1, 2.0**53]):
        assert (
            tables([graded(SINGLE, value) for value in values])["f1"]["path"]["overall"] == (2.0**53 + 2) / 3
        )


def test_marks_are_written_with_every_digit(tmp_path: Path) -> None:
    marks = [
        Mark("talk", 3, MULTI, "graph+edge", 2 / 3, 0.1 + 0.2, 1, 5e-324),
        Mark('a,"b', 0, OPEN, "path", 1.0, 0.0, 0, 1 / 3),
    ]
    write_marks(tmp_path / "marks.csv", iter(marks))
    assert (tmp_path / "marks.csv").read_bytes().decode() == (
        "sample,question,category,arm,f1,recall,quiet,confidence\n"
        "talk,3,multi_hop,graph+edge,0.6666666666666666,0.30000000000000004,1,5e-324\n"
        '"a,""b",0,open_domain,path,1.0,0.0,0,0.3333333333333333\n'
    )
    with (tmp_path / "marks.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [float(r["confidence"]) for r in rows] == [5e-324, 1 / 3]

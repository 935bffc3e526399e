"""What the faults of the answer key are worth, by hand."""

from locomo.formats.dataset import Category
from locomo.results.scores import Score
from locomo.statistics.faults import worth

SINGLE, ADVERSARIAL = Category.SINGLE_HOP, Category.ADVERSARIAL


def scores(*rows: tuple[int, Category, float, float]) -> dict[tuple[str, int], Score]:
    return {
        ("talk", index): Score("talk", index, category, "a", {"f1": f1, "recall": recall}, 0.5)
        for index, category, f1, recall in rows
    }


def test_means_of_answerable_questions_under_both_keys() -> None:
    wrong = (1, SINGLE, 0.1, 0.5)
    published = scores((0, SINGLE, 0.5, 0.0), wrong, (2, SINGLE, 0.3, 1.0), (3, ADVERSARIAL, 1, 1))
    audited = scores((0, SINGLE, 0.5, 1.0), (2, SINGLE, 0.3, 1.0), (3, ADVERSARIAL, 1, 1))
    assert worth({"a": published, "b": published}, {"a": audited}) == {
        "a": {
            "f1": {"published": 0.3, "audited": 0.4, "difference": 0.1, "left_out": 0.1},
            "recall": {"published": 0.5, "audited": 1.0, "difference": 0.5, "left_out": 0.5},
        }
    }


def test_what_there_is_nothing_of() -> None:
    only = scores((3, ADVERSARIAL, 1, 1))
    nothing = dict.fromkeys(("published", "audited", "difference", "left_out"))
    assert worth({"a": only}, {"a": only}) == {"a": {"f1": nothing, "recall": nothing}}

"""The two halves of the questions, which a good memory separates."""

from collections.abc import Iterable

from locomo.results.scores import Score
from locomo.score.averages import COLUMNS

HALVES = ("answerable", "adversarial")
"""Two columns of every table."""


def of_half(scores: Iterable[Score], half: str) -> list[Score]:
    """The scores of the questions of one half."""
    return [score for score in scores if score.category in COLUMNS[half]]

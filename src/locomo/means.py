"""Means of single observations, a column a group of categories, as in every table."""

from collections.abc import Iterable

from locomo.dataset import Category
from locomo.score import COLUMNS, Table, mean

Row = dict[str, float | None]
"""Named figures, six decimals; None where there is nothing to work one out from."""


def row(observations: Iterable[tuple[Category, float]]) -> Row:
    """The mean of what was observed on questions of each group of categories."""
    pairs = list(observations)
    return {
        column: mean([value for category, value in pairs if category in categories])
        for column, categories in COLUMNS.items()
    }


def table(observations: Iterable[tuple[str, Category, float]]) -> Table:
    """Rows of means, by the name that comes with each observation, in order of first appearance."""
    named: dict[str, list[tuple[Category, float]]] = {}
    for name, category, value in observations:
        named.setdefault(name, []).append((category, value))
    return {name: row(pairs) for name, pairs in named.items()}


def rounded(value: float) -> float:
    """Six decimals, as metrics files have them; never -0.0."""
    return round(value, 6) + 0.0

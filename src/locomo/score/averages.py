"""Means of observations, with one column per group of categories, as in every table."""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from locomo.formats.dataset import ANSWERABLE, REPORT_ORDER, Category

COLUMNS: dict[str, Collection[Category]] = {
    **{category.label: (category,) for category in REPORT_ORDER},
    "answerable": ANSWERABLE,
    "overall": REPORT_ORDER,
}
"""The columns of every table, and the categories that each one averages over."""

Row = dict[str, float | None]
"""Named figures with six decimals; None for a figure that cannot be computed."""

Table = dict[str, Row]
"""Rows by name, usually of arms, with the columns of `COLUMNS`."""


def row(observations: Iterable[tuple[Category, float]]) -> Row:
    """The mean of the observations in each group of categories."""
    values: dict[Category, list[float]] = {}
    for category, value in observations:
        values.setdefault(category, []).append(value)
    return {
        column: mean([value for category in categories for value in values.get(category, ())])
        for column, categories in COLUMNS.items()
    }


def table(observations: Iterable[tuple[str, Category, float]], names: Iterable[str] = ()) -> Table:
    """Rows of means, by the name in each observation, in order of first appearance.

    `names` come first, and have a row even without observations.
    """
    named: dict[str, list[tuple[Category, float]]] = {name: [] for name in names}
    for name, category, value in observations:
        named.setdefault(name, []).append((category, value))
    return {name: row(pairs) for name, pairs in named.items()}


def counts(categories: Iterable[Category]) -> dict[str, int]:
    """The number of questions in each column, from the category of each question."""
    sizes = Counter(categories)
    return {column: sum(sizes[category] for category in group) for column, group in COLUMNS.items()}


def mean(values: Sequence[float]) -> float | None:
    """The mean to six decimals, None without values; fsum gives the same sum in any order."""
    return rounded(math.fsum(values) / len(values)) if values else None


def rounded(value: float) -> float:
    """Six decimals, as metrics files have them; never -0.0."""
    return round(value, 6) + 0.0

"""Percentile bootstrap over conversations: exact for few of them, drawn at random for many (SPEC 12).

Questions of one conversation depend on each other, so whole conversations are drawn, not questions.
"""

from dataclasses import dataclass
from functools import cache
from itertools import combinations_with_replacement
from math import factorial

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

EXACT_UP_TO = 10
"""With more conversations than this there are too many multisets to list."""
DRAWS = 10_000
SEED = 1


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """m resamples of n conversations: each is n conversations drawn with replacement."""

    counts: Floats
    """How often each resample holds each conversation (n, m)."""
    weights: NDArray[np.int64]
    """In how many orders each resample can be drawn (m); all 1 if they were drawn at random."""
    exact: bool

    def totals(self, sums: Floats) -> Floats:
        """The sum of a quantity over each resample (m), from its sum over each conversation (n).

        Conversations are added one after the other; in a matrix product, the machine chooses the order.
        """
        totals = np.zeros(self.counts.shape[1])
        for count, value in zip(self.counts, sums, strict=True):
            totals += count * value
        return totals

    def interval(self, statistic: Floats) -> tuple[float, float]:
        """The 95% interval: the smallest values (m) whose cumulative weight reaches 0.025 and 0.975."""
        low, high = np.quantile(
            statistic, (0.025, 0.975), method="inverted_cdf", weights=self.weights
        ).tolist()
        return low, high


@cache
def bootstrap(n: int) -> Bootstrap:
    """Up to ten conversations: all C(2n-1, n) multisets of n, each with its multinomial coefficient.

    Above ten: `DRAWS` resamples by numpy's `RandomState`, whose stream never changes.
    """
    exact = n <= EXACT_UP_TO
    if exact:
        picks = np.array(list(combinations_with_replacement(range(n), n)), np.int64)
    else:
        picks = np.random.RandomState(SEED).randint(n, size=(DRAWS, n), dtype=np.int64)
    rows = np.arange(len(picks))[:, None]
    counts = np.bincount((rows * n + picks).ravel(), minlength=picks.size).reshape(picks.shape).T
    if exact:
        factorials = np.array([factorial(count) for count in range(n + 1)], np.int64)
        weights = factorial(n) // factorials[counts].prod(axis=0)
    else:
        weights = np.ones(len(picks), np.int64)
    return Bootstrap(np.ascontiguousarray(counts, np.float64), weights, exact)

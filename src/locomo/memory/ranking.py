"""Ranking: the best of each question's candidates, for all questions of a block at once."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from locomo.memory.base import Cites
from locomo.text.sparse import Floats, Integers


class Ranked(NamedTuple):
    """The best of each row, best first, concatenated; row i is bounds[i]:bounds[i + 1]."""

    bounds: Integers
    rows: Integers
    columns: Integers
    scores: Floats

    def cites(self, turns: Integers, phrases: Sequence[str | None] | None = None) -> list[Cites]:
        """Make cites of these turns, one for each of `columns`, with or without phrases."""
        bounds = self.bounds.tolist()
        cited, scores = turns.tolist(), self.scores.tolist()
        phrases = [None] * len(cited) if phrases is None else phrases
        return [
            Cites(cited[start:end], scores[start:end], phrases[start:end]) for start, end in pairwise(bounds)
        ]


def best(scores: Floats, k: int) -> Ranked:
    """The k best columns of each row (n, m) that score above 0; ties keep their order."""
    n, m = scores.shape
    wanted = scores > 0
    if k < m:
        # Drop what is below the k-th best of its row. Of those equal to it, `first` may drop some.
        wanted &= scores >= np.partition(scores, m - k, axis=1)[:, m - k, None]
    rows, columns = wanted.nonzero()
    return first(n, rows, columns, scores[rows, columns], k)


def first(n: int, rows: Integers, columns: Integers, scores: Floats, k: int | None = None) -> Ranked:
    """The k best candidates of each row, or all, from candidates sorted by row; ties keep their order."""
    order = np.lexsort((-scores, rows))
    if k is not None:
        starts = np.searchsorted(rows, np.arange(n))
        order = order[np.arange(len(rows)) - starts[rows] < k]
    rows = rows[order]
    return Ranked(np.searchsorted(rows, np.arange(n + 1)), rows, columns[order], scores[order])


def by_id(ids: Sequence[str]) -> Integers:
    """The order of ids that breaks ties."""
    # Strings sort by code point, which is the byte order of UTF-8: "D10:1" comes before "D2:1".
    return np.array(sorted(range(len(ids)), key=ids.__getitem__), np.int64)

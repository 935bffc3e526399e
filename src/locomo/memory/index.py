"""Ranked rows, filtered by person: the retrieval that all but the path and the oracle share."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from locomo.vocabulary import Floats


class Index:
    """Rows to rank, each filed under an id, which breaks ties, and if need be under a person."""

    def __init__(self, ids: Sequence[str], persons: Sequence[str] = ()) -> None:
        # Strings sort by code point, which is the byte order of UTF-8: "D10:1" stands before "D2:1".
        self._order = np.array(sorted(range(len(ids)), key=ids.__getitem__), np.int64)
        filed: dict[str, list[int]] = {}
        for row in self._order.tolist() if persons else ():
            filed.setdefault(persons[row], []).append(row)
        self._filed = {person: np.array(rows) for person, rows in filed.items()}

    def best(self, scores: Floats, k: int, person: str = "") -> list[tuple[int, float]]:
        """The k best rows (row, score) with a score above 0, of one person if given, best first."""
        rows = self._filed.get(person, self._order[:0]) if person else self._order
        return best(rows, scores[rows], k)


def best(rows: NDArray[np.int64], scores: Floats, k: int) -> list[tuple[int, float]]:
    """The k best of some rows with a score above 0, best first; ties keep the order of `rows`."""
    found = (scores > 0).nonzero()[0]
    if len(found) > k:
        least = np.partition(scores[found], len(found) - k)[len(found) - k]
        found = found[scores[found] >= least]
    ranked = found[np.argsort(-scores[found], kind="stable")[:k]]
    return list(zip(rows[ranked].tolist(), scores[ranked].tolist(), strict=True))

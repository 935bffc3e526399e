"""Sparse rows (CSR), and the one product behind all similarities.

Sums add one term after the other in a stated order, in float64. `bincount` does this. The built-in `sum`
does not: from Python 3.12 on it compensates rounding errors, unlike the published figures. Nor does a
dense product: the machine chooses its order.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Rows:
    """Lists of integers below `width`, concatenated; row i is indices[indptr[i]:indptr[i + 1]]."""

    indices: NDArray[np.int32]
    indptr: Integers
    width: int

    def __len__(self) -> int:
        return len(self.indptr) - 1

    @property
    def lengths(self) -> Integers:
        """How many entries each row has."""
        return np.diff(self.indptr)

    @property
    def row_of(self) -> Integers:
        """The row of each entry."""
        return np.repeat(np.arange(len(self)), self.lengths)

    def places(self, rows: Integers) -> tuple[Integers, Integers]:
        """The entries of some rows, row by row: for each, the place of its row in `rows`, and its own."""
        starts = self.indptr[rows]
        lengths = self.indptr[rows + 1] - starts
        row = np.repeat(np.arange(len(rows)), lengths)
        before = np.cumsum(lengths) - lengths
        return row, np.arange(len(row)) + (starts - before)[row]


@dataclass(frozen=True, slots=True)
class Weighted(Rows):
    """Rows with a value for each index."""

    data: NDArray[np.floating]


def rows(lists: Sequence[Collection[int]], width: int) -> Rows:
    """Make rows from lists of indices; order and repeats are kept."""
    indptr = np.zeros(len(lists) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, lists), np.int64, len(lists)), out=indptr[1:])
    indices = np.fromiter(chain.from_iterable(lists), np.int32, int(indptr[-1]))
    return Rows(indices, indptr, width)


def weighted(found: Rows, data: NDArray[np.floating]) -> Weighted:
    """The same rows with these values."""
    return Weighted(found.indices, found.indptr, found.width, data)


def by_index(found: Weighted) -> Weighted:
    """The transpose: for each index, the rows that hold it, in their order, with their values."""
    order = np.argsort(found.indices, kind="stable")
    rows = found.row_of[order].astype(np.int32)
    return Weighted(rows, _indptr(found.indices, found.width), len(found), found.data[order])


def postings(texts: Rows) -> Rows:
    """For each index, the texts that hold it, each text once: one row per index."""
    cells = np.unique(texts.indices.astype(np.int64) * len(texts) + texts.row_of)
    index, text = np.divmod(cells, max(1, len(texts)))
    return Rows(text.astype(np.int32), _indptr(index, texts.width), len(texts))


def counted(texts: Rows) -> Weighted:
    """The distinct indices of each row in ascending order, with their counts."""
    cells, counts = np.unique(texts.row_of * texts.width + texts.indices, return_counts=True)
    row, index = np.divmod(cells, max(1, texts.width))
    return Weighted(index.astype(np.int32), _indptr(row, len(texts)), texts.width, counts.astype(np.float64))


def product(left: Rows, right: Rows) -> Floats:
    """Rows (n) times rows by index, as of `postings`: dense (n, right.width), sums in the order of `left`."""
    entry, place = right.places(left.indices.astype(np.int64))
    cells = left.row_of[entry] * right.width + right.indices[place]
    values = left.data[entry].astype(np.float64) if isinstance(left, Weighted) else np.ones(len(cells))
    if isinstance(right, Weighted):
        values *= right.data[place]
    size = len(left) * right.width
    return _added(cells, values, size).reshape(len(left), right.width)


def sums(found: Weighted) -> Floats:
    """The sum of each row's values, added one after the other in stored order."""
    return _added(found.row_of, found.data, len(found))


def _added(places: Integers, values: NDArray[np.floating], size: int) -> Floats:
    """The sum of the values at each place, added one after the other."""
    # Without any values, numpy returns integers.
    return np.bincount(places, values, minlength=size).astype(np.float64, copy=False)


def _indptr(numbers: NDArray[np.integer], count: int) -> Integers:
    """The bounds of each number's entries, once these are sorted by number."""
    indptr = np.zeros(count + 1, np.int64)
    np.cumsum(np.bincount(numbers, minlength=count), out=indptr[1:])
    return indptr

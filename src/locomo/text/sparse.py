"""Sparse rows (CSR), and the one product that everything numeric here is made of.

Sums run one term after the other in a stated order, in float64. Neither the built-in `sum` is used (from
Python 3.12 on it compensates rounding errors, and the published figures were not made so) nor a dense
product (the order is the machine's choice): `bincount` adds one entry after the other.
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
    """Lists of whole numbers below `width`, one after the other; row i: indices[indptr[i]:indptr[i + 1]]."""

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
        """The entries of some rows, one row after the other: of each the place in `rows`, and its own."""
        starts = self.indptr[rows]
        lengths = self.indptr[rows + 1] - starts
        asked = np.repeat(np.arange(len(rows)), lengths)
        before = np.cumsum(lengths) - lengths
        return asked, np.arange(len(asked)) + (starts - before)[asked]


@dataclass(frozen=True, slots=True)
class Weighted(Rows):
    """Rows with a value at each of their indices."""

    data: NDArray[np.floating]


def rows(lists: Sequence[Collection[int]], width: int) -> Rows:
    """Lists of indices as rows, entries in the given order, repeats kept."""
    indptr = np.zeros(len(lists) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, lists), np.int64, len(lists)), out=indptr[1:])
    indices = np.fromiter(chain.from_iterable(lists), np.int32, int(indptr[-1]))
    return Rows(indices, indptr, width)


def weighted(found: Rows, data: NDArray[np.floating]) -> Weighted:
    """Rows with these values."""
    return Weighted(found.indices, found.indptr, found.width, data)


def by_index(found: Weighted) -> Weighted:
    """The same entries filed by index, each index's in the order of the rows: what the index stands in."""
    order = np.argsort(found.indices, kind="stable")
    rows = found.row_of[order].astype(np.int32)
    return Weighted(rows, _indptr(found.indices, found.width), len(found), found.data[order])


def postings(texts: Rows) -> Rows:
    """Which of the texts hold each index, each text once: a row an index."""
    cells = np.unique(texts.indices.astype(np.int64) * len(texts) + texts.row_of)
    index, text = np.divmod(cells, max(1, len(texts)))
    return Rows(text.astype(np.int32), _indptr(index, texts.width), len(texts))


def counted(texts: Rows) -> Weighted:
    """The distinct indices of each row in ascending order, with how often they stand there."""
    cells, counts = np.unique(texts.row_of * texts.width + texts.indices, return_counts=True)
    row, index = np.divmod(cells, max(1, texts.width))
    return Weighted(index.astype(np.int32), _indptr(row, len(texts)), texts.width, counts.astype(np.float64))


def product(asked: Rows, filed: Rows) -> Floats:
    """Rows (n) times what is filed by their indices: dense (n, filed.width), each sum in the row's order."""
    entry, place = filed.places(asked.indices.astype(np.int64))
    cells = asked.row_of[entry] * filed.width + filed.indices[place]
    values = asked.data[entry].astype(np.float64) if isinstance(asked, Weighted) else np.ones(len(cells))
    if isinstance(filed, Weighted):
        values *= filed.data[place]
    size = len(asked) * filed.width
    return _added(cells, values, size).reshape(len(asked), filed.width)


def sums(found: Weighted) -> Floats:
    """The sum of each row's values, one after the other in stored order."""
    return _added(found.row_of, found.data, len(found))


def _added(places: Integers, values: NDArray[np.floating], size: int) -> Floats:
    """What is added up at each place, one value after the other."""
    # Of no values at all, numpy gives the sum in whole numbers.
    return np.bincount(places, values, minlength=size).astype(np.float64, copy=False)


def _indptr(numbers: NDArray[np.integer], count: int) -> Integers:
    """Where each number's entries start, once they are sorted by number; and the end of the last."""
    indptr = np.zeros(count + 1, np.int64)
    np.cumsum(np.bincount(numbers, minlength=count), out=indptr[1:])
    return indptr

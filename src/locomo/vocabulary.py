"""What a word weighs in one conversation, and how much of a question a text covers (SPEC 3).

Every sum here runs in a stated order, in float64, one term after the other. The built-in `sum` is not
used: from Python 3.12 on it compensates rounding errors, and the published figures were not made so.
Sparse products serve instead: scipy adds the stored entries of a row one after the other.
"""

import decimal
from collections.abc import Iterable, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from locomo.lexicon import lexicon
from locomo.text import stem, stems

Floats = NDArray[np.float64]


def logarithm(numerator: int, denominator: int) -> float:
    """The correctly rounded natural logarithm of a quotient; a system's own differs in the last bit."""
    with decimal.localcontext() as context:
        context.prec = 40
        return float((decimal.Decimal(numerator) / decimal.Decimal(denominator)).ln())


class Vocabulary:
    """The stems met in one conversation, and their weights.

    The first `size` of `stems` are the vocabulary proper: every stem of every turn text, sorted by its
    UTF-8 bytes. Behind them stand the stems met only elsewhere (a word glued together across a full stop,
    a predicate); they weigh as much as an unknown word. Index `len(stems)` stands for all unknown words.
    """

    def __init__(self, stems: Sequence[str], size: int, weights: Floats) -> None:
        self.stems = stems
        self.size = size
        self.weights = weights
        self._index = {stem: index for index, stem in enumerate(stems)}

    def indices(self, stems: Iterable[str]) -> list[int]:
        """The index of each stem, `len(self.stems)` for an unknown one."""
        return [self._index.get(stem, len(self.stems)) for stem in stems]

    def weight(self, stem: str) -> float:
        """The weight of one stem."""
        return float(self.weights[self._index.get(stem, len(self.stems))])

    def rows(self, lists: Sequence[Sequence[int]]) -> csr_array:
        """Lists of stem indices as weighted rows, entries in the given order, repeats kept."""
        rows = incidence(lists, len(self.weights))
        rows.data = self.weights[rows.indices]
        return rows


def make_vocabulary(turns: Sequence[Sequence[str]], others: Iterable[str]) -> Vocabulary:
    """The vocabulary of a conversation, out of the stems of its turn texts; `others` only get an index."""
    counts: dict[str, int] = {}
    for turn in turns:
        for term in set(turn):
            counts[term] = counts.get(term, 0) + 1
    terms = sorted(counts)  # code points sort as UTF-8 bytes do
    rest = sorted(set(others) - counts.keys())
    unknown = logarithm(len(turns) + 1, 1)
    weight = cache(lambda count: logarithm(len(turns) + 1, count + 1))
    weights = [weight(counts[term]) for term in terms] + [unknown] * (len(rest) + 1)
    return Vocabulary(terms + rest, len(terms), np.array(weights))


def incidence(lists: Sequence[Sequence[int]], width: int) -> csr_array:
    """Lists of indices as rows of ones, entries in the given order, repeats kept: (len(lists), width)."""
    lengths = np.fromiter(map(len, lists), np.int64, len(lists))
    indptr = np.concatenate(([0], np.cumsum(lengths)))
    indices = np.fromiter((index for row in lists for index in row), np.int32, int(indptr[-1]))
    return csr_array((np.ones(len(indices)), indices, indptr), shape=(len(lists), width))


def postings(lists: Sequence[Iterable[int]], width: int) -> csr_array:
    """Which of the texts hold each stem: ones in an array (width, len(lists)), each text a set of indices."""
    return incidence([sorted(set(row)) for row in lists], width).T.tocsr()


def vectors(lists: Sequence[Sequence[int]], vocabulary: Vocabulary) -> csr_array:
    """Texts as float32 rows of unit length over the vocabulary, (len(lists), vocabulary.size).

    A row holds count x weight of each known term, rounded to float32, divided by the row's length;
    a text without a known term is a row of zeros.
    """
    counts = incidence([sorted(i for i in row if i < vocabulary.size) for row in lists], vocabulary.size)
    counts.sum_duplicates()
    row_of = np.repeat(np.arange(len(lists)), np.diff(counts.indptr))
    values = (counts.data * vocabulary.weights[counts.indices]).astype(np.float32)
    # A square of a float32 is exact in float64, and bincount adds one entry after the other.
    squares = np.bincount(row_of, values.astype(np.float64) ** 2, minlength=len(lists))
    lengths = np.sqrt(squares, where=squares > 0, out=np.ones(len(lists)))
    inverse = (1.0 / lengths).astype(np.float32)
    return csr_array((values * inverse[row_of], counts.indices, counts.indptr), shape=counts.shape)


def nearness(queries: csr_array, texts: csr_array) -> Floats:
    """Products of query rows (n, size) with the columns of `texts` (size, m): dense (n, m) in float64.

    The product of two float32 is exact in float64; sums run over ascending terms.
    """
    return np.asarray((queries.astype(np.float64) @ texts).todense())


def coverage(focuses: csr_array, texts: csr_array) -> Floats:
    """How much of each focus every text covers: dense (n, m), 0 for an empty or weightless focus.

    `focuses` are weighted rows (n, width) as of `Vocabulary.rows`, `texts` the postings (width, m).
    Sums run in the order of the focus, repeats included.
    """
    totals = row_sums(focuses)
    covered = np.asarray((focuses @ texts).todense())
    shares: Floats = np.divide(
        covered, totals[:, None], out=np.zeros_like(covered), where=totals[:, None] > 0
    )
    return shares


def row_sums(rows: csr_array) -> Floats:
    """The sum of each row's entries, one after the other in stored order."""
    return np.asarray(rows @ np.ones(rows.shape[1]))


@cache
def _not_in_focus() -> frozenset[str]:
    # The stop list is compared with stems as it stands, unstemmed entries and all: the figures depend on it.
    return lexicon().stop_words | {stem(word) for word in lexicon().question_words}


def focus(question: Sequence[str], subject: str) -> list[str]:
    """What a question is about: its stems in order, less stop words, question words and its subject."""
    left_out = _not_in_focus() | set(stems(subject))
    return [term for term in question if term not in left_out]

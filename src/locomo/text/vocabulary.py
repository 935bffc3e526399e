"""What a word weighs in one conversation, and how much of a question a text covers (SPEC 3)."""

import decimal
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache, cached_property
from itertools import chain

import numpy as np

from locomo.text.lexicon import lexicon
from locomo.text.sparse import Floats, Rows, Weighted, counted, product, rows, sums, weighted
from locomo.text.tokens import stem, stems


def logarithm(numerator: int, denominator: int) -> float:
    """The correctly rounded natural logarithm of a quotient; `math.log` may differ in the last bit."""
    with decimal.localcontext() as context:
        context.prec = 40
        return float((decimal.Decimal(numerator) / decimal.Decimal(denominator)).ln())


class _Index(dict[str, int]):
    """The index of each stem; unknown stems share the index after the last."""

    def __missing__(self, stem: str) -> int:
        return len(self)


class Vocabulary:
    """The stems of one conversation, and their weights.

    The first `size` of `stems` are the vocabulary proper: the stems of all turn texts, sorted by their
    UTF-8 bytes. Stems that occur only elsewhere follow (a predicate, a word that the turn text joins to the
    next across a full stop); they weigh as much as an unknown word. Index `len(stems)` is any unknown word.
    """

    def __init__(self, stems: Sequence[str], size: int, weights: Floats) -> None:
        self.stems = stems
        self.size = size
        self.weights = weights
        self._index = _Index(zip(stems, range(len(stems)), strict=True))

    def weight(self, stem: str) -> float:
        """The weight of one stem."""
        return self._weights[self._index[stem]]

    @cached_property
    def _weights(self) -> list[float]:
        found: list[float] = self.weights.tolist()
        return found

    def rows(self, texts: Sequence[Sequence[str]]) -> Weighted:
        """Make weighted rows from texts, given as stems; order and repeats are kept."""
        index = self._index.__getitem__
        found = rows([list(map(index, text)) for text in texts], len(self.weights))
        return weighted(found, self.weights[found.indices])


def make_vocabulary(turns: Sequence[Sequence[str]], others: Iterable[str]) -> Vocabulary:
    """The vocabulary of a conversation, from the stems of its turn texts; `others` only get an index."""
    counts = Counter(chain.from_iterable(map(set, turns)))
    terms = sorted(counts)  # code points sort as UTF-8 bytes do
    rest = sorted(set(others) - counts.keys())
    unknown = logarithm(len(turns) + 1, 1)
    weight = cache(lambda count: logarithm(len(turns) + 1, count + 1))
    weights = [weight(counts[term]) for term in terms] + [unknown] * (len(rest) + 1)
    return Vocabulary(terms + rest, len(terms), np.array(weights))


def vectors(texts: Rows, vocabulary: Vocabulary) -> Weighted:
    """Texts as float32 rows of unit length over the vocabulary, terms ascending.

    A row holds count x weight of each known term, rounded to float32, divided by the row's length;
    a text without a known term is an empty row.
    """
    found = counted(_known(texts, vocabulary.size))
    values = (found.data * vocabulary.weights[found.indices]).astype(np.float32)
    # A square of a float32 is exact in float64.
    squares = sums(weighted(found, values.astype(np.float64) ** 2))
    lengths = np.sqrt(squares, where=squares > 0, out=np.ones(len(texts)))
    inverse = (1.0 / lengths).astype(np.float32)
    return weighted(found, values * inverse[found.row_of])


def _known(texts: Rows, size: int) -> Rows:
    """The texts without stems that occur in no turn."""
    known = texts.indices < size
    before = np.concatenate(([0], np.cumsum(known)))
    return Rows(texts.indices[known], before[texts.indptr], size)


def nearness(queries: Weighted, texts: Weighted) -> Floats:
    """Dot products of query vectors (n) with text vectors stored by term: dense (n, texts).

    The product of two float32 is exact in float64; sums run over ascending terms.
    """
    return product(queries, texts)


def coverage(focuses: Weighted, texts: Rows) -> Floats:
    """The share of each focus's weight that each text covers: dense (n, texts), 0 for a focus without weight.

    `focuses` are rows of `Vocabulary.rows`, `texts` are postings. Sums run in the order of the focus,
    repeats included.
    """
    totals = sums(focuses)[:, None]
    covered = product(focuses, texts)
    return np.divide(covered, totals, out=covered, where=totals > 0)


@cache
def _not_in_focus() -> frozenset[str]:
    # Stop words are compared with stems without being stemmed: the published figures depend on it.
    return lexicon().stop_words | {stem(word) for word in lexicon().question_words}


def focus(question: Sequence[str], subject: str) -> list[str]:
    """What a question is about: its stems in order, without stop words, question words and the subject."""
    left_out, of_subject = _not_in_focus(), stems(subject)
    return [term for term in question if term not in left_out and term not in of_subject]

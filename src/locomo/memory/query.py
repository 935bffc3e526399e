"""Questions put to one conversation: whom they are about, and how its texts answer them (SPEC 2, 3, 8)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from locomo.formats.store import Store
from locomo.text.names import mentions
from locomo.text.sparse import Floats, Integers, Rows, Weighted, postings, product
from locomo.text.tokens import fold, stems_of, words_and_fields
from locomo.text.vocabulary import coverage, focus, nearness, vectors


@dataclass(frozen=True, slots=True)
class Query:
    """One question as memories and readers see it: never its category, its answer or its evidence."""

    text: str
    words: list[str]
    stems: list[str]
    mentions: list[str]
    """The known names it mentions, longest first."""

    @property
    def subject(self) -> str:
        """Whom it is about, folded; empty if it mentions nobody known."""
        return fold(self.mentions[0]) if self.mentions else ""


class QueryBlock:
    """Some questions over one conversation, and everything numeric about the two, worked out at once.

    Arrays are dense, a row a question; each is made when the first memory or reader asks for it.
    """

    def __init__(self, store: Store, texts: Sequence[str]) -> None:
        self.store = store
        self.queries = [_query(text, store.names) for text in texts]

    def __len__(self) -> int:
        return len(self.queries)

    @cached_property
    def line_nearness(self) -> Floats:
        """Nearness of every turn line (n, turns)."""
        return nearness(self._vectors, self.store.arrays.lines)

    @cached_property
    def piece_nearness(self) -> Floats:
        """Nearness of every piece (n, pieces)."""
        return nearness(self._vectors, self.store.arrays.pieces)

    @cached_property
    def turn_coverage(self) -> Floats:
        """How much of the question every turn covers (n, turns)."""
        return coverage(self._focus, self.store.arrays.turn_stems)

    @cached_property
    def sentence_coverage(self) -> Floats:
        """How much of the question every sentence covers (n, sentences)."""
        return coverage(self._focus, self.store.arrays.sentence_stems)

    @cached_property
    def claim_coverage(self) -> Floats:
        """How much of the question, its subject aside, every claim covers (n, claims)."""
        return coverage(self._focus_beside_subject, self.store.arrays.claim_stems)

    @cached_property
    def edge_scores(self) -> tuple[Integers, Integers, Floats]:
        """Where an edge answers a question: the question, the edge, and the score, in this order.

        The score is how much of the question, its subject aside, it covers, times the share of it asked.
        """
        arrays = self.store.arrays
        answered = coverage(self._focus_beside_subject, arrays.edge_stems)
        asked = coverage(arrays.edge_terms, postings(self._focus_beside_subject))
        rows, edges = answered.nonzero()
        scores = answered[rows, edges] * asked[edges, rows]
        found = scores > 0
        return rows[found], edges[found], scores[found]

    @cached_property
    def node_meets(self) -> NDArray[np.bool_]:
        """Whether every node shares a stem with the question, its subject aside (n, nodes)."""
        asked = self._focus_beside_subject
        # A word that every turn has weighs nothing, and is shared all the same.
        return product(Rows(asked.indices, asked.indptr, asked.width), self.store.arrays.node_stems) > 0

    @cached_property
    def _vectors(self) -> Weighted:
        vocabulary = self.store.vocabulary
        return vectors(vocabulary.rows([query.stems for query in self.queries]), vocabulary)

    @cached_property
    def _focus(self) -> Weighted:
        return self.store.vocabulary.rows([focus(query.stems, "") for query in self.queries])

    @cached_property
    def _focus_beside_subject(self) -> Weighted:
        return self.store.vocabulary.rows([focus(query.stems, query.subject) for query in self.queries])


def _query(text: str, names: Sequence[str]) -> Query:
    words, fields = words_and_fields(text)
    return Query(text, words, stems_of(fields), mentions(text, names))

"""Questions about one conversation: their subject, and how its texts answer them (SPEC 2, 3, 8)."""

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
    """One question as memories and readers see it: without its category, answer or evidence."""

    text: str
    words: list[str]
    stems: list[str]
    mentions: list[str]
    """The known names it mentions, longest first."""

    @property
    def subject(self) -> str:
        """The person it is about, folded; empty if it mentions no known name."""
        return fold(self.mentions[0]) if self.mentions else ""


class QueryBlock:
    """Questions about one conversation, and the scores of its texts for all of them at once.

    Arrays are dense, one row per question; each is computed when it is first used.
    """

    def __init__(self, store: Store, texts: Sequence[str]) -> None:
        self.store = store
        self.queries = [_query(text, store.names) for text in texts]

    def __len__(self) -> int:
        return len(self.queries)

    @cached_property
    def line_nearness(self) -> Floats:
        """Nearness of each turn line (n, turns)."""
        return nearness(self._vectors, self.store.arrays.lines)

    @cached_property
    def piece_nearness(self) -> Floats:
        """Nearness of each piece (n, pieces)."""
        return nearness(self._vectors, self.store.arrays.pieces)

    @cached_property
    def turn_coverage(self) -> Floats:
        """How much of the question each turn covers (n, turns)."""
        return coverage(self._focus, self.store.arrays.turn_stems)

    @cached_property
    def sentence_coverage(self) -> Floats:
        """How much of the question each sentence covers (n, sentences)."""
        return coverage(self._focus, self.store.arrays.sentence_stems)

    @cached_property
    def claim_coverage(self) -> Floats:
        """How much of the question, without its subject, each claim covers (n, claims)."""
        return coverage(self._focus_beside_subject, self.store.arrays.claim_stems)

    @cached_property
    def edge_scores(self) -> tuple[Integers, Integers, Floats]:
        """Each edge that answers a question: arrays of questions, edges and scores, by question and edge.

        The score is how much of the question, without its subject, the edge covers, times how much of the
        edge the question covers.
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
        """Whether each node shares a stem with the question, without its subject (n, nodes)."""
        focuses = self._focus_beside_subject
        # Without weights: a word of every turn weighs 0, but counts as shared.
        return product(Rows(focuses.indices, focuses.indptr, focuses.width), self.store.arrays.node_stems) > 0

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

"""Questions put to one conversation: whom they are about, and how its texts answer them (SPEC 2, 3, 8)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from locomo.names import mentions
from locomo.store import Store
from locomo.text import fold, stems, words
from locomo.vocabulary import Floats, coverage, focus, incidence, nearness, vectors


@dataclass(frozen=True, slots=True)
class Question:
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


class QuestionBlock:
    """Some questions over one conversation, and everything numeric about the two, worked out at once.

    Arrays are dense, a row a question; each is made when the first memory or reader asks for it.
    """

    def __init__(self, store: Store, texts: Sequence[str]) -> None:
        self.store = store
        self.questions = [Question(t, words(t), stems(t), mentions(t, store.names)) for t in texts]

    def __len__(self) -> int:
        return len(self.questions)

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
    def edge_scores(self) -> Floats:
        """How much of the question, its subject aside, an edge covers, times the share of it asked."""
        arrays = self.store.arrays
        answered = coverage(self._focus_beside_subject, arrays.edge_stems)
        return answered * coverage(arrays.edge_terms, self._asked_stems.T.tocsr()).T

    @cached_property
    def node_meets(self) -> NDArray[np.bool_]:
        """Whether every node shares a stem with the question, its subject aside (n, nodes)."""
        return np.asarray((self._asked_stems @ self.store.arrays.node_stems).todense()) > 0

    @cached_property
    def _vectors(self) -> csr_array:
        indices = self.store.vocabulary.indices
        return vectors([indices(question.stems) for question in self.questions], self.store.vocabulary)

    @cached_property
    def _focus(self) -> csr_array:
        return self._focus_beside([""] * len(self))

    @cached_property
    def _focus_beside_subject(self) -> csr_array:
        return self._focus_beside([question.subject for question in self.questions])

    def _focus_beside(self, subjects: Sequence[str]) -> csr_array:
        vocabulary = self.store.vocabulary
        pairs = zip(self.questions, subjects, strict=True)
        return vocabulary.rows([vocabulary.indices(focus(q.stems, subject)) for q, subject in pairs])

    @cached_property
    def _asked_stems(self) -> csr_array:
        rows = self._focus_beside_subject
        asked = [
            sorted(set(rows.indices[a:b].tolist()))
            for a, b in zip(rows.indptr, rows.indptr[1:], strict=False)
        ]
        # The last column stands for all unknown words, and no node or edge holds one.
        return incidence(asked, rows.shape[1])

"""Memories that file what was said under the person it is about.

Index unit (a piece's claims or its whole turn) and scope (the question's subject or everybody) are
varied one at a time: `graph`, `span` and `scoped` are three of the four cells, `vector` the other.
"""

import numpy as np

from locomo.memory.base import Cite
from locomo.memory.index import Index
from locomo.question import QuestionBlock
from locomo.store import Store
from locomo.vocabulary import Floats


class _Filed:
    def __init__(self, store: Store) -> None:
        self._turns = store.pieces.turn
        self._index = Index(store.pieces.id, store.pieces.person)


class SpanMemory(_Filed):
    """Pieces, all reachable; each cite carries the object of the claim that fits best."""

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self._objects = store.claims.object
        lengths = [len(claims) for claims in store.pieces.claims]
        # The claims of all pieces, one piece after the other, the first of each, and the piece of each.
        self._claims = np.array([claim for claims in store.pieces.claims for claim in claims], np.int64)
        self._first = np.cumsum([0, *lengths[:-1]])
        self._piece = np.repeat(np.arange(len(lengths)), lengths)

    def ask(self, block: QuestionBlock, k: int) -> list[list[Cite]]:
        """The pieces nearest to each question."""
        return [self._cites(block, row, k, "") for row in range(len(block))]

    def _cites(self, block: QuestionBlock, row: int, k: int, person: str) -> list[Cite]:
        found = self._index.best(block.piece_nearness[row], k, person)
        if not found:
            return []
        fitting = self._fitting(block.claim_coverage[row])
        return [Cite(self._turns[piece], score, self._objects[fitting[piece]]) for piece, score in found]

    def _fitting(self, covered: Floats) -> list[int]:
        """The claim of each piece that covers most, the first of equals."""
        covered = covered[self._claims]
        best = (covered == np.maximum.reduceat(covered, self._first)[self._piece]).nonzero()[0]
        fitting: list[int] = self._claims[best[np.searchsorted(best, self._first)]].tolist()
        return fitting


class GraphMemory(SpanMemory):
    """The pieces of the question's subject; all pieces for a question without one."""

    def ask(self, block: QuestionBlock, k: int) -> list[list[Cite]]:
        """The pieces of its subject nearest to each question."""
        return [self._cites(block, row, k, q.subject) for row, q in enumerate(block.questions)]


class ScopedMemory(_Filed):
    """Whole turn lines, filed under the persons of their pieces; filtered as `graph` does."""

    def ask(self, block: QuestionBlock, k: int) -> list[list[Cite]]:
        """The turns about its subject nearest to each question."""
        return [
            [
                Cite(self._turns[piece], score)
                for piece, score in self._index.best(scores, k, question.subject)
            ]
            for question, scores in zip(block.questions, block.line_nearness[:, self._turns], strict=True)
        ]

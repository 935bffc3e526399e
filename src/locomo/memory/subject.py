"""Memories that file what was said under the person it is about.

Index unit (a piece's claims or its whole turn) and scope (the question's subject or everybody) are
varied one at a time: `graph`, `span` and `scoped` are three of the four cells, `vector` the other.
"""

from locomo.memory.base import Cite
from locomo.memory.index import Index
from locomo.question import QuestionBlock
from locomo.store import Store


class _Filed:
    def __init__(self, store: Store) -> None:
        self._pieces = store.pieces
        self._claims = store.claims
        self._index = Index(store.pieces.id, store.pieces.person)


class SpanMemory(_Filed):
    """Pieces, all reachable; each cite carries the object of the claim that fits best."""

    def ask(self, block: QuestionBlock, k: int) -> list[list[Cite]]:
        """The pieces nearest to each question."""
        return [self._cites(block, row, k, "") for row in range(len(block))]

    def _cites(self, block: QuestionBlock, row: int, k: int, person: str) -> list[Cite]:
        covered = block.claim_coverage[row]
        cites = []
        for piece, score in self._index.best(block.piece_nearness[row], k, person):
            claims = self._pieces.claims[piece]
            fitting = claims[int(covered[claims].argmax())]
            cites.append(Cite(self._pieces.turn[piece], score, self._claims.object[fitting]))
        return cites


class GraphMemory(SpanMemory):
    """The pieces of the question's subject; all pieces for a question without one."""

    def ask(self, block: QuestionBlock, k: int) -> list[list[Cite]]:
        """The pieces of its subject nearest to each question."""
        return [self._cites(block, row, k, q.subject) for row, q in enumerate(block.questions)]


class ScopedMemory(_Filed):
    """Whole turn lines, filed under the persons of their pieces; filtered as `graph` does."""

    def ask(self, block: QuestionBlock, k: int) -> list[list[Cite]]:
        """The turns about its subject nearest to each question."""
        turns = self._pieces.turn
        return [
            [Cite(turns[piece], score) for piece, score in self._index.best(scores, k, question.subject)]
            for question, scores in zip(block.questions, block.line_nearness[:, turns], strict=True)
        ]

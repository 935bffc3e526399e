"""Memories that file what was said under the person it is about.

Index unit (a piece's claims or its whole turn) and scope (the question's subject or everybody) are
varied one at a time: `graph`, `span` and `scoped` are three of the four cells, `vector` the other.
"""

import numpy as np

from locomo.formats.store import Store
from locomo.memory.base import Cites
from locomo.memory.query import QuestionBlock
from locomo.memory.ranking import Ranked, best
from locomo.text.sparse import Floats, rows


class _Filed:
    """Pieces, which are stored in the order of their ids, under the persons they are about."""

    def __init__(self, store: Store) -> None:
        self._turns = np.array(store.pieces.turn, np.int64)
        self._number = {person: number for number, person in enumerate(sorted(set(store.pieces.person)))}
        self._persons = np.array([self._number[person] for person in store.pieces.person], np.int64)

    def _of_subject(self, block: QuestionBlock, scores: Floats) -> Floats:
        """The scores (n, pieces), 0 for who is not the question's subject; all, if it has none."""
        subjects = [question.subject for question in block.questions]
        wanted = np.array([self._number.get(subject, -1) for subject in subjects], np.int64)
        anybody = np.array([not subject for subject in subjects], bool)
        found: Floats = scores * ((self._persons == wanted[:, None]) | anybody[:, None])
        return found


class SpanMemory(_Filed):
    """Pieces, all reachable; each cite carries the object of the claim that fits best."""

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self._objects = store.claims.object
        self._claims = rows(store.pieces.claims, len(store.claims.object))

    def ask(self, block: QuestionBlock, k: int) -> list[Cites]:
        """The pieces nearest to each question."""
        return self._cites(block, best(block.piece_nearness, k))

    def _cites(self, block: QuestionBlock, ranked: Ranked) -> list[Cites]:
        """With the claim of each piece that covers most, the first of equals."""
        piece, place = self._claims.places(ranked.columns)
        claims = self._claims.indices[place]
        covered = block.claim_coverage[ranked.rows[piece], claims]
        start = np.searchsorted(piece, np.arange(len(ranked.columns)))
        most = np.maximum.reduceat(covered, start) if len(start) else covered
        fitting = (covered == most[piece]).nonzero()[0]
        chosen = claims[fitting[np.searchsorted(fitting, start)]].tolist()
        return ranked.cites(self._turns[ranked.columns], [self._objects[claim] for claim in chosen])


class GraphMemory(SpanMemory):
    """The pieces of the question's subject; all pieces for a question without one."""

    def ask(self, block: QuestionBlock, k: int) -> list[Cites]:
        """The pieces of its subject nearest to each question."""
        return self._cites(block, best(self._of_subject(block, block.piece_nearness), k))


class ScopedMemory(_Filed):
    """Whole turn lines, filed under the persons of their pieces; filtered as `graph` does."""

    def ask(self, block: QuestionBlock, k: int) -> list[Cites]:
        """The turns about its subject nearest to each question."""
        ranked = best(self._of_subject(block, block.line_nearness[:, self._turns]), k)
        return ranked.cites(self._turns[ranked.columns])

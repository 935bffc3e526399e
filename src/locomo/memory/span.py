"""The claims about one person in one turn, whoever the question is about."""

import numpy as np

from locomo.formats.dataset import Conversation
from locomo.formats.store import Store
from locomo.memory.base import Cites, Memory
from locomo.memory.query import QueryBlock
from locomo.memory.ranking import best
from locomo.text.sparse import Floats, rows


class SpanMemory(Memory):
    """Ranks all pieces; the phrase of a cite is the object of the claim that fits best."""

    nested = True

    def __init__(self, conversation: Conversation, store: Store) -> None:
        self._turns = np.array(store.pieces.turn, np.int64)
        self._objects = store.claims.object
        self._claims = rows(store.pieces.claims, len(store.claims.object))

    def cite(self, block: QueryBlock, k: int) -> list[Cites]:
        """The pieces nearest to each question, each with the claim that covers most; ties go to the first."""
        ranked = best(self._scores(block), k)
        piece, place = self._claims.places(ranked.columns)
        claims = self._claims.indices[place]
        covered = block.claim_coverage[ranked.rows[piece], claims]
        start = np.searchsorted(piece, np.arange(len(ranked.columns)))
        most = np.maximum.reduceat(covered, start) if len(start) else covered
        fitting = (covered == most[piece]).nonzero()[0]
        chosen = claims[fitting[np.searchsorted(fitting, start)]].tolist()
        return ranked.cites(self._turns[ranked.columns], [self._objects[claim] for claim in chosen])

    def _scores(self, block: QueryBlock) -> Floats:
        return block.piece_nearness

"""Whole turns about the subject of the question."""

import numpy as np

from locomo.formats.dataset import Conversation
from locomo.formats.store import Store
from locomo.memory.base import Cites, Memory
from locomo.memory.persons import PersonIndex
from locomo.memory.query import QueryBlock
from locomo.memory.ranking import best


class ScopedMemory(Memory):
    """Ranks the whole lines of turns that have a piece about the subject, as `graph` ranks those pieces."""

    nested = True

    def __init__(self, conversation: Conversation, store: Store) -> None:
        self._turns = np.array(store.pieces.turn, np.int64)
        self._person = PersonIndex(store)

    def cite(self, block: QueryBlock, k: int) -> list[Cites]:
        """The turns about its subject nearest to each question."""
        ranked = best(self._person.of_subject(block, block.line_nearness[:, self._turns]), k)
        return ranked.cites(self._turns[ranked.columns])

"""Whole turns by nearness to the question: the usual baseline."""

from locomo.formats.dataset import Conversation
from locomo.formats.store import Store
from locomo.memory.base import Cites, Memory
from locomo.memory.query import QueryBlock
from locomo.memory.ranking import best, by_id


class VectorMemory(Memory):
    """Ranks all turn lines."""

    nested = True

    def __init__(self, conversation: Conversation, store: Store) -> None:
        self._order = by_id(store.turns.id)

    def cite(self, block: QueryBlock, k: int) -> list[Cites]:
        """The turns nearest to each question."""
        ranked = best(block.line_nearness[:, self._order], k)
        return ranked.cites(self._order[ranked.columns])

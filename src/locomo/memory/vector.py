"""Whole turns by nearness to the question: the memory that everybody has."""

from locomo.formats.store import Store
from locomo.memory.base import Cites
from locomo.memory.query import QuestionBlock
from locomo.memory.ranking import best, by_id


class VectorMemory:
    """Turn lines, all reachable."""

    def __init__(self, store: Store) -> None:
        self._order = by_id(store.turns.id)

    def ask(self, block: QuestionBlock, k: int) -> list[Cites]:
        """The turns nearest to each question."""
        ranked = best(block.line_nearness[:, self._order], k)
        return ranked.cites(self._order[ranked.columns])

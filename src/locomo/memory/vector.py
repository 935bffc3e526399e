"""Whole turns by nearness to the question: the memory that everybody has."""

from locomo.memory.base import Cites
from locomo.memory.rank import best, by_id
from locomo.question import QuestionBlock
from locomo.store import Store


class VectorMemory:
    """Turn lines, all reachable."""

    def __init__(self, store: Store) -> None:
        self._order = by_id(store.turns.id)

    def ask(self, block: QuestionBlock, k: int) -> list[Cites]:
        """The turns nearest to each question."""
        ranked = best(block.line_nearness[:, self._order], k)
        return ranked.cites(self._order[ranked.columns])

"""Whole turns by nearness to the question: the memory that everybody has."""

from locomo.memory.base import Cite
from locomo.memory.index import Index
from locomo.question import QuestionBlock
from locomo.store import Store


class VectorMemory:
    """Turn lines, all reachable."""

    def __init__(self, store: Store) -> None:
        self._index = Index(store.turns.id)

    def ask(self, block: QuestionBlock, k: int) -> list[list[Cite]]:
        """The turns nearest to each question."""
        return [[Cite(*row) for row in self._index.best(scores, k)] for scores in block.line_nearness]

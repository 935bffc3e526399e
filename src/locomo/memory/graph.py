"""The claims about the subject of the question. This memory ranks pieces and never reads the graph."""

from locomo.formats.dataset import Conversation
from locomo.formats.store import Store
from locomo.memory.persons import PersonIndex
from locomo.memory.query import QueryBlock
from locomo.memory.span import SpanMemory
from locomo.text.sparse import Floats


class GraphMemory(SpanMemory):
    """Ranks the pieces about the question's subject; all pieces for a question without one."""

    def __init__(self, conversation: Conversation, store: Store) -> None:
        super().__init__(conversation, store)
        self._person = PersonIndex(store)

    def _scores(self, block: QueryBlock) -> Floats:
        return self._person.of_subject(block, block.piece_nearness)

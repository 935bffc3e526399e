"""The turns or sessions that the dataset names as evidence: what a perfect search would give the reader."""

from locomo.formats.dataset import Conversation
from locomo.formats.store import Store
from locomo.memory.base import Cites, Memory
from locomo.memory.query import QueryBlock


class OracleMemory(Memory):
    """Cites the evidence of each question; a duplicate question takes the evidence of its last copy.

    A session stands for all its turns, in order.
    """

    nested = True

    def __init__(self, conversation: Conversation, store: Store) -> None:
        turns = {id: [turn] for id, turn in store.turn_index.items()}
        for turn in conversation.turns:
            turns.setdefault(f"S{turn.session}", []).append(store.turn_index[turn.id])
        self._evidence = {
            question.question: [turn for id in question.evidence_ids for turn in turns.get(id, ())]
            for question in conversation.questions
        }

    def cite(self, block: QueryBlock, k: int) -> list[Cites]:
        """The evidence, the turn that covers most of the question first; turns with score 0 stay."""
        answers = []
        for query, covered in zip(block.queries, block.turn_coverage, strict=True):
            score = {turn: float(covered[turn]) for turn in self._evidence[query.text]}
            turns = sorted(self._evidence[query.text], key=score.__getitem__, reverse=True)[:k]
            answers.append(Cites(turns, [score[turn] for turn in turns], [None] * len(turns)))
        return answers

"""The turns that the dataset itself names as evidence: what a perfect search would give the reader."""

from collections.abc import Mapping, Sequence

from locomo.memory.base import Cite
from locomo.question import QuestionBlock
from locomo.store import Store


class OracleMemory:
    """The evidence of each question text; a question asked twice takes the evidence of the last."""

    def __init__(self, store: Store, evidence: Mapping[str, Sequence[str]]) -> None:
        self._evidence = {
            question: [store.turn_index[id] for id in ids if id in store.turn_index]
            for question, ids in evidence.items()
        }

    def ask(self, block: QuestionBlock, k: int) -> list[list[Cite]]:
        """The evidence, what covers more of the question first; a score of 0 stays."""
        cites = []
        for row, question in enumerate(block.questions):
            found = [
                Cite(turn, float(block.turn_coverage[row, turn])) for turn in self._evidence[question.text]
            ]
            cites.append(sorted(found, key=lambda cite: -cite.score)[:k])
        return cites

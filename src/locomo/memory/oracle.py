"""The turns that the dataset itself names as evidence: what a perfect search would give the reader."""

from collections.abc import Mapping, Sequence

from locomo.formats.store import Store
from locomo.memory.base import Cites
from locomo.memory.query import QuestionBlock


class OracleMemory:
    """The evidence of each question text; a question asked twice takes the evidence of the last."""

    def __init__(self, store: Store, evidence: Mapping[str, Sequence[str]]) -> None:
        self._evidence = {
            question: [store.turn_index[id] for id in ids if id in store.turn_index]
            for question, ids in evidence.items()
        }

    def ask(self, block: QuestionBlock, k: int) -> list[Cites]:
        """The evidence, what covers more of the question first; a score of 0 stays."""
        answers = []
        for question, covered in zip(block.questions, block.turn_coverage, strict=True):
            score = {turn: float(covered[turn]) for turn in self._evidence[question.text]}
            turns = sorted(self._evidence[question.text], key=score.__getitem__, reverse=True)[:k]
            answers.append(Cites(turns, [score[turn] for turn in turns], [None] * len(turns)))
        return answers

"""What a memory is, and what it gives back."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from locomo.question import QuestionBlock


class Cite(NamedTuple):
    """A cited turn (index), its score (higher is better), and the phrase that fits, if the memory has one."""

    turn: int
    score: float
    phrase: str | None = None


class Memory(Protocol):
    """A question and k in, at most k cites out, best first (SPEC 8)."""

    def ask(self, block: QuestionBlock, k: int) -> list[list[Cite]]:
        """The cites of each question of the block."""
        ...


def confidence(block: QuestionBlock, row: int, cites: Sequence[Cite]) -> float:
    """How much of the question the best cited turn covers, 0 without any: the same for every memory."""
    return max((float(block.turn_coverage[row, cite.turn]) for cite in cites), default=0.0)

"""What a memory is, and what it gives back."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, overload

from locomo.memory.query import QuestionBlock


class Cite(NamedTuple):
    """A cited turn (index), its score (higher is better), and the phrase that fits, if the memory has one."""

    turn: int
    score: float
    phrase: str | None = None


@dataclass(slots=True)
class Cites(Sequence[Cite]):
    """What a memory cites for one question, best first: `Cite`s, kept as a list a field."""

    turns: Sequence[int]
    scores: Sequence[float]
    phrases: Sequence[str | None]

    def __len__(self) -> int:
        return len(self.turns)

    @overload
    def __getitem__(self, place: int) -> Cite: ...
    @overload
    def __getitem__(self, place: slice) -> "Cites": ...
    def __getitem__(self, place: int | slice) -> "Cite | Cites":
        if isinstance(place, slice):
            return Cites(self.turns[place], self.scores[place], self.phrases[place])
        return Cite(self.turns[place], self.scores[place], self.phrases[place])

    def __iter__(self) -> Iterator[Cite]:
        return map(Cite, self.turns, self.scores, self.phrases)


class Memory(Protocol):
    """A question and k in, at most k cites out, best first (SPEC 8)."""

    def ask(self, block: QuestionBlock, k: int) -> list[Cites]:
        """The cites of each question of the block."""
        ...


def confidence(block: QuestionBlock, row: int, cites: Cites) -> float:
    """How much of the question the best cited turn covers, 0 without any: the same for every memory."""
    covered = block.turn_coverage[row]
    return max((float(covered[turn]) for turn in cites.turns), default=0.0)

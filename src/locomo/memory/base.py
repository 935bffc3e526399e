"""What a memory is, and what it cites."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, overload

from locomo.memory.query import QueryBlock


class Cite(NamedTuple):
    """A cited turn (index), its score (higher is better), and the phrase that fits, if there is one."""

    turn: int
    score: float
    phrase: str | None = None


@dataclass(slots=True)
class Cites(Sequence[Cite]):
    """What a memory cites for one question, best first: `Cite`s, stored as one list per field."""

    turns: Sequence[int]
    scores: Sequence[float]
    phrases: Sequence[str | None]
    failure: str = ""
    """The error that the memory raised; empty if it did not fail."""

    def __len__(self) -> int:
        return len(self.turns)

    @overload
    def __getitem__(self, place: int) -> Cite: ...
    @overload
    def __getitem__(self, place: slice) -> "Cites": ...
    def __getitem__(self, place: int | slice) -> "Cite | Cites":
        if isinstance(place, slice):
            return Cites(self.turns[place], self.scores[place], self.phrases[place], self.failure)
        return Cite(self.turns[place], self.scores[place], self.phrases[place])

    def __iter__(self) -> Iterator[Cite]:
        return map(Cite, self.turns, self.scores, self.phrases)


class Memory(Protocol):
    """Takes questions and k; gives at most k cites for each question, best first (SPEC 8).

    A memory is made for one conversation. Ours are made as `Kind(conversation, store)`.
    """

    reads_graph: bool = False
    """Whether its cites depend on the graph; an empty graph changes no other memory."""
    nested: bool = False
    """Whether its k cites are the first k of the cites it gives for a larger k."""

    def cite(self, block: QueryBlock, k: int) -> list[Cites]:
        """The cites of each question of the block."""
        ...

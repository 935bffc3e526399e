"""What a memory is, and what it cites."""

from collections.abc import Collection, Iterator, Sequence
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
    confidence: float | None = None
    """The memory's own, from 0 to 1, in place of the one that is computed from the cited turns."""
    sourced: bool = True
    """Whether all that is cited was said in the conversation; False with texts of the memory's own."""

    def __len__(self) -> int:
        return len(self.turns)

    @overload
    def __getitem__(self, place: int) -> Cite: ...
    @overload
    def __getitem__(self, place: slice) -> "Cites": ...
    def __getitem__(self, place: int | slice) -> "Cite | Cites":
        if isinstance(place, slice):
            part = (self.turns[place], self.scores[place], self.phrases[place])
            return Cites(*part, self.failure, self.confidence, self.sourced)
        return Cite(self.turns[place], self.scores[place], self.phrases[place])

    def __iter__(self) -> Iterator[Cite]:
        return map(Cite, self.turns, self.scores, self.phrases)


UNCUT = 2000
"""The k of whoever asks for all that a memory finds: more turns than any conversation of LoCoMo has."""


class Memory(Protocol):
    """Takes questions and k; gives at most k cites for each question, best first (SPEC 8).

    A memory is made for one conversation. Ours are made as `Kind(conversation, store)`.
    """

    reads_graph: bool = False
    """Whether its cites depend on the graph; an empty graph changes no other memory."""
    nested: bool = False
    """Whether its k cites are the first k of the cites it gives for a larger k."""
    ks: Collection[int] | None = None
    """The only k that it can be asked for; None for any."""

    def cite(self, block: QueryBlock, k: int) -> list[Cites]:
        """The cites of each question of the block."""
        ...

    def source(self, block: QueryBlock) -> QueryBlock:
        """The block whose store has what is cited: the same, unless the memory cites other than turns."""
        return block

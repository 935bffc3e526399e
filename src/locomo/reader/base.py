"""What a reader is: a question and cites in, a reply out (SPEC 9).

A reader sees neither the question's category nor the arm it reads for.
"""

from collections.abc import Callable
from itertools import accumulate
from typing import Any, NamedTuple, Protocol, TypeVar

from locomo.core.settings import Base, Settings
from locomo.memory.base import Cites
from locomo.memory.query import QueryBlock

T = TypeVar("T")


class ReaderSettings(NamedTuple):
    """How many cites to read (`k`), when to abstain (`floor`), and what the fixed readers lift (the rest)."""

    k: int
    floor: float
    span: int
    band: float
    parts: int

    @classmethod
    def of(cls, chosen: Settings | Base) -> "ReaderSettings":
        """Those of a run, or of the base of its sweeps."""
        return cls(chosen.k, chosen.floor, chosen.span, chosen.band, chosen.parts)


class Reply(NamedTuple):
    """The text of a reply, its confidence (0 to 1), and why the reader failed, if it did."""

    text: str
    confidence: float
    failure: str = ""


class Prepared(Protocol):
    """One question and its cites, with everything done that no setting changes."""

    def reply(self, settings: ReaderSettings) -> Reply:
        """The reply at some settings, to the first `k` of the cites.

        With a confidence below `floor` the text is the abstention. The floor changes nothing else, so that a
        sweep may ask once without a floor and work out all of its values.
        """
        ...


class AskedQuestion:
    """One question of a block in front of the readers."""

    def __init__(self, block: QueryBlock, row: int) -> None:
        self.block = block
        self.row = row
        self.store = block.store
        self.query = block.queries[row]
        self._covered: list[float] = block.turn_coverage[row].tolist()
        self._shared: dict[Any, Any] = {}

    def confidences(self, cites: Cites) -> list[float]:
        """The confidence in the first of the cites, in the first two, ...; without any cite it is 0.

        It is how much of the question the best of these turns covers, the same for every memory that does
        not give a confidence of its own.
        """
        if cites.confidence is not None:
            return [cites.confidence] * len(cites)
        return list(accumulate([self._covered[turn] for turn in cites.turns], max))

    def shared(self, make: "Callable[[AskedQuestion], T]") -> T:
        """`make(self)`, called once and shared by all readers that ask for it."""
        if make not in self._shared:
            self._shared[make] = make(self)
        found: T = self._shared[make]
        return found


class Reader(Protocol):
    """How cited turns are turned into a reply.

    One that learns has a method `fit(conversations)`, which gets the conversations that it does not read,
    with questions and evidence, and returns JSON.
    """

    uses: tuple[str, ...] = ReaderSettings._fields
    """The settings that it reads; a sweep varies only these."""

    def prepare(self, question: AskedQuestion, cites: Cites) -> Prepared:
        """Read what does not depend on the settings; `cites` did not fail, may be empty, or more than k."""
        ...

    def fitted(self, value: Any) -> "Reader":
        """The same reader with what its `fit` returned."""
        return self

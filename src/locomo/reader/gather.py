"""The reader that gathers: the phrases of all cites (`+set`)."""

from collections.abc import Iterator

from locomo.memory.base import Cites
from locomo.reader.base import ReaderSettings
from locomo.reader.lifting import Lifting, LiftingReader


class GatherReader(LiftingReader):
    """Phrases of all cites."""

    uses = ("k", "floor", "span")

    def lift(self, lifting: Lifting, cites: Cites, span: int) -> Iterator[str]:
        """A phrase a cite."""
        return lifting.phrases(cites, span)

    def extent(self, cites: Cites, settings: ReaderSettings) -> tuple[int, int]:
        """All of them, and as many parts."""
        return len(cites), len(cites)

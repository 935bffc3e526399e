"""The plain reader: the heaviest words of the best cited turns."""

from collections.abc import Iterator

from locomo.memory.base import Cites
from locomo.reader.base import ReaderSettings
from locomo.reader.lifting import Lifting, LiftingReader, within_band


class ReplyReader(LiftingReader):
    """Spans of the cites within the band."""

    def lift(self, lifting: Lifting, cites: Cites, span: int) -> Iterator[str]:
        """A span a cite."""
        return lifting.spans(cites, span)

    def takes_spans(self, cites: Cites) -> bool:
        """Always."""
        return True

    def extent(self, cites: Cites, settings: ReaderSettings) -> tuple[int, int]:
        """Those within the band."""
        return within_band(cites, settings)

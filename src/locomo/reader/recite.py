"""The reader that recites claims: the phrases of the best cites (`+edge`)."""

from collections.abc import Iterator

from locomo.memory.base import Cites
from locomo.reader.base import ReaderSettings
from locomo.reader.lifting import Lifting, LiftingReader, within_band


class ReciteReader(LiftingReader):
    """Phrases of the cites within the band."""

    def lift(self, lifting: Lifting, cites: Cites, span: int) -> Iterator[str]:
        """A phrase a cite."""
        return lifting.phrases(cites, span)

    def extent(self, cites: Cites, settings: ReaderSettings) -> tuple[int, int]:
        """Those within the band."""
        return within_band(cites, settings)

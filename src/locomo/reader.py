"""The fixed readers: a question, cites and a confidence in, a reply out (SPEC 9).

A reader sees neither the question's category nor the arm it reads for.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from itertools import takewhile

from locomo.dataset import ABSTENTION, MONTHS
from locomo.lexicon import lexicon
from locomo.memory.base import Cite
from locomo.question import QuestionBlock
from locomo.text import stem, words


@dataclass(frozen=True, slots=True)
class ReaderSettings:
    """When to decline (`floor`), how many words to lift (`span`), which cites to use (`band`, `parts`)."""

    floor: float
    span: int
    band: float
    parts: int


class Reading:
    """One question in front of a reader: what it can lift out of a cited turn."""

    def __init__(self, block: QuestionBlock, row: int) -> None:
        self._store = block.store
        question = block.questions[row]
        self._asked = set(question.stems)
        interrogatives = lexicon().interrogatives
        self.asks_when = next((word for word in question.words if word in interrogatives), "") == "when"
        """Whether the first interrogative among the question's words is "when"."""
        self._covered = block.sentence_coverage[row]
        self._spans: dict[tuple[int, int], str] = {}
        self._phrases: dict[str, str] = {}

    def span(self, turn: int, length: int) -> str:
        """The `length` heaviest new words of the turn's best sentence that is no question, in their order."""
        known = self._spans.get((turn, length))
        if known is None:
            known = self._spans[turn, length] = self._make_span(turn, length)
        return known

    def _make_span(self, turn: int, length: int) -> str:
        sentences = [s for s in self._sentences(turn) if not self._store.sentences.asks[s]]
        if not sentences:
            return ""
        content = self._store.content(self._best(sentences))
        new = [(weight, word) for word, stem, weight in content if stem not in self._asked]
        heaviest = sorted(range(len(new)), key=lambda place: -new[place][0])[:length]
        return " ".join(new[place][1] for place in sorted(heaviest))

    def phrase(self, cite: Cite, length: int) -> str:
        """The new words of the cite's phrase, or it whole if it has none; the span if there is no phrase."""
        if not cite.phrase:
            return self.span(cite.turn, length)
        known = self._phrases.get(cite.phrase)
        if known is None:
            new = [word for word, stem in _content(cite.phrase) if stem not in self._asked]
            known = self._phrases[cite.phrase] = " ".join(new) or cite.phrase
        return known

    def date(self, turn: int) -> str:
        """The day of the first month name in the turn's best sentence, of "yesterday", or of its session."""
        session = date.fromisoformat(self._store.turns.day[turn])
        sentences = self._sentences(turn)
        spoken = self._store.sentences.words[self._best(sentences)].split() if sentences else []
        months = lexicon().months
        for place, word in enumerate(spoken):
            if word in months:
                return _dated(months[word], _day(spoken, place), session)
        return _long(session - timedelta(days=1) if "yesterday" in spoken else session)

    def _sentences(self, turn: int) -> range:
        bounds = self._store.sentence_bounds
        return range(bounds[turn], bounds[turn + 1])

    def _best(self, sentences: Sequence[int]) -> int:
        """The sentence that covers most of the question, the first of equals."""
        return max(sentences, key=self._covered.__getitem__)


def reply(reading: Reading, cites: Sequence[Cite], settings: ReaderSettings) -> str:
    """The spans of the cites within the band, at most `parts`."""
    return _join((reading.span(c.turn, settings.span) for c in _within(cites, settings.band)), settings.parts)


def recite(reading: Reading, cites: Sequence[Cite], settings: ReaderSettings) -> str:
    """The phrases of the cites within the band, at most `parts`."""
    return _join((reading.phrase(c, settings.span) for c in _within(cites, settings.band)), settings.parts)


def gather(reading: Reading, cites: Sequence[Cite], settings: ReaderSettings) -> str:
    """The phrases of all cites."""
    return _join((reading.phrase(c, settings.span) for c in cites), len(cites))


Reader = Callable[[Reading, Sequence[Cite], ReaderSettings], str]


def read(
    reader: Reader, reading: Reading, cites: Sequence[Cite], confidence: float, settings: ReaderSettings
) -> str:
    """The reply of a reader, or that there is no information."""
    if not cites or confidence < settings.floor:
        return ABSTENTION
    if reading.asks_when:
        return reading.date(cites[0].turn)
    return reader(reading, cites, settings) or ABSTENTION


def _within(cites: Sequence[Cite], band: float) -> Iterator[Cite]:
    least = band * cites[0].score
    return takewhile(lambda cite: cite.score >= least, cites)


def _join(pieces: Iterable[str], most: int) -> str:
    kept: dict[str, None] = {}
    for piece in pieces:
        if piece:
            kept[piece] = None
        if len(kept) == most:
            break
    return ", ".join(kept)


@lru_cache(maxsize=65536)
def _content(phrase: str) -> list[tuple[str, str]]:
    stop_words = lexicon().stop_words
    return [(word, stem(word)) for word in words(phrase) if word not in stop_words]


def _day(spoken: Sequence[str], month: int) -> int:
    """The day beside a month name: the next word if that is a number other than 0, else the word before."""
    after = _number(spoken[month + 1]) if month + 1 < len(spoken) else 0
    return after or (_number(spoken[month - 1]) if month > 0 else 0)


def _number(word: str) -> int:
    # Longer ones are no dates, and Python refuses to read thousands of digits.
    return int(word) if word.isascii() and word.isdigit() and len(word) < 10 else 0


def _dated(month: int, day: int, session: date) -> str:
    """A month and day of the last year that has that month at or before the session's."""
    year = session.year - (month > session.month)
    if not 1 <= day <= 31:
        # "7 May 2023" comes here too, its next word being 2023: the published figures were made so.
        return f"{MONTHS[month - 1]} {year}"
    # A day past the month's end runs into the next month.
    return _long(date(year, month, 1) + timedelta(days=day - 1))


def _long(day: date) -> str:
    return f"{day.day} {MONTHS[day.month - 1]}, {day.year}"

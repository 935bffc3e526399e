"""The fixed readers: a question, cites and a confidence in, a reply out (SPEC 9).

A reader sees neither the question's category nor the arm it reads for.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import NamedTuple

from locomo.formats.dataset import ABSTENTION, MONTHS
from locomo.memory.base import Cites
from locomo.memory.query import QuestionBlock
from locomo.text.lexicon import lexicon


class ReaderSettings(NamedTuple):
    """When to decline (`floor`), how many words to lift (`span`), which cites to use (`band`, `parts`)."""

    floor: float
    span: int
    band: float
    parts: int


class Reading:
    """One question in front of a reader: what it can lift out of a cited turn."""

    def __init__(self, block: QuestionBlock, row: int) -> None:
        self.block = block
        self.row = row
        self._store = block.store
        question = block.questions[row]
        self._asked = set(question.stems)
        interrogatives = lexicon().interrogatives
        self.asks_when = next((word for word in question.words if word in interrogatives), "") == "when"
        """Whether the first interrogative among the question's words is "when"."""
        self._covered = block.sentence_coverage[row]
        self._spoken: dict[int, tuple[list[str], list[int]]] = {}
        self._spans: dict[tuple[int, int], str] = {}
        self._phrases: dict[str, str] = {}

    def span(self, turn: int, length: int) -> str:
        """The `length` heaviest new words of the turn's best sentence that is no question, in their order."""
        known = self._spans.get((turn, length))
        if known is None:
            new, heaviest = self._new_words(turn)
            known = " ".join([new[place] for place in sorted(heaviest[:length])])
            self._spans[turn, length] = known
        return known

    def _new_words(self, turn: int) -> tuple[list[str], list[int]]:
        """The new words of the turn's best sentence, and their places, the heaviest first."""
        known = self._spoken.get(turn)
        if known is None:
            asks = self._store.sentences.asks
            sentences = [sentence for sentence in self._sentences(turn) if not asks[sentence]]
            content = self._store.content(self._best(sentences)) if sentences else []
            new = [(word, weight) for word, stem, weight in content if stem not in self._asked]
            heaviest = sorted(range(len(new)), key=lambda place: -new[place][1])
            known = self._spoken[turn] = [word for word, _ in new], heaviest
        return known

    def phrase(self, turn: int, phrase: str | None, length: int) -> str:
        """The new words of the phrase, or it whole if it has none; the span of the turn without a phrase."""
        if not phrase:
            return self.span(turn, length)
        known = self._phrases.get(phrase)
        if known is None:
            new = [word for word, stem in self._store.phrase(phrase) if stem not in self._asked]
            known = self._phrases[phrase] = " ".join(new) or phrase
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


@dataclass(frozen=True, slots=True)
class Reader:
    """What a reader makes a reply of: spans or phrases, of the cites within the band or of all."""

    phrases: bool
    """Whether it takes the phrase of a cite that has one; else the span of its turn."""
    banded: bool
    """Whether `band` and `parts` limit it; else it joins all that there is."""

    def extent(self, cites: Cites, settings: ReaderSettings) -> tuple[int, int]:
        """How many of the cites are read, and of how many parts the reply may be at most."""
        if not self.banded:
            return len(cites), len(cites)
        least = settings.band * cites.scores[0]
        below = (place for place, score in enumerate(cites.scores) if not score >= least)
        return next(below, len(cites)), settings.parts

    def parts(self, reading: Reading, cites: Cites, span: int) -> "Parts":
        """What can be lifted out of the cites."""
        if self.phrases:
            return Parts(
                reading.phrase(turn, phrase, span)
                for turn, phrase in zip(cites.turns, cites.phrases, strict=True)
            )
        return Parts(reading.span(turn, span) for turn in cites.turns)


class Parts:
    """What is lifted out of each cite in turn, made when it is needed, and each text kept once."""

    def __init__(self, lifted: Iterable[str]) -> None:
        self._lifted = iter(lifted)
        self._read = 0
        self._kept: dict[str, int] = {}
        """Of each text the number of cites read before it."""

    def joined(self, read: int, most: int) -> str:
        """The texts of the first cites, so many at most; "" if they give none."""
        while self._read < read and len(self._kept) < most:
            part = next(self._lifted)
            if part:
                self._kept.setdefault(part, self._read)
            self._read += 1
        return ", ".join([part for part, before in self._kept.items() if before < read][:most])


reply = Reader(phrases=False, banded=True)
recite = Reader(phrases=True, banded=True)
gather = Reader(phrases=True, banded=False)


def read(reader: Reader, reading: Reading, cites: Cites, confidence: float, settings: ReaderSettings) -> str:
    """The reply of a reader, or that there is no information."""
    if not len(cites) or confidence < settings.floor:
        return ABSTENTION
    if reading.asks_when:
        return reading.date(cites.turns[0])
    return reader.parts(reading, cites, settings.span).joined(*reader.extent(cites, settings)) or ABSTENTION


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

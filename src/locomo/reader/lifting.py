"""What the fixed readers share: lifting words, phrases and dates out of cited turns (SPEC 9)."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta
from typing import Protocol

from locomo.formats.dataset import ABSTENTION, MONTHS
from locomo.memory.base import Cites
from locomo.reader.base import AskedQuestion, Reader, ReaderSettings, Reply
from locomo.text.lexicon import lexicon


class Lifting:
    """What can be copied out of a cited turn for one question; each text is worked out once."""

    def __init__(self, question: AskedQuestion) -> None:
        self._store = question.store
        self._asked = set(question.query.stems)
        interrogatives = lexicon().interrogatives
        self.asks_when = next((word for word in question.query.words if word in interrogatives), "") == "when"
        """Whether the first interrogative among the question's words is "when"."""
        self._covered = question.block.sentence_coverage[question.row]
        self._new: dict[int, _NewWords] = {}
        self._phrases: dict[str, str] = {}
        self._dates: dict[int, str] = {}

    def spans(self, cites: Cites, length: int) -> Iterator[str]:
        """The span of each cited turn."""
        return (self.span(turn, length) for turn in cites.turns)

    def phrases(self, cites: Cites, length: int) -> Iterator[str]:
        """The new words of the phrase of each cite, or it whole if it has none; without a phrase the span."""
        pairs = zip(cites.turns, cites.phrases, strict=True)
        return (self._phrase(phrase) if phrase else self.span(turn, length) for turn, phrase in pairs)

    def span(self, turn: int, length: int) -> str:
        """The `length` heaviest new words of the turn's best sentence that is no question, in their order."""
        return self._new_words(turn).heaviest(length)

    def longest(self, turns: Iterable[int]) -> int:
        """The largest number of new words of any of the turns: longer spans change nothing."""
        return max([self._new_words(turn).count for turn in turns])

    def _new_words(self, turn: int) -> "_NewWords":
        known = self._new.get(turn)
        if known is None:
            asks = self._store.sentences.asks
            statements = [sentence for sentence in self._sentences(turn) if not asks[sentence]]
            content = self._store.content(self._best(statements)) if statements else []
            new = [(word, weight) for word, stem, weight in content if stem not in self._asked]
            known = self._new[turn] = _NewWords(new)
        return known

    def _phrase(self, phrase: str) -> str:
        known = self._phrases.get(phrase)
        if known is None:
            new = [word for word, stem in self._store.phrase(phrase) if stem not in self._asked]
            known = self._phrases[phrase] = " ".join(new) or phrase
        return known

    def date(self, turn: int) -> str:
        """The day of the first month name in the turn's best sentence, of "yesterday", or of its session."""
        if turn not in self._dates:
            self._dates[turn] = self._date(turn)
        return self._dates[turn]

    def _date(self, turn: int) -> str:
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
        return max(sentences, key=self._covered.__getitem__) if len(sentences) > 1 else sentences[0]


class _NewWords:
    """The words of a sentence that are not in the question, with their weights."""

    def __init__(self, words: Sequence[tuple[str, float]]) -> None:
        self.count = len(words)
        self._words = words
        self._spans = {self.count: " ".join([word for word, _ in words])}

    def heaviest(self, length: int) -> str:
        """The `length` heaviest words, the first of equals, in their order in the sentence."""
        length = min(length, self.count)
        if length not in self._spans:
            heaviest = sorted(range(self.count), key=lambda place: -self._words[place][1])[:length]
            self._spans[length] = " ".join([self._words[place][0] for place in sorted(heaviest)])
        return self._spans[length]


class LiftingReader(Reader, Protocol):
    """A reader that joins texts copied out of the cites, or gives a date if the question asks "when"."""

    def lift(self, lifting: Lifting, cites: Cites, span: int) -> Iterator[str]:
        """The text of each cite; "" for nothing."""
        ...

    def takes_spans(self, cites: Cites) -> bool:
        """Whether the length of a span matters to what is lifted."""
        return not all(cites.phrases)

    def extent(self, cites: Cites, settings: ReaderSettings) -> tuple[int, int]:
        """How many of the cites are read at most, and how many parts the reply has at most."""
        ...

    def prepare(self, question: AskedQuestion, cites: Cites) -> "LiftedReply":
        """Texts are lifted when a reply needs them."""
        return LiftedReply(self, question, cites)


class LiftedReply:
    """What a `LiftingReader` makes of one question and its cites."""

    def __init__(self, reader: LiftingReader, question: AskedQuestion, cites: Cites) -> None:
        self._reader = reader
        self._lifting = question.shared(Lifting)
        self._cites = cites
        self._confidences = question.confidences(cites)
        self._takes_spans = reader.takes_spans(cites)
        self._extents: dict[tuple[float, int], tuple[int, int]] = {}
        self._longest: dict[int, int] = {}
        self._parts: dict[int, _Parts] = {}
        self._texts: dict[tuple[int, int, int], str] = {}

    def reply(self, settings: ReaderSettings) -> Reply:
        """The date, or the parts lifted, joined by commas; the abstention where there are none."""
        k, floor, span, band, parts = settings
        if k > len(self._confidences):
            k = len(self._confidences)
        confidence = self._confidences[k - 1] if k else 0.0
        if not k or confidence < floor:
            return Reply(ABSTENTION, confidence)
        if self._lifting.asks_when:
            return Reply(self._lifting.date(self._cites.turns[0]), confidence)
        extent = self._extents.get((band, parts))
        if extent is None:
            extent = self._extents[band, parts] = self._reader.extent(self._cites, settings)
        read, most = extent
        # Most settings give the same text: parts are at most the cites, and spans at most the sentences.
        if read > k:
            read = k
        if most > read:
            most = read
        key = read, most, self._useful_span(read, span)
        text = self._texts.get(key)
        if text is None:
            text = self._texts[key] = self._joined(*key) or ABSTENTION
        return Reply(text, confidence)

    def _useful_span(self, read: int, span: int) -> int:
        """The span, or the shortest one that gives the same texts."""
        if not self._takes_spans:
            return 0
        longest = self._longest.get(read)
        if longest is None:
            longest = self._longest[read] = self._lifting.longest(self._cites.turns[:read])
        return min(span, longest)

    def _joined(self, read: int, most: int, span: int) -> str:
        parts = self._parts.get(span)
        if parts is None:
            parts = self._parts[span] = _Parts(self._reader.lift(self._lifting, self._cites, span))
        return parts.joined(read, most)


class _Parts:
    """What is lifted out of each cite, in order and on demand; each different text once."""

    def __init__(self, lifted: Iterator[str]) -> None:
        self._lifted = lifted
        self._read = 0
        self._kept: dict[str, int] = {}
        """Of each text the number of cites read before it."""

    def joined(self, read: int, most: int) -> str:
        """The first `most` texts of the first `read` cites; "" if there are none."""
        kept = self._kept
        while self._read < read and len(kept) < most:
            part = next(self._lifted)
            if part and part not in kept:
                kept[part] = self._read
            self._read += 1
        if self._read <= read and len(kept) <= most:
            return ", ".join(kept)
        return ", ".join([part for part, before in kept.items() if before < read][:most])


def within_band(cites: Cites, settings: ReaderSettings) -> tuple[int, int]:
    """The cites before the first that scores below `band` times the best, and `parts` parts at most."""
    least = settings.band * cites.scores[0]
    for place, score in enumerate(cites.scores):
        if not score >= least:
            return place, settings.parts
    return len(cites), settings.parts


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

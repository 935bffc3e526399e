"""Claims from talk: who said what about whom, sentence by sentence, with word lists only (SPEC 4)."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from locomo.formats.dataset import Conversation
from locomo.text.lexicon import lexicon
from locomo.text.tokens import words_and_fields

LONGEST_OBJECT = 6
LONGEST_NAME = 3


class Sentence(NamedTuple):
    """One sentence of one turn: its text as written, its words joined by spaces, the index of the turn."""

    text: str
    words: str
    turn: int
    fields: list[str]
    """All fields of the normalised text, including those that are not words."""

    @property
    def asks(self) -> bool:
        """Whether the sentence is a question."""
        return self.text.endswith("?")


class Claim(NamedTuple):
    """A subject, predicate and object, the index of the turn, and of the sentence (None if derived)."""

    subject: str
    predicate: str
    object: str
    turn: int
    sentence: int | None

    @property
    def fact(self) -> tuple[str, str, str]:
        """What is claimed, without its turn and sentence."""
        return self.subject, self.predicate, self.object


def read_claims(
    conversation: Conversation, sentences: Sequence[Sentence], names: Sequence[str]
) -> list[Claim]:
    """All claims, sentence by sentence; naming claims come last in a sentence."""
    speakers = (conversation.speaker_a, conversation.speaker_b)
    # A speaker's name keeps its spelling; other known names are lower-cased.
    people = {name: name for name in names} | {speaker.lower(): speaker for speaker in speakers}
    claims = []
    for index, sentence in enumerate(sentences):
        if sentence.asks:
            continue
        speaker = conversation.turns[sentence.turn].speaker
        other = speakers[1] if speaker == speakers[0] else speakers[0]
        for subject, predicate, object_ in _claims(sentence.words.split(), speaker, other, people):
            claims.append(Claim(subject, predicate, object_, sentence.turn, index))
    return claims


def sentence_of(text: str, turn: int) -> Sentence:
    """Make a sentence from its text and the index of its turn."""
    words, fields = words_and_fields(text)
    return Sentence(text, " ".join(words), turn, fields)


def _claims(
    words: Sequence[str], speaker: str, other: str, people: dict[str, str]
) -> Iterator[tuple[str, str, str]]:
    subject, rest = _subject(words, speaker, other, people)
    predicate, objects = _predicate(rest)
    for run in _runs(objects):
        yield subject, predicate, " ".join(run)
    yield from _namings(words)


def _subject(
    words: Sequence[str], speaker: str, other: str, people: dict[str, str]
) -> tuple[str, Sequence[str]]:
    """Whom the sentence is about, and the words after the mention; the speaker and all words without one."""
    lists = lexicon()
    for place, word in enumerate(words):
        if word in lists.first_person:
            return speaker, words[place + 1 :]
        if word in lists.second_person:
            return other, words[place + 1 :]
        if word in people:
            return people[word], words[place + 1 :]
    return speaker, words


def _is_verbal(word: str) -> bool:
    lists = lexicon()
    return (
        word in lists.auxiliaries
        or word in lists.verbs
        or (word.endswith(("ing", "ed")) and len(word.encode()) > 4)
    )


def _predicate(rest: Sequence[str]) -> tuple[str, Sequence[str]]:
    """The predicate and the words after it; without a verbal word, `about` and all words."""
    lists = lexicon()
    negated = False
    for place, word in enumerate(rest):
        # "nothing" is a negation and ends in "ing": it counts as both.
        negated = negated or word in lists.negations
        if not _is_verbal(word):
            continue
        if word in lists.auxiliaries:
            place, negated_behind = _main_verb(rest, place)
            negated = negated or negated_behind
        verb = rest[place]
        return ("not " + verb if negated else verb), rest[place + 1 :]
    return "about", rest


def _main_verb(rest: Sequence[str], auxiliary: int) -> tuple[int, bool]:
    """The place of an auxiliary's main verb, or its own without one; and whether a negation lies between."""
    lists = lexicon()
    negated = False
    for place in range(auxiliary + 1, len(rest)):
        word = rest[place]
        if word in lists.negations:
            negated = True
        elif not _is_verbal(word):
            break
        elif word not in lists.auxiliaries:
            return place, negated
    return auxiliary, negated


def _runs(words: Iterable[str]) -> Iterator[list[str]]:
    """Runs of content words, cut at stop words and after `LONGEST_OBJECT` words."""
    stop_words = lexicon().stop_words
    run: list[str] = []
    for word in words:
        if word not in stop_words:
            run.append(word)
        if run and (word in stop_words or len(run) == LONGEST_OBJECT):
            yield run
            run = []
    if run:
        yield run


def _namings(words: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """(thing, named, name) at each "named" or "called"."""
    stop_words = lexicon().stop_words
    for place, word in enumerate(words):
        if word not in ("named", "called"):
            continue
        end = place
        while end > 0 and words[end - 1] in stop_words:
            end -= 1
        start = end
        while start > max(0, end - LONGEST_NAME) and words[start - 1] not in stop_words:
            start -= 1
        stop = place + 1
        while stop < min(len(words), place + 1 + LONGEST_NAME) and words[stop] not in stop_words:
            stop += 1
        if start < end and place + 1 < stop:
            yield " ".join(words[start:end]), "named", " ".join(words[place + 1 : stop])

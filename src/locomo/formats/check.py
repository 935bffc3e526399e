"""What is wrong with a file in the dataset's format, and what is merely odd (SPEC 1).

Wrong is what `dataset.read` refuses. It stops at the first fault. Here the same steps are taken, and all
faults are found. Odd is what is read, but may not be what its author meant.
"""

import difflib
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

from locomo.core import json_input
from locomo.core.files import digest
from locomo.core.json_input import Fault, expect, place
from locomo.core.messages import quoted
from locomo.formats import dataset
from locomo.formats.dataset import Category, Conversation, Turn, folded, turns_by_id

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Checked:
    """What a file holds, and what was found in it."""

    sha256: str
    holds: Mapping[str, int]
    """The numbers of conversations, sessions, turns and questions, right or wrong."""
    wrong: Sequence[str]
    """Each fault, with its place."""
    odd: Mapping[str, Sequence[str]]
    """The places of each kind of odd thing; the kinds are those of `MEANINGS`."""


def check(path: Path) -> Checked:
    """Check a file. Raises LocomoError if it is no JSON."""
    content = json_input.parse(path, _Object)
    faults = _Faults()
    records = faults.attempt(expect, content, list) or []
    odd: dict[str, list[str]] = {}
    ids: list[str] = []
    for index, record in enumerate(records):
        name = place(record, index, "conversation", "sample_id")
        conversation = _conversation(record, faults.at(name))
        found = list(_odd_keys(record, name))
        if conversation:
            ids.append(conversation.sample_id.lower())  # as `dataset.read` compares them
            found += _odd(conversation, record)
        for what, where in found:
            odd.setdefault(what, []).append(where)
    for id, count in Counter(ids).items():
        if count > 1:
            faults.add(f"sample_id: {id!r} is there {count} times; each must be its own")
    holds = _holds(records)
    if isinstance(content, list) and not records:
        faults.add("holds no conversation")
    elif not holds["questions"] and not faults.found:
        faults.add("holds no question; expected lists of them under qa")
    return Checked(digest(path), holds, faults.found, {what: odd[what] for what in MEANINGS if what in odd})


class _Object(dict[str, Any]):
    """An object of a JSON file, and the keys that it has more than once."""

    def __init__(self, pairs: Sequence[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        keys = [key for key, _ in pairs] if len(pairs) > len(self) else ()
        self.repeated = [key for key, count in Counter(keys).items() if count > 1]


@dataclass(frozen=True, slots=True)
class _Faults:
    """The faults of a file, and the place that is looked at."""

    place: str = ""
    found: list[str] = field(default_factory=list)

    def at(self, place: str) -> "_Faults":
        """The same at a place inside this one."""
        return _Faults(f"{self.place}{place}, ", self.found)

    def add(self, fault: object) -> None:
        """Note a fault at this place."""
        self.found.append(f"{self.place}{fault}")

    def attempt(self, step: Callable[..., T], *arguments: Any) -> T | None:
        """What a step makes; None if it finds a fault, which is noted."""
        try:
            return step(*arguments)
        except Fault as fault:
            self.add(fault)
            return None

    def each(self, step: Callable[[Any], T], records: Iterable[Any], key: str, id_key: str = "") -> list[T]:
        """What a step makes of each object of a list, without those that have a fault."""
        made = []
        for index, record in enumerate(records):
            at = self.at(place(record, index, key, id_key))
            if at.attempt(expect, record, dict) is not None and (one := at.attempt(step, record)) is not None:
                made.append(one)
        return made


def _conversation(record: Any, faults: _Faults) -> Conversation | None:
    """The steps of `dataset.read_conversation`; None if one of them finds a fault."""
    if faults.attempt(expect, record, dict) is None:
        return None
    before = len(faults.found)
    faults.attempt(dataset.read_sample_id, record)
    talk = faults.attempt(json_input.field, record, "conversation", dict)
    questions = faults.attempt(json_input.field, record, "qa", list) or []
    asked = faults.each(dataset.read_question, questions, "qa")
    if talk is not None:
        faults.attempt(dataset.read_speakers, talk)
        in_order = len(faults.found)
        faults.attempt(dataset.check_sessions, dataset.session_keys(talk))
        turns = [turn for key in dataset.session_keys(talk) for turn in _turns(talk, key, faults)]
        if len(faults.found) == in_order:
            faults.attempt(dataset.check_turns, turns, asked)
    return dataset.read_conversation(record) if len(faults.found) == before else None


def _turns(talk: dict[str, Any], key: str, faults: _Faults) -> list[Turn]:
    date = faults.attempt(dataset.read_date, talk, key) or datetime.min
    said = faults.attempt(json_input.field, talk, key, list) or []
    number = int(key.removeprefix("session_"))
    return faults.each(lambda turn: dataset.read_turn(turn, date, number), said, key, "dia_id")


def _holds(records: Iterable[Any]) -> dict[str, int]:
    """What the file would hold if all of it were right."""
    counts = dict.fromkeys(("conversations", "sessions", "turns", "questions"), 0)
    for record in records:
        counts["conversations"] += 1
        known = record if isinstance(record, dict) else {}
        talk = known.get("conversation")
        talk = talk if isinstance(talk, dict) else {}
        lists = [talk[key] for key in dataset.session_keys(talk) if isinstance(talk[key], list)]
        counts["sessions"] += len(lists)
        counts["turns"] += sum(map(len, lists))
        counts["questions"] += len(known["qa"]) if isinstance(known.get("qa"), list) else 0
    return counts


# ---- what is odd

NO_TURN = "evidence ids that name no turn"
SEVERAL = "of these, texts that hold several ids"
NO_EVIDENCE = "questions without evidence"
TWICE = "questions asked twice in one conversation"
NO_TRAP = "adversarial questions without an adversarial_answer"
NUMBER = "answers that are numbers"
NO_SESSION = "dates of sessions that are not there"
EMPTY = "sessions without turns"
OUT_OF_ORDER = "sessions with a date before that of the session in front of them"
NEVER_SPEAKS = "speakers who never speak"
THIRD = "turns of somebody who is neither speaker_a nor speaker_b"
REPEATED = "keys that stand twice in one object"
MISSPELT = "unknown keys that look misspelt"
NO_SPACES = "conversations in a script without spaces between words"
MEANINGS = {
    NO_TURN: "Recall counts them as never found.",
    SEVERAL: "Each id should be a text of its own.",
    NO_EVIDENCE: "Their recall is always 1.",
    TWICE: "The oracle answers both with the evidence of the last.",
    NO_TRAP: "They are scored all the same: the right reply abstains.",
    NUMBER: "They are read as text.",
    NO_SESSION: "They are skipped.",
    EMPTY: "They are counted as sessions.",
    OUT_OF_ORDER: "Sessions keep the order of their numbers.",
    NEVER_SPEAKS: "Perhaps a name is spelt in two ways.",
    THIRD: "They are read. What they say to `you` is taken to be about speaker_a.",
    REPEATED: "The last one counts, the others are lost.",
    MISSPELT: "They are ignored.",
    NO_SPACES: "A whole sentence counts as one word, so that F1 and most of our arms mean little there.",
}
"""What each odd thing does, in the order of the report."""

Odd = tuple[str, str]
"""What is odd, and where."""


def _odd(conversation: Conversation, record: dict[str, Any]) -> Iterator[Odd]:
    """What is odd about a conversation that can be read."""
    yield from _odd_questions(conversation, record["qa"])
    yield from _odd_talk(conversation, record["conversation"])


def _odd_questions(conversation: Conversation, records: Sequence[dict[str, Any]]) -> Iterator[Odd]:
    known = turns_by_id(conversation)
    before: set[str] = set()
    for question, record in zip(conversation.questions, records, strict=True):
        where = f"{conversation.sample_id}/{question.index}"
        for id in question.evidence_ids:
            if id not in known:
                yield NO_TURN, f"{where} {quoted(id)}"
                if len(re.findall(r"D:?[0-9]+:[0-9]+|S[0-9]+", id)) > 1:
                    yield SEVERAL, f"{where} {quoted(id)}"
        if not question.evidence:
            yield NO_EVIDENCE, where
        text = folded(question.question)
        if text in before:
            yield TWICE, where
        before.add(text)
        if question.category is Category.ADVERSARIAL and not record.get("adversarial_answer"):
            yield NO_TRAP, where
        if isinstance(record.get("answer"), (int, float)):
            yield NUMBER, f"{where} {record['answer']}"


def _odd_talk(conversation: Conversation, talk: dict[str, Any]) -> Iterator[Odd]:
    sample, keys = conversation.sample_id, dataset.session_keys(talk)
    for key in talk:
        session = key.removesuffix("_date_time")
        if session != key and dataset.session_keys({session: None}) and session not in talk:
            yield NO_SESSION, f"{sample} {key}"
    for key in keys:
        if not talk[key]:
            yield EMPTY, f"{sample} {key}"
    for earlier, later in pairwise(keys):
        if dataset.read_date(talk, later) < dataset.read_date(talk, earlier):
            yield OUT_OF_ORDER, f"{sample} {later}"
    speakers = (conversation.speaker_a, conversation.speaker_b)
    spoken = {turn.speaker for turn in conversation.turns}
    for name in speakers:
        if name not in spoken:
            yield NEVER_SPEAKS, f"{sample} {quoted(name)}"
    for turn in conversation.turns:
        if turn.speaker not in speakers:
            yield THIRD, f"{sample} {quoted(turn.id)} {quoted(turn.speaker)}"
    if script := _without_spaces(turn.text for turn in conversation.turns):
        yield NO_SPACES, f"{sample} ({script})"


_KEYS = {
    "": ("sample_id", "conversation", "qa", "event_summary", "observation", "session_summary"),
    "conversation": ("speaker_a", "speaker_b", "session_#", "session_#_date_time"),
    "qa": ("question", "answer", "category", "evidence", "adversarial_answer"),
    "session_#": ("speaker", "dia_id", "text", "blip_caption", "query", "img_url", "re-download"),
}
"""The keys of the objects of the format, by the key that these stand under; # is a number."""


def _odd_keys(value: Any, where: str, under: str = "") -> Iterator[Odd]:
    """Keys that an object has twice or that look misspelt, in everything that the format describes."""
    if isinstance(value, _Object):
        for key in value.repeated:
            yield REPEATED, f"{where} {quoted(key)}"
        for key in value:
            numbered = re.sub("[0-9]+", "#", key)
            if numbered in _KEYS[under] and not re.search(
                "[0-9]{10}", key
            ):  # a longer number is no session's
                if numbered in _KEYS:
                    yield from _odd_keys(value[key], f"{where} {key}", numbered)
            elif meant := _meant(key, numbered, _KEYS[under]):
                yield MISSPELT, f"{where} {quoted(key)} ({meant}?)"
    elif isinstance(value, list):
        for index, one in enumerate(value):
            yield from _odd_keys(one, f"{where}[{index}]", under)


def _meant(key: str, numbered: str, known: Sequence[str]) -> str | None:
    """The known key that a key may be meant for, with its numbers; None if it is like none."""
    close = difflib.get_close_matches(re.sub(r"[\s_-]+", "_", numbered.lower()), known, n=1, cutoff=0.8)
    numbers = iter(re.findall("[0-9]+", key))
    return re.sub("#", lambda _: next(numbers, "#")[:9], close[0]) if close else None


_SCRIPTS = ("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN")
"""Scripts that put no spaces between words, by the first word of their letters' names in Unicode."""


def _without_spaces(texts: Iterable[str]) -> str:
    """The scripts without spaces that most letters of a talk are of; empty if most are of others."""
    letters = Counter(character for text in texts for character in text if character.isalpha())
    scripts: Counter[str] = Counter()
    for letter, count in letters.items():
        script = unicodedata.name(letter, "").split(" ")[0].split("-")[0]
        scripts["" if letter.isascii() else script] += count
    found = [script for script in _SCRIPTS if scripts[script]]
    most = sum(scripts[script] for script in found) * 2 > letters.total()
    return ", ".join(found) if most else ""

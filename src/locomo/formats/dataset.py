"""Conversations, turns and questions: reading a LoCoMo file and checking it (SPEC 1)."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import IntEnum
from pathlib import Path
from typing import Any

from locomo.core.errors import LocomoError, needs
from locomo.core.json_input import Fault, check_distinct, each, field, name_of, stream, text_of
from locomo.core.messages import quoted

# Written out because the month names of ``strftime`` and ``strptime`` depend on the locale.
MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)

ABSTENTION = "No information available"
"""The reply of a system that abstains; the dataset's metric looks for it."""


class Category(IntEnum):
    """The kind of a question, with its number in the file."""

    MULTI_HOP = 1
    TEMPORAL = 2
    OPEN_DOMAIN = 3
    SINGLE_HOP = 4
    ADVERSARIAL = 5

    @property
    def label(self) -> str:
        """The name in metrics files and tables, such as ``multi_hop``."""
        return self.name.lower()

    @property
    def numbered(self) -> str:
        """The name and the number, such as ``multi_hop (1)``."""
        return f"{self.label} ({int(self)})"

    @classmethod
    def named(cls, text: str) -> "Category | None":
        """The category with this name, in any usual spelling, or this number; None if there is none."""
        name = re.sub("[ -]", "_", text.strip().lower())
        number = re.fullmatch(r"([1-5])(?:\.0+)?", name)  # pandas writes 4.0 if the column has a gap
        return cls(int(number[1])) if number else next((one for one in cls if one.label == name), None)


REPORT_ORDER = (
    Category.SINGLE_HOP,
    Category.MULTI_HOP,
    Category.TEMPORAL,
    Category.OPEN_DOMAIN,
    Category.ADVERSARIAL,
)
ANSWERABLE = (Category.MULTI_HOP, Category.TEMPORAL, Category.OPEN_DOMAIN, Category.SINGLE_HOP)


@dataclass(frozen=True, slots=True)
class Turn:
    """One utterance of one speaker, with the caption of a shared photograph."""

    id: str
    speaker: str
    utterance: str
    """The words alone."""
    date: datetime
    """When the session began (no time zone)."""
    session: int = 1
    """The number of the session, as in its key in the file."""
    caption: str = ""
    """What a shared photograph shows; empty if there is none."""
    query: str = ""
    """What the photograph was searched with; empty if there is none."""

    @property
    def text(self) -> str:
        """The utterance, and the caption on a line of its own."""
        return f"{self.utterance}\n[shares {self.caption}]" if self.caption else self.utterance

    @property
    def line(self) -> str:
        """The retrieval unit of whole turns: ``(8 May, 2023) Caroline said, "text"``."""
        return f'{self.heading} "{self.text}"'

    @property
    def heading(self) -> str:
        """The part of the turn's line before the text."""
        return f"({self.date.day} {MONTHS[self.date.month - 1]}, {self.date.year}) {self.speaker} said,"


@dataclass(frozen=True, slots=True)
class Question:
    """A question, its reference answer, and the turns or sessions that support the answer."""

    question: str
    answer: str
    category: Category
    evidence: tuple[str, ...]
    """Ids of turns, or of whole sessions ("S3"), as in the file; some name none."""
    index: int = 0
    """Its place in `qa` of its conversation, from 0; an answer key may leave out questions before it."""

    @property
    def evidence_ids(self) -> tuple[str, ...]:
        """The evidence with parentheses trimmed."""
        return tuple(id.strip("()") for id in self.evidence)


@dataclass(frozen=True, slots=True)
class Conversation:
    """All that two people said to each other, and the questions about it."""

    sample_id: str
    speaker_a: str
    speaker_b: str
    sessions: int
    """Number of sessions."""
    turns: tuple[Turn, ...]
    """All turns, session by session, in the order they were said."""
    questions: tuple[Question, ...]
    """In the order of the file; without those that an answer key leaves out (`formats.answer_key`)."""


def read(path: Path) -> Iterator[Conversation]:
    """Read a LoCoMo file, one conversation at a time.

    Raises ``LocomoError`` on reaching anything that breaks SPEC 1 and that a later stage relies on. It names
    the file, the conversation, and the key, turn or question (``qa[12]`` counts from 0).
    """
    ids: set[str] = set()
    asks = False
    try:
        with needs("fetch", path):
            for conversation in each(stream(path), read_conversation, "conversation", "sample_id"):
                # Ids name files, and some file systems ignore case.
                id = conversation.sample_id.lower()
                if id in ids:
                    raise Fault(f"sample_id: {id!r} is there more than once; each must be its own")
                ids.add(id)
                asks = asks or bool(conversation.questions)
                yield conversation
    except Fault as fault:
        raise LocomoError(f"{path}: {fault}") from None
    if not ids:
        raise LocomoError(f"{path}: holds no conversation")
    if not asks:
        raise LocomoError(f"{path}: holds no question; expected lists of them under qa")


def count(path: Path) -> int:
    """How many conversations a LoCoMo file holds. They are not checked."""
    with needs("fetch", path):
        return sum(1 for _ in stream(path))


def is_session(id: str) -> bool:
    """Whether an id is that of a session, such as S3; no turn has one like it."""
    return bool(_SESSION_ID.fullmatch(id))


def session_of(id: str) -> str:
    """The id of the session of a turn, read off the turn's id: D3:5 is of S3, as is S3 itself."""
    return f"S{id.partition(':')[0][1:]}"


def turns_by_id(conversation: Conversation) -> dict[str, list[Turn]]:
    """The turns of each id that may be cited or be evidence: of a session all, then of each turn itself.

    In the order of the conversation. A cite that is not among them is a text of the memory's own.
    """
    found: dict[str, list[Turn]] = {}
    for turn in conversation.turns:
        found.setdefault(f"S{turn.session}", []).append(turn)
        found[turn.id] = [turn]
    return found


def read_conversation(record: dict[str, Any]) -> Conversation:
    """One record of the file. Raises ``Fault``.

    It goes step by step; `formats.check` takes the same steps, and goes on after a fault.
    """
    sample_id = read_sample_id(record)
    talk = field(record, "conversation", dict)
    speaker_a, speaker_b = read_speakers(talk)
    keys = session_keys(talk)
    check_sessions(keys)
    turns = [turn for key in keys for turn in _session(talk, key)]
    asked = each(field(record, "qa", list), read_question, "qa")
    questions = tuple(replace(question, index=index) for index, question in enumerate(asked))
    check_turns(turns, questions)
    return Conversation(sample_id, speaker_a, speaker_b, len(keys), tuple(turns), questions)


def read_sample_id(record: dict[str, Any]) -> str:
    """The id of a conversation, which names files. Raises ``Fault``."""
    sample_id = name_of(record, "sample_id")
    if not _SAMPLE_ID.fullmatch(sample_id):
        raise Fault(
            f"sample_id: {quoted(sample_id)} cannot name a file; allowed are up to 200 letters, digits, '.',"
            " '_' and '-', not starting with '.'"
        )
    return sample_id


def read_speakers(talk: dict[str, Any]) -> tuple[str, str]:
    """The two speakers. Raises ``Fault``."""
    speaker_a, speaker_b = name_of(talk, "speaker_a"), name_of(talk, "speaker_b")
    if speaker_a.lower().split() == speaker_b.lower().split():
        raise Fault(f"speaker_a and speaker_b are both {speaker_a!r}; they must differ")
    return speaker_a, speaker_b


def session_keys(talk: dict[str, Any]) -> list[str]:
    """The keys of the sessions, in the order of their numbers."""
    return sorted(filter(_SESSION.fullmatch, talk), key=lambda key: int(key.removeprefix("session_")))


def check_sessions(keys: Iterable[str]) -> None:
    """Raise ``Fault`` if two keys have the same number, as `session_7` and `session_07` have."""
    check_distinct((f"session_{int(key.removeprefix('session_'))}" for key in keys), "session")


def check_turns(turns: Sequence[Turn], questions: Iterable[Question]) -> None:
    """Raise ``Fault`` unless there are turns, each with an id of its own.

    Where evidence is sessions, the id of a turn must tell its session: by that, a cited turn finds it.
    """
    if not turns:
        raise Fault("has no turns; expected lists of them under session_1, session_2, ...")
    check_distinct((turn.id for turn in turns), "dia_id")
    if not any(is_session(id) for question in questions for id in question.evidence_ids):
        return
    for turn in turns:
        if session_of(turn.id) != f"S{turn.session}":
            raise Fault(
                f"dia_id: {turn.id!r} is in session_{turn.session}; where evidence is sessions, expected an"
                f" id such as 'D{turn.session}:1'"
            )


def _session(talk: dict[str, Any], key: str) -> Iterator[Turn]:
    date, number = read_date(talk, key), int(key.removeprefix("session_"))
    return each(field(talk, key, list), lambda record: read_turn(record, date, number), key, "dia_id")


def read_turn(record: dict[str, Any], date: datetime, session: int) -> Turn:
    """One record of a session, which began at this date. Raises ``Fault``."""
    text = text_of(record, "text")
    # Either may be null, and a photograph may come without text.
    caption, query = (
        text_of(record, key) if record.get(key) is not None else "" for key in ("blip_caption", "query")
    )
    id = name_of(record, "dia_id")
    if id.startswith("S"):
        raise Fault(f"dia_id: {id!r} starts with S, as ids of sessions do for the official scorer")
    return Turn(id, name_of(record, "speaker"), text, date, session, caption, query)


def read_question(record: dict[str, Any]) -> Question:
    """One record of ``qa``, as the dataset and a predictions file have it. Raises ``Fault``."""
    category = record.get("category")
    if type(category) is not int or category not in _CATEGORIES:
        allowed = ", ".join(f"{number} ({known.label})" for number, known in _CATEGORIES.items())
        found = quoted(category) if "category" in record else "missing"
        raise Fault(f"category: is {found}, allowed: {allowed}")
    evidence: list[Any] = field(record, "evidence", list)
    if not all(isinstance(id, str) for id in evidence):
        raise Fault("evidence: holds something that is not text; expected ids of turns or sessions")
    text_of({"evidence": " ".join(evidence)}, "evidence")
    answer = _answer(record)
    if not answer and category != Category.ADVERSARIAL:
        raise Fault("has neither an answer nor an adversarial_answer")
    return Question(name_of(record, "question"), answer, _CATEGORIES[category], tuple(evidence))


def folded(text: str) -> str:
    """A question without the case, white space and quote characters in which copies of it differ."""
    return " ".join(_QUOTES.sub("", unicodedata.normalize("NFC", text)).split()).casefold()


def _answer(record: dict[str, Any]) -> str:
    """The reference answer; most adversarial questions have only an ``adversarial_answer``.

    "" if there is none: the score of an adversarial question doesn't depend on it.
    """
    for key in ("answer", "adversarial_answer"):
        value = record.get(key)
        if type(value) in (int, float):
            return str(value)
        if value is not None and (text := text_of(record, key)):
            return text
    return ""


def read_date(talk: dict[str, Any], session: str) -> datetime:
    """When a session, such as ``session_2``, began: ``1:56 pm on 8 May, 2023``. Raises ``Fault``."""
    key = f"{session}_date_time"
    text = text_of(talk, key)
    if match := _DATE.fullmatch(text):
        hour, minute, half, day, month, year = match.groups()
        hours = int(hour) % 12 + (12 if half == "pm" else 0)
        try:
            return datetime(int(year), MONTHS.index(month) + 1, int(day), hours, int(minute))
        except ValueError:  # no such month, day or minute
            pass
    raise Fault(f"{key}: cannot read {text!r}; expected a date such as '1:56 pm on 8 May, 2023'")


_QUOTES = re.compile("[\"'`´‘’‚‛“”„‟′″«»]")
_SAMPLE_ID = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}")
_SESSION = re.compile(r"session_[0-9]{1,9}")
_SESSION_ID = re.compile(r"S[0-9]+")
_DATE = re.compile(r"(1[0-2]|0?[1-9]):([0-9]{2}) (am|pm) on ([0-9]{1,2}) ([A-Z][a-z]+), ([1-9][0-9]{3})")
_CATEGORIES = {int(category): category for category in Category}

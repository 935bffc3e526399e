"""Conversations, turns and questions: reading a LoCoMo file and checking it (SPEC 1)."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum
from pathlib import Path
from typing import Any, TypeVar

from locomo.errors import LocomoError

T = TypeVar("T")

# Written out because the names that ``strftime`` and ``strptime`` know depend on the locale.
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
"""What a system says when it declines; the dataset's metric looks for it."""


class Category(IntEnum):
    """The kind of a question, by the number the file gives it."""

    MULTI_HOP = 1
    TEMPORAL = 2
    OPEN_DOMAIN = 3
    SINGLE_HOP = 4
    ADVERSARIAL = 5

    @property
    def label(self) -> str:
        """The name metrics files and tables use, such as ``multi_hop``."""
        return self.name.lower()


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
    """What one speaker said at one go, the caption of a shared photograph included."""

    id: str
    speaker: str
    text: str
    date: datetime
    """When the session began (no time zone)."""

    @property
    def line(self) -> str:
        """The retrieval unit of whole turns: ``(8 May, 2023) Caroline said, "text"``."""
        date = self.date
        return f'({date.day} {MONTHS[date.month - 1]}, {date.year}) {self.speaker} said, "{self.text}"'


@dataclass(frozen=True, slots=True)
class Question:
    """A question, its reference answer and the turns the answer rests on."""

    question: str
    answer: str
    category: Category
    evidence: tuple[str, ...]
    """Turn ids as the file has them; some name no turn."""

    @property
    def evidence_ids(self) -> tuple[str, ...]:
        """The evidence with parentheses trimmed."""
        return tuple(id.strip("()") for id in self.evidence)


@dataclass(frozen=True, slots=True)
class Conversation:
    """All that two people said to each other, and what is asked about it."""

    sample_id: str
    speaker_a: str
    speaker_b: str
    sessions: int
    """Number of sessions."""
    turns: tuple[Turn, ...]
    """All turns, in the order of sessions and of talk."""
    questions: tuple[Question, ...]


def read(path: Path) -> list[Conversation]:
    """Read a LoCoMo file.

    Raises ``LocomoError`` naming the file, the conversation and the key, turn or question
    (``qa[12]`` counts from 0) if anything that a later stage relies on is not as SPEC 1 has it.
    """
    samples = _parse(path)
    try:
        conversations = _each(_kind(samples, list), _conversation, "conversation", "sample_id")
        # Files are named by the id, and some disks do not tell capitals apart.
        _check_distinct((c.sample_id.lower() for c in conversations), "sample_id")
    except _Fault as fault:
        raise LocomoError(f"{path}: {fault}") from None
    if not conversations:
        raise LocomoError(f"{path}: holds no conversation")
    return conversations


class _Fault(Exception):
    """What is wrong, and the way to it inside the file.

    Each level puts its own step in front while the exception passes, so that no step is spelled
    out for the thousands of records that are right.
    """


def _parse(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes().decode("utf-8"))
    except OSError as error:
        raise LocomoError(f"{path}: cannot be read ({error.strerror}); stage fetch puts it there") from error
    except UnicodeDecodeError as error:
        raise LocomoError(f"{path}: is not UTF-8 (byte {error.start})") from error
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise LocomoError(f"{path}: is not JSON ({place}: {error.msg})") from error
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, endless nesting
        raise LocomoError(f"{path}: cannot be read as JSON ({error})") from error


def _conversation(record: dict[str, Any]) -> Conversation:
    sample_id = _name(record, "sample_id")
    if not _SAMPLE_ID.fullmatch(sample_id):
        raise _Fault(
            f"sample_id: {sample_id!r} cannot name a file; allowed are letters, digits, '.', '_' and '-',"
            " not starting with '.'"
        )
    talk = _field(record, "conversation", dict)
    speaker_a, speaker_b = _name(talk, "speaker_a"), _name(talk, "speaker_b")
    if speaker_a.lower().split() == speaker_b.lower().split():
        raise _Fault(f"speaker_a and speaker_b are both {speaker_a!r}; they must differ")
    keys = sorted(filter(_SESSION.fullmatch, talk), key=lambda key: int(key.removeprefix("session_")))
    turns = [turn for key in keys for turn in _session(talk, key)]
    if not turns:
        raise _Fault("has no turns; expected lists of them under session_1, session_2, ...")
    _check_distinct((turn.id for turn in turns), "dia_id")
    questions = _each(_field(record, "qa", list), _question, "qa")
    return Conversation(sample_id, speaker_a, speaker_b, len(keys), tuple(turns), tuple(questions))


def _session(talk: dict[str, Any], key: str) -> list[Turn]:
    date = _date(talk, f"{key}_date_time")
    return _each(_field(talk, key, list), lambda record: _turn(record, date), key, "dia_id")


def _turn(record: dict[str, Any], date: datetime) -> Turn:
    text = _text(record, "text")
    # Part of what was said. The caption may be null, and a photograph be shared without a word.
    if record.get("blip_caption") is not None and (caption := _text(record, "blip_caption")):
        text += f"\n[shares {caption}]"
    return Turn(_name(record, "dia_id"), _name(record, "speaker"), text, date)


def _question(record: dict[str, Any]) -> Question:
    category = record.get("category")
    if type(category) is not int or category not in _CATEGORIES:
        allowed = ", ".join(f"{number} ({known.label})" for number, known in _CATEGORIES.items())
        found = repr(category) if "category" in record else "missing"
        raise _Fault(f"category: is {found}, allowed: {allowed}")
    evidence: list[Any] = _field(record, "evidence", list)
    if not all(isinstance(id, str) for id in evidence):
        raise _Fault("evidence: holds something that is not text; expected turn ids")
    return Question(_name(record, "question"), _answer(record), _CATEGORIES[category], tuple(evidence))


def _answer(record: dict[str, Any]) -> str:
    """The reference answer; most adversarial questions have only an ``adversarial_answer``."""
    for key in ("answer", "adversarial_answer"):
        value = record.get(key)
        if type(value) in (int, float):
            return str(value)
        if value is not None and (text := _text(record, key)):
            return text
    raise _Fault("has neither an answer nor an adversarial_answer")


def _date(talk: dict[str, Any], key: str) -> datetime:
    """Read ``1:56 pm on 8 May, 2023``."""
    text = _text(talk, key)
    if match := _DATE.fullmatch(text):
        hour, minute, half, day, month, year = match.groups()
        hours = int(hour) % 12 + (12 if half == "pm" else 0)
        try:
            return datetime(int(year), MONTHS.index(month) + 1, int(day), hours, int(minute))
        except ValueError:  # no such month, day or minute
            pass
    raise _Fault(f"{key}: cannot read {text!r}; expected a date such as '1:56 pm on 8 May, 2023'")


def _each(
    records: list[Any], make: Callable[[dict[str, Any]], T], key: str, id_key: str | None = None
) -> list[T]:
    """What ``make`` makes of each record; a fault is told with the record's place and id."""
    made = []
    for index, record in enumerate(records):
        try:
            made.append(make(_kind(record, dict)))
        except _Fault as fault:
            id = record.get(id_key) if isinstance(record, dict) else None
            raise _Fault(f"{key}[{index}]{f' ({id})' if id else ''}, {fault}") from None
    return made


def _check_distinct(ids: Iterable[str], key: str) -> None:
    for id, count in Counter(ids).items():
        if count > 1:
            raise _Fault(f"{key}: {id!r} is there {count} times; each must be its own")


def _kind(value: Any, kind: type[T]) -> T:
    """``value``, if it is of the wanted type."""
    if isinstance(value, kind):
        return value
    raise _Fault(f"is {_KINDS[type(value)]}, expected {_KINDS[kind]}")


def _field(record: dict[str, Any], key: str, kind: type[T]) -> T:
    """The value of a key that must be there and be of the wanted type."""
    value = record.get(key)
    if isinstance(value, kind):
        return value
    if key not in record:
        raise _Fault(f'has no "{key}"')
    raise _Fault(f"{key}: is {_KINDS[type(value)]}, expected {_KINDS[kind]}")


def _text(record: dict[str, Any], key: str) -> str:
    """The text of a key that must be there; it may be empty."""
    value = _field(record, key, str)
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            raise _Fault(f"{key}: holds half a surrogate pair, which is no character") from None
    return value


def _name(record: dict[str, Any], key: str) -> str:
    """The text of a key that must be there and not be blank."""
    value = _text(record, key)
    if not value or value.isspace():
        raise _Fault(f"{key}: is blank")
    return value


_SAMPLE_ID = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]*")
_SESSION = re.compile(r"session_[0-9]+")
_DATE = re.compile(r"(1[0-2]|0?[1-9]):([0-9]{2}) (am|pm) on ([0-9]{1,2}) ([A-Z][a-z]+), ([1-9][0-9]{3})")
_CATEGORIES = {int(category): category for category in Category}
_KINDS: dict[type, str] = {
    dict: "an object",
    list: "a list",
    str: "text",
    int: "a number",
    float: "a number",
    bool: "true or false",
    type(None): "null",
}

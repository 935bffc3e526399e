"""LongMemEval's public format, turned into LoCoMo's.

LongMemEval (Wu et al., "LongMemEval: Benchmarking Chat Assistants on Long-Term Interactive Memory", ICLR
2025) is a list of instances: a question, and the sessions of a user with an assistant that came before it. An
instance becomes a conversation with one question, whose evidence is sessions.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from dataclasses import field as attribute
from datetime import datetime
from itertools import pairwise
from math import isfinite
from pathlib import Path
from typing import Any

from locomo.core import progress
from locomo.core.errors import LocomoError
from locomo.core.files import replacing
from locomo.core.json_input import Fault, each, field, name_of, stream, text_of
from locomo.core.messages import quoted
from locomo.formats import dataset
from locomo.formats.dataset import MONTHS, REPORT_ORDER, Category

SPEAKERS = {"user": "User", "assistant": "Assistant"}
"""The name of each role."""
CATEGORIES = {
    "single-session-user": Category.SINGLE_HOP,
    "single-session-assistant": Category.SINGLE_HOP,
    "single-session-preference": Category.SINGLE_HOP,
    "knowledge-update": Category.SINGLE_HOP,
    "multi-session": Category.MULTI_HOP,
    "temporal-reasoning": Category.TEMPORAL,
}
"""The category of each type of question, if it has an answer."""
NO_ANSWER = "_abs"
"""What the id of a question without an answer ends in, of any type: it becomes an adversarial one."""


@dataclass(frozen=True, slots=True)
class Session:
    """A session of an instance."""

    id: str
    """Its own in LongMemEval, such as `answer_4be1b6b4_2`."""
    date: datetime
    weekday: str
    """As the file has it, such as `Tue`."""
    turns: list[dict[str, Any]]
    """As the file has them."""


@dataclass(frozen=True, slots=True)
class Instance:
    """An instance, checked."""

    id: str
    type: str
    question: str
    answer: str | float
    sessions: list[Session]
    answer_sessions: list[str]
    """Ids of the sessions that hold the answer."""
    unknown: list[str]
    """Keys that the format does not have, of the instance and of its turns."""

    @property
    def category(self) -> Category:
        """The kind of question that it is in LoCoMo."""
        return Category.ADVERSARIAL if self.id.endswith(NO_ANSWER) else CATEGORIES[self.type]

    def as_locomo(self) -> dict[str, Any]:
        """The conversation with its question, as LoCoMo's format has it."""
        talk: dict[str, Any] = dict(zip(("speaker_a", "speaker_b"), SPEAKERS.values(), strict=True))
        for number, session in enumerate(self.sessions, 1):
            talk[f"session_{number}_date_time"] = _written(session.date)
            talk[f"session_{number}"] = [
                {"speaker": SPEAKERS[turn["role"]], "dia_id": f"D{number}:{place}", "text": turn["content"]}
                for place, turn in enumerate(session.turns, 1)
            ]
        asked: dict[str, Any] = {"question": self.question}
        # That of an adversarial question would be a misleading one; theirs says why there is no answer.
        if self.category is not Category.ADVERSARIAL:
            asked["answer"] = self.answer
        asked["category"] = int(self.category)
        asked["evidence"] = [
            f"S{number}"
            for number, session in enumerate(self.sessions, 1)
            if session.id in self.answer_sessions
        ]
        return {"sample_id": self.id, "conversation": talk, "qa": [asked]}


@dataclass
class Counts:
    """What there was in a file, and what became of it."""

    sessions: int = 0
    turns: int = 0
    types: Counter[tuple[Category, str]] = attribute(default_factory=Counter)
    """Questions, by category and type."""
    left_out: Counter[str] = attribute(default_factory=Counter)
    odd: Counter[str] = attribute(default_factory=Counter)
    """What such a file need not have, and what was done with it."""

    @property
    def questions(self) -> int:
        """As many as conversations."""
        return self.types.total()

    def add(self, instance: Instance) -> None:
        """Count one more."""
        sessions = instance.sessions
        turns = [turn for session in sessions for turn in session.turns]
        self.sessions += len(sessions)
        self.turns += len(turns)
        self.types[instance.category, instance.type] += 1
        self.left_out["question dates"] += 1
        self.left_out["answers that say why there is none"] += instance.category is Category.ADVERSARIAL
        self.left_out["marks of turns (has_answer)"] += sum(turn.get("has_answer") is True for turn in turns)
        self.left_out.update(f"values of {quoted(key)}" for key in instance.unknown)
        for what, count in _odd(instance).items():
            self.odd[what] += count

    def told(self) -> Iterator[str]:
        """All of it, a line each."""
        talks = f"{self.questions:,} conversations with one question each"
        yield f"{talks}, {self.sessions:,} sessions, {self.turns:,} turns"
        for category in REPORT_ORDER:
            types = {type: count for (one, type), count in sorted(self.types.items()) if one is category}
            if types:
                named = ", ".join(f"{count:,} {type}" for type, count in types.items())
                yield f"{category.numbered}: {sum(types.values()):,} questions ({named})"
        for what, count in self.left_out.items():
            if count:
                yield f"left out: {count:,} {what}"
        if temporal := sum(count for (one, _), count in self.types.items() if one is Category.TEMPORAL):
            yield f"temporal questions: {temporal:,}, whose answers may depend on the date that is left out"
        for what, count in self.odd.items():
            if count:
                yield f"odd: {count:,} {what}"


def convert(source: Path, target: Path) -> Counts:
    """Write a file of LongMemEval's at `target` in LoCoMo's format; what became of it.

    Raises LocomoError that names the file, the instance and the place in it, if anything is not as the format
    has it. Then it writes nothing.
    """
    if not source.is_file():
        raise LocomoError(f"{source}: there is no such file")
    instances = progress.over(stream(source), "convert", dataset.count(source))
    counts, ids = Counts(), set[str]()

    def made(record: dict[str, Any]) -> str:
        instance = _instance(record)
        # Ids name files, and some file systems ignore case.
        if instance.id.lower() in ids:
            raise Fault("question_id: is there more than once; each must be its own")
        ids.add(instance.id.lower())
        conversation = instance.as_locomo()
        dataset.read_conversation(conversation)  # refuses what nothing could read later
        counts.add(instance)
        return json.dumps(conversation, ensure_ascii=False)

    with replacing(target) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as file:
        try:
            for line in each(instances, made, "instance", "question_id"):
                file.write(f"{'[' if counts.questions == 1 else ','}\n{line}")
        except Fault as fault:
            raise LocomoError(f"{source}: {fault}") from None
        if not counts.questions:
            raise LocomoError(f"{source}: holds no instance")
        file.write("\n]\n")
    return counts


_KEYS = frozenset(
    (
        "question_id",
        "question_type",
        "question",
        "answer",
        "question_date",
        "haystack_session_ids",
        "haystack_dates",
        "haystack_sessions",
        "answer_session_ids",
    )
)
_TURN_KEYS = frozenset(("role", "content", "has_answer"))
_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_DATE = re.compile(
    rf"([1-9][0-9]{{3}})/([0-9]{{2}})/([0-9]{{2}}) \(({'|'.join(_WEEKDAYS)})\) ([0-9]{{2}}):([0-9]{{2}})"
)


def _instance(record: dict[str, Any]) -> Instance:
    """An instance of the file. Raises Fault."""
    type = text_of(record, "question_type")
    if type not in CATEGORIES:
        raise Fault(f"question_type: is {quoted(type)}, allowed: {', '.join(CATEGORIES)}")
    _date(record, "question_date")
    sessions = _sessions(record)
    answer_sessions = _texts(record, "answer_session_ids")
    if unknown := set(answer_sessions) - {session.id for session in sessions}:
        raise Fault(f"answer_session_ids: {quoted(min(unknown))} is not among the haystack_session_ids")
    return Instance(
        name_of(record, "question_id"),
        type,
        name_of(record, "question"),
        _answer(record),
        sessions,
        answer_sessions,
        [
            *(key for key in record if key not in _KEYS),
            *(key for one in sessions for turn in one.turns for key in turn if key not in _TURN_KEYS),
        ],
    )


def _sessions(record: dict[str, Any]) -> list[Session]:
    ids = _texts(record, "haystack_session_ids")
    dates = [_date(entries, place) for entries, place in _entries(record, "haystack_dates")]
    talks = [
        list(each(field(entries, place, list), _turn, place))
        for entries, place in _entries(record, "haystack_sessions")
    ]
    if not len(ids) == len(dates) == len(talks):
        raise Fault(
            f"haystack_session_ids, haystack_dates and haystack_sessions hold {len(ids)}, {len(dates)} and"
            f" {len(talks)} entries; expected as many each"
        )
    if not any(talks):
        raise Fault("haystack_sessions: holds no turn")
    return [Session(id, *date, turns) for id, date, turns in zip(ids, dates, talks, strict=True)]


def _turn(record: dict[str, Any]) -> dict[str, Any]:
    role = text_of(record, "role")
    if role not in SPEAKERS:
        raise Fault(f"role: is {quoted(role)}, allowed: {', '.join(SPEAKERS)}")
    text_of(record, "content")
    return record


def _answer(record: dict[str, Any]) -> str | float:
    value: Any = record.get("answer")
    if type(value) is int or (type(value) is float and isfinite(value)):
        return value
    return name_of(record, "answer")


def _texts(record: dict[str, Any], key: str) -> list[str]:
    return [name_of(entries, place) for entries, place in _entries(record, key)]


def _entries(record: dict[str, Any], key: str) -> Iterator[tuple[dict[str, Any], str]]:
    """The entries of a list as keys of a record, so that a fault names the place of one: `key[2]`."""
    for index, entry in enumerate(field(record, key, list)):
        yield {f"{key}[{index}]": entry}, f"{key}[{index}]"


def _date(record: dict[str, Any], key: str) -> tuple[datetime, str]:
    """Read `2023/05/30 (Tue) 23:40`: the date, and the weekday as it stands there."""
    text = text_of(record, key)
    if match := _DATE.fullmatch(text):
        year, month, day, weekday, hour, minute = match.groups()
        try:
            return datetime(int(year), int(month), int(day), int(hour), int(minute)), weekday
        except ValueError:  # no such day or time
            pass
    raise Fault(f"{key}: cannot read {quoted(text)}; expected a date such as '2023/05/30 (Tue) 23:40'")


def _written(date: datetime) -> str:
    """A date as LoCoMo has it: `1:56 pm on 8 May, 2023`."""
    half = "am" if date.hour < 12 else "pm"
    day = f"{date.day} {MONTHS[date.month - 1]}, {date.year}"
    return f"{date.hour % 12 or 12}:{date.minute:02} {half} on {day}"


def _odd(instance: Instance) -> dict[str, int]:
    """How often what such a file need not have is in an instance, and what is done with it."""
    sessions, named = instance.sessions, instance.answer_sessions
    ids = [session.id for session in sessions]
    return {
        "conversations with sessions that are not in the order of their dates: they keep their order": any(
            later.date < earlier.date for earlier, later in pairwise(sessions)
        ),
        "sessions with a weekday that is not that of their date, which is kept": sum(
            _WEEKDAYS[session.date.weekday()] != session.weekday for session in sessions
        ),
        "sessions with the id of another in their conversation: they are kept": len(ids) - len(set(ids)),
        "sessions without a turn: they keep their number": sum(not session.turns for session in sessions),
        "turns without text: they are kept": sum(
            not turn["content"].strip() for session in sessions for turn in session.turns
        ),
        "questions without an answer session: their recall is always 1": not named,
        "answer sessions named again: they are named once": len(named) - len(set(named)),
        "answer sessions with an id that several sessions have: all of these are evidence": sum(
            ids.count(id) > 1 for id in set(named)
        ),
        "answer sessions without a turn: nothing can find them": sum(
            not session.turns for session in sessions if session.id in named
        ),
    }

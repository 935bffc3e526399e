"""What an external memory may declare and return, and how that is checked: `docs/memory.md` says it all."""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from locomo.core.errors import LocomoError
from locomo.core.messages import quoted
from locomo.formats.dataset import Conversation
from locomo.memory.plugins import Plugin

_NUMBERS = (int, float, np.integer, np.floating)
# Half of an emoji, say, where a service has cut a text; no file of UTF-8 can hold it.
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Returned:
    """What an external memory returned for one question, checked: its cites, best first, a list per field."""

    ids: list[str | None]
    """Of turns, or of sessions ("S3"); None for a text of the memory's own."""
    scores: list[float]
    """0 or more, higher is better, none higher than the one before it."""
    phrases: list[str | None]
    """What fits the question in the turn or session; with the id None the text itself."""
    confidence: float | None = None
    """The memory's own, from 0 to 1, if it gave one."""
    failure: str = ""
    """The error that the memory raised; empty if it did not fail."""

    @classmethod
    def failed(cls, failure: str) -> "Returned":
        """What stands for a question that the memory failed on."""
        return cls([], [], [], failure=failure)

    def as_json(self) -> dict[str, Any]:
        """The same as a JSON object."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @property
    def turns(self) -> bool:
        """Whether it cites turns."""
        return any(id is not None and not id.startswith("S") for id in self.ids)

    @property
    def sessions(self) -> bool:
        """Whether it cites sessions."""
        return any(id is not None and id.startswith("S") for id in self.ids)

    @property
    def texts(self) -> bool:
        """Whether it cites texts of the memory's own."""
        return None in self.ids


class Declared(NamedTuple):
    """What the class of a memory declares, each an attribute of that name."""

    partial: bool = False
    """It cites only what it finds, so that it may give fewer than k cites."""
    distances: bool = False
    """A lower score is better."""
    batch: bool = False
    """`ask` takes a list of questions and returns what it cites for each."""
    concurrency: int = 8
    """How many calls of an `async def ask` wait for their answers at once, at most."""

    @classmethod
    def of(cls, plugin: Plugin) -> "Declared":
        """Read them. Raises LocomoError for a value of another type."""
        kind = plugin.load()
        defaults: dict[str, Any] = cls._field_defaults
        found = {name: getattr(kind, name, default) for name, default in defaults.items()}
        for name, value in found.items():
            wanted = type(defaults[name])
            if type(value) is not wanted or (wanted is int and value < 1):
                allowed = "a whole number, 1 or more" if wanted is int else "True or False"
                raise LocomoError(
                    f"memory {plugin.name}: {plugin.where}: {name} is {quoted(value)}; expected {allowed}"
                )
        return cls(**found)


class Fault(Exception):
    """What is wrong with what a memory returned, and what is expected."""


class Taken(NamedTuple):
    """What `ask` returned for one question, taken out of iterators, but not yet checked."""

    returned: object
    cites: list[Any] | None
    confidence: object


def take(returned: object, k: int) -> Taken:
    """Take out the cites, at most one more than k: they may never end, and one more shows that."""
    cites, confidence = returned, None
    if isinstance(returned, Mapping):
        cites, confidence = returned.get("cites"), returned.get("confidence")
    found = list(islice(cites, k + 1)) if isinstance(cites, Iterable) else None
    return Taken(returned, found, confidence)


class Contract:
    """Checks what a memory returns for questions about one conversation."""

    def __init__(self, conversation: Conversation, declared: Declared) -> None:
        self._turns = {turn.id: None for turn in conversation.turns}
        self._sessions = {f"S{turn.session}": None for turn in conversation.turns}
        self._declared = declared

    def checked(self, taken: Taken, k: int) -> Returned:
        """The cites and the confidence. Raises Fault that says what was returned and what is expected."""
        if isinstance(taken.returned, Mapping) and (odd := taken.returned.keys() - {"cites", "confidence"}):
            raise Fault(f"returned {quoted(min(odd, key=str))}; expected `cites` and `confidence`")
        if taken.cites is None:
            raise Fault(f"returned {quoted(taken.returned)}; expected a list of cites")
        cites = [self._cite(place, one) for place, one in enumerate(taken.cites)]
        if len(cites) > k:
            raise Fault(f"returned more than {k} cites; expected at most as many as asked for")
        found = Returned(
            [id for id, _, _ in cites],
            self._scores([score for _, score, _ in cites]),
            [phrase for _, _, phrase in cites],
            _confidence(taken.confidence),
        )
        self._check_kinds(found)
        self._check_number(found, k)
        return found

    def _cite(self, place: int, one: object) -> tuple[str | None, float, str | None]:
        if not isinstance(one, (tuple, list)) or len(one) not in (2, 3):
            raise Fault(f"cite {place} is {quoted(one)}; expected (id, score) or (id, score, phrase)")
        id, score, phrase = (*one, None)[:3]
        if id is not None and not (isinstance(id, str) and (id in self._turns or id in self._sessions)):
            turn, session = next(iter(self._turns)), next(iter(self._sessions))
            raise Fault(
                f"cite {place} names {quoted(id)}; expected the id of one of its turns, such as {turn!r}, or"
                f" of a session, such as {session!r}, or None with a text of its own"
            )
        if type(score) is bool or not isinstance(score, _NUMBERS) or not math.isfinite(_float(score)):
            raise Fault(f"cite {place} scores {quoted(score)}; expected a finite number")
        if not isinstance(phrase, (str, type(None))):
            raise Fault(f"cite {place} has the phrase {quoted(phrase)}; expected text or None")
        if phrase and _SURROGATE.search(phrase):
            raise Fault(f"cite {place} has the phrase {quoted(phrase)}; it holds half a surrogate pair")
        phrase = phrase if phrase and phrase.strip() else None
        if id is None and phrase is None:
            raise Fault(f"cite {place} has neither an id nor a text; expected (None, score, text)")
        return id, float(score), phrase

    def _scores(self, scores: list[float]) -> list[float]:
        """The scores as the readers take them: a reader stops at a share of the best (setting `band`)."""
        sign, than = (-1, "less") if self._declared.distances else (1, "more")
        for place in range(1, len(scores)):
            if sign * scores[place] > sign * scores[place - 1]:
                hint = (
                    ""
                    if self._declared.distances
                    else ", or `distances = True` in the class if lower is better"
                )
                raise Fault(
                    f"cite {place} scores {scores[place]!r}, {than} than {scores[place - 1]!r} before it;"
                    f" expected the best first{hint}"
                )
        positive = [max(score, 0.0) for score in scores]
        return [1 / (1 + score) for score in positive] if self._declared.distances else positive

    def _check_kinds(self, found: Returned) -> None:
        if found.sessions and found.turns:
            raise Fault("cites sessions and turns for one question; expected one kind")

    def _check_number(self, found: Returned, k: int) -> None:
        """A memory that cites less than there is by mistake would only look bad."""
        if self._declared.partial or found.texts or len(found.ids) >= k:
            return
        all_there_is, name = (self._sessions, "session") if found.sessions else (self._turns, "turn")
        if left := len(all_there_is) - len(set(found.ids)):
            raise Fault(
                f"returned {len(found.ids)}, though there {'is' if left == 1 else 'are'} {left} more"
                f" {name}{'s' * (left > 1)}; expected {k}, or `partial = True` in the class of a memory that"
                " cites only what it finds"
            )


def _confidence(given: object) -> float | None:
    if given is None:
        return None
    if type(given) is bool or not isinstance(given, _NUMBERS) or not 0 <= _float(given) <= 1:
        raise Fault(f"has the confidence {quoted(given)}; expected a number from 0 to 1")
    return float(given)


def _float(number: Any) -> float:
    try:
        return float(number)
    except OverflowError:  # an integer of hundreds of digits
        return math.inf

"""The ids of cited turns and sessions, in the spellings that files have.

Read are `D1:3`, `D1:03`, `D1: 3`, `d1:3`, `[D1:3]`, `conv-26_D1:3`, and for a session `S1` and `session_1`;
also several in one text.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from locomo.formats.dataset import Conversation
from locomo.score.measures.recall import sessions

_COLON = re.compile(r"\s*:\s*")
_SESSION_WORD = re.compile(r"(?<![a-z])session[\s_-]*(?=\d)", re.IGNORECASE)
_PART = re.compile(r"""[^\s,;|&+'"\[\](){}]+""")
_ID = re.compile(
    r"(?:(?P<before>.*)[^A-Za-z0-9])?(?:D(?P<session>\d+):(?P<turn>\d+)|S(?P<alone>\d+))", re.IGNORECASE
)


@dataclass(frozen=True)
class Cites:
    """What an answer cites, as ids of its conversation."""

    ids: list[str]
    """Turns and sessions as the dataset writes them, in order; some may not be in the conversation."""
    unread: list[str]
    """What cannot be read as an id. The answer then has no recall: it may cite evidence."""
    respelled: Mapping[str, str]
    """Ids that the file spells in another way than the dataset, and what they were read as."""

    @property
    def sessions(self) -> list[str]:
        """The whole sessions among them."""
        return [id for id in self.ids if id.startswith("S")]


@dataclass(frozen=True)
class KnownIds:
    """The ids of a conversation's turns and sessions, and the names of all conversations."""

    sample: str
    turns: frozenset[str]
    samples: Mapping[str, str]
    """The sample id of each name of a conversation, in the dataset and in the file."""

    @classmethod
    def of(cls, conversation: Conversation, samples: Mapping[str, str]) -> "KnownIds":
        """The ids of a conversation, and the names of all."""
        return cls(conversation.sample_id, frozenset(turn.id for turn in conversation.turns), samples)

    @cached_property
    def _bare(self) -> dict[str, str]:
        return {_bare(name): sample for name, sample in self.samples.items()}

    @cached_property
    def sessions(self) -> frozenset[str]:
        """The ids of the sessions."""
        return frozenset(sessions(self.turns))

    def __contains__(self, id: str) -> bool:
        return id in self.turns or id in self.sessions

    def read(self, texts: Iterable[str]) -> Cites:
        """The ids in some texts."""
        ids: list[str] = []
        unread: list[str] = []
        respelled: dict[str, str] = {}
        for text in map(str.strip, texts):
            found = [text] if text in self else self._several(text)
            if found is None:
                unread.append(text)
                continue
            ids += found
            # A text may hold a list, as in CSV; that is no other spelling.
            if _PART.findall(text) != found:
                respelled[text] = " ".join(found)
        return Cites(ids, unread, respelled)

    def _several(self, text: str) -> list[str] | None:
        """The ids in a text that is no id of the dataset; None if any part of it is none."""
        parts = _PART.findall(_SESSION_WORD.sub("S", _COLON.sub(":", text)))
        found = [part if part in self else self._one(part) for part in parts]
        known = [id for id in found if id is not None]
        return known if known and len(known) == len(found) else None

    def _one(self, part: str) -> str | None:
        id = _ID.fullmatch(part)
        if id is None:
            return None
        before = _bare(id["before"] or "")
        sample = self._bare.get(before, "")
        if sample and sample != self.sample:
            return part  # a turn of another conversation: cited, and no evidence here
        if id["alone"]:
            # Many other names end in S and a number.
            session = f"S{int(id['alone'])}"
            return session if not before or (sample and session in self.sessions) else None
        # A number before the id may name another conversation.
        plain = sample or not any(character.isdigit() for character in before)
        return f"D{int(id['session'])}:{int(id['turn'])}" if plain else None


def _bare(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())

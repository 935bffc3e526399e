"""Short invented conversations, none of it from LoCoMo."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from locomo.formats.dataset import Conversation, Question, Turn
from locomo.formats.store import Store
from locomo.index.indexer import build

MAY = datetime(2023, 5, 8, 13, 56)


def talk(
    *lines: str, ids: Sequence[str] = (), date: datetime = MAY, questions: Sequence[Question] = ()
) -> Conversation:
    """A conversation of Ada and Bob out of lines such as ``Ada: I bought a kayak.``, ids from D1:1 on."""
    turns = []
    for number, line in enumerate(lines, 1):
        speaker, text = line.split(": ", 1)
        turns.append(Turn(ids[number - 1] if ids else f"D1:{number}", speaker, text, date))
    return Conversation("talk", "Ada", "Bob", 1, tuple(turns), numbered(questions))


def numbered(questions: Iterable[Question]) -> tuple[Question, ...]:
    """The questions with their places, as in a file."""
    return tuple(replace(question, index=index) for index, question in enumerate(questions))


def built(*lines: str, ids: Sequence[str] = (), date: datetime = MAY, infer: bool = True) -> Store:
    """What is built of such a conversation."""
    return build(talk(*lines, ids=ids, date=date), infer)[0]

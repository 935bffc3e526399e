"""External memories written in a test, and conversations of several sessions to ask them about."""

import hashlib
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

from helpers.talks import MAY, numbered
from locomo.formats.dataset import Conversation, Question, Turn
from locomo.index.indexer import build
from locomo.memory import ask
from locomo.memory.external import Failures
from locomo.memory.plugins import Plugin


def plugin(source: str, name: str = "mine") -> Plugin:
    text = source.encode()
    return Plugin(name, f"memories/{name}.py", hashlib.sha256(text).hexdigest(), source=text)


def memory(body: str, extra: str = "") -> Plugin:
    """A memory that answers so; `self.ids` are the ids of the turns."""
    lines = "\n".join(f"        {line}" for line in body.splitlines())
    return plugin(
        f"class Memory:\n    {extra or 'pass'}\n    def __init__(self, conversation, vocabulary):\n"
        "        self.ids = [turn.id for turn in conversation.turns]\n"
        f"    def ask(self, question, k):\n{lines}\n"
    )


def sessions(
    *spoken: Sequence[str], questions: Sequence[Question] = (), sample: str = "talk"
) -> Conversation:
    """A conversation of Ada and Bob: session n, from 1 on, is n - 1 days after 8 May 2023."""
    turns = [
        Turn(f"D{number}:{place}", *line.split(": ", 1), MAY + timedelta(days=number - 1), number)
        for number, lines in enumerate(spoken, 1)
        for place, line in enumerate(lines, 1)
    ]
    return Conversation(sample, "Ada", "Bob", len(spoken), tuple(turns), numbered(questions))


def asked(
    found: Plugin,
    conversation: Conversation,
    *ks: int,
    failures: Failures | None = None,
    fresh: bool = False,
    fitted: object = None,
) -> ask.Asked:
    """Ask a memory, which may not fail unless `failures` say so."""
    failures = failures or Failures(found, allowed=False, limit=20)
    return ask.ask(found, conversation, build(conversation, True)[0], ks, failures, fitted, fresh)


def noted(path: Path) -> list[str]:
    """The lines that a memory noted there."""
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []

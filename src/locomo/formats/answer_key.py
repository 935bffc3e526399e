"""The answer key: which questions count, and what their answers, categories and evidence are.

Stage `fetch` writes the key of a run to `data/key.json`. Where keys come from is said in `formats.keys`.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from locomo.core import paths
from locomo.core.errors import LocomoError, made_by
from locomo.core.files import write_json
from locomo.formats import dataset
from locomo.formats.built import check_dataset
from locomo.formats.dataset import Category, Conversation

Change = Mapping[str, Any] | None
"""What a key says of a question in place of the dataset, by field of `Question`; None leaves it out."""


@dataclass(frozen=True, slots=True)
class AnswerKey:
    """What a key changes of one dataset."""

    name: str
    """As in a signature: `published`, or `audited` or `file` with the start of the SHA-256 of its bytes."""
    dataset: str
    """The SHA-256 of the dataset's bytes."""
    changes: Mapping[str, Mapping[int, Change]] = field(default_factory=dict)
    """By sample id, then by the place of the question from 0."""
    notes: Mapping[str, int] = field(default_factory=dict)
    """What a reader has to know, in words, and of how many questions it is said."""

    @classmethod
    def of(
        cls,
        name: str,
        dataset: str,
        conversations: Iterable[Conversation],
        changes: Mapping[str, Mapping[int, Change]],
        notes: Mapping[str, int],
    ) -> "AnswerKey":
        """The key with these changes; its notes end with how many questions of either half are left."""
        key = cls(name, dataset, changes)
        left = [asked.category for talk in conversations for asked in key.applied(talk).questions]
        adversarial = left.count(Category.ADVERSARIAL)
        halves = {"answerable": len(left) - adversarial, "adversarial": adversarial}
        remaining = {f"{half} questions remain": number for half, number in halves.items()}
        return replace(key, notes={**notes, **remaining})

    def applied(self, conversation: Conversation) -> Conversation:
        """The conversation with the questions that count, as the key has them."""
        changes = self.changes.get(conversation.sample_id)
        if not changes:
            return conversation
        asked = [
            replace(question, **(changes.get(question.index, {}) or {}))
            for question in conversation.questions
            if changes.get(question.index, {}) is not None
        ]
        return replace(conversation, questions=tuple(asked))

    def described(self) -> str:
        """What it is, on one line."""
        return f"answer key {self.name}" + (f": {told(self.notes)}" if self.notes else "")

    def save(self, path: Path) -> None:
        """Write it as `data/key.json`."""
        write_json(path, asdict(self))


def told(notes: Mapping[str, int]) -> str:
    """The notes of a key in words, of what there is."""
    return "; ".join(f"{number:,} {what}" for what, number in notes.items() if number)


def load() -> AnswerKey:
    """The key of the run in the current folder. Raises LocomoError if it is missing or damaged."""
    with made_by("fetch", paths.KEY):
        found = json.loads(paths.KEY.read_bytes())
        changes = {
            sample: {int(index): _change(change) for index, change in of_sample.items()}
            for sample, of_sample in found["changes"].items()
        }
        return AnswerKey(found["name"], found["dataset"], changes, found["notes"])


def conversations() -> Iterator[Conversation]:
    """The conversations of the run in the current folder, with the questions of its key, one at a time.

    Raises LocomoError if the dataset or the key is missing or damaged, or if one is not of the other.
    """
    key = load()
    check_dataset(key.dataset, of=paths.KEY)
    yield from map(key.applied, dataset.read(paths.DATASET))


def check(sha256: str, name: str, of: Path) -> None:
    """Raise LocomoError unless the dataset and the key of the run are those that `of` was made with."""
    check_dataset(sha256, of)
    if load().name != name:
        raise LocomoError(f"{paths.KEY}: is not the answer key that {of} was made with; run `dvc repro`")


def _change(change: Any) -> Change:
    match change:
        case None:
            return None
        case {"evidence": [*ids]} if len(change) == 1 and all(isinstance(id, str) for id in ids):
            return {"evidence": tuple(ids)}
    raise ValueError("no such change")

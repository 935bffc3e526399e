"""What external memories returned to the questions of a run, read by every stage in place of asking again."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from locomo.core import paths
from locomo.core.errors import LocomoError, made_by
from locomo.core.files import write_json
from locomo.formats.dataset import Conversation
from locomo.formats.store import Store
from locomo.index.passages import Passage, passages
from locomo.memory.base import Cites, Memory
from locomo.memory.contract import Returned
from locomo.memory.plugins import Plugin
from locomo.memory.query import QueryBlock

Answers = dict[int, dict[str, Returned]]
"""By k and the text of the question."""

Key = tuple[str, str]
"""The id of a turn or session, or else a text of the memory's own, which may look like an id."""


def write(folder: Path, plugin: Plugin, sample: str, answers: Answers) -> None:
    """Write `<memory>/<k>/<sample>.json` for each k into `folder`."""
    for k, by_question in answers.items():
        found = {question: answer.as_json() for question, answer in by_question.items()}
        path = _file(folder, plugin.name, k, sample)
        write_json(path, {"sha256": plugin.sha256, "questions": found}, compact=True)


def read(plugin: Plugin, sample: str, ks: Iterable[int]) -> Answers:
    """Read what stage `ask` wrote of a memory.

    Raises LocomoError if a file is missing, damaged, or of another version of the memory.
    """
    found: Answers = {}
    for k in ks:
        path = _file(paths.CITES, plugin.name, k, sample)
        with made_by("ask", path):
            note = json.loads(path.read_bytes())
            if note["sha256"] != plugin.sha256:
                raise LocomoError(f"{path}: is of another version of memory {plugin.name}")
            found[k] = {question: Returned(**answer) for question, answer in note["questions"].items()}
    return found


def _file(folder: Path, memory: str, k: int, sample: str) -> Path:
    return folder / memory / str(k) / f"{sample}.json"


class AskedMemory(Memory):
    """Cites what an external memory returned when it was asked, never the first of more for fewer."""

    def __init__(
        self, answers: Mapping[int, Mapping[str, Returned]], conversation: Conversation, store: Store
    ):
        self._answers = answers
        self.ks = tuple(answers)
        returned = [one for by_k in answers.values() for one in by_k.values()]
        self._passages: Store | None = None
        self._index: Mapping[Key, int] = {(id, ""): index for id, index in store.turn_index.items()}
        if any(one.sessions or one.texts for one in returned):
            cited = _cited(returned, conversation)
            self._passages = passages(store, list(cited.values()))
            self._index = {key: index for index, key in enumerate(cited)}

    def source(self, block: QueryBlock) -> QueryBlock:
        """The same questions over the passages that are cited, if these are not all turns."""
        return (
            QueryBlock(self._passages, [query.text for query in block.queries]) if self._passages else block
        )

    def cite(self, block: QueryBlock, k: int) -> list[Cites]:
        """What it returned for each question of the block."""
        return [self._cites(self._answers[k][query.text]) for query in block.queries]

    def _cites(self, returned: Returned) -> Cites:
        turns = [self._index[key] for key in _keys(returned)]
        return Cites(
            turns,
            returned.scores,
            returned.phrases,
            returned.failure,
            returned.confidence,
            not returned.texts,
        )


def _cited(returned: Iterable[Returned], conversation: Conversation) -> dict[Key, Passage]:
    """Every turn, session and text that is cited, each once.

    A text of the memory's own has no date; it is read as if said in the last session.
    """
    found: dict[str, Passage] = {}
    days = [turn.date.date().isoformat() for turn in conversation.turns]
    for turn, day in zip(conversation.turns, days, strict=True):
        found[turn.id] = Passage(turn.id, day, turn.text)
        session = found.setdefault(f"S{turn.session}", Passage(f"S{turn.session}", day, ""))
        found[session.id] = session._replace(text=f"{session.text}\n{turn.text}")
    cited = dict.fromkeys(key for one in returned for key in _keys(one))
    return {(id, text): found[id] if id else Passage(text, max(days), text) for id, text in cited}


def _keys(returned: Returned) -> list[Key]:
    pairs = zip(returned.ids, returned.phrases, strict=True)
    return [(id, "") if id is not None else ("", text or "") for id, text in pairs]

"""Sweeps: one setting at a time over its values, the others at the base (SPEC 12)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import nan

import numpy as np

from locomo.answer.arms import Arm
from locomo.answer.asking import blocks, by_memory, make_memories
from locomo.core.settings import Base
from locomo.formats.dataset import ABSTENTION, Category, Conversation, Question
from locomo.formats.store import Store
from locomo.memory.base import Cites, Memory
from locomo.memory.query import QueryBlock
from locomo.reader.base import AskedQuestion, Prepared, Reader, ReaderSettings
from locomo.score.averages import COLUMNS, mean
from locomo.score.measures.abstained import abstains
from locomo.score.measures.f1 import f1
from locomo.text.sparse import Floats

SWEPT = ("answerable", "adversarial", "overall")

_Figures = tuple[float, float, float]
"""F1, abstention (0 or 1) and confidence."""


@dataclass(frozen=True, slots=True)
class Point:
    """One value of one setting, and what a memory is asked for and a reader is told there."""

    setting: str
    value: float
    k: int
    reading: ReaderSettings

    @property
    def without_floor(self) -> tuple[int, ReaderSettings]:
        """All that a reply depends on but whether it is given."""
        return self.k, self.reading._replace(floor=0.0)


def points(base: Base, values: Mapping[str, Sequence[float]]) -> list[Point]:
    """Every point of every sweep, in order."""
    chosen = [
        (setting, value, base.model_copy(update={setting: value}))
        for setting, swept in values.items()
        for value in swept
    ]
    return [Point(setting, value, at.k, ReaderSettings.of(at)) for setting, value, at in chosen]


def sweep(
    conversation: Conversation, store: Store, arms: Mapping[str, Arm], points: Sequence[Point]
) -> tuple[list[Category], Floats, Floats]:
    """The F1 and the abstention (0 or 1) of each arm on each question of a conversation, at each point.

    Gives the categories of the questions, and two arrays (points, arms, questions), NaN where a memory or a
    reader failed. A reply is made once for all floors, since the floor only decides whether it is given.
    """
    ways = sorted(dict.fromkeys(point.without_floor for point in points), key=lambda way: way[0])
    scored, abstained, sure = _without_floor(conversation, store, arms, ways)
    declining = np.array([f1(q.category, ABSTENTION, q.answer) for q in conversation.questions])
    place = [ways.index(point.without_floor) for point in points]
    floors = np.array([point.reading.floor for point in points])
    declined = sure[place] < floors[:, None, None]
    categories = [question.category for question in conversation.questions]
    return categories, np.where(declined, declining, scored[place]), np.where(declined, 1.0, abstained[place])


def _without_floor(
    conversation: Conversation,
    store: Store,
    arms: Mapping[str, Arm],
    ways: Sequence[tuple[int, ReaderSettings]],
) -> tuple[Floats, Floats, Floats]:
    """F1, abstention and confidence, each (ways, arms, questions)."""
    found = np.zeros((len(conversation.questions), len(arms), len(ways), 3))
    memories = make_memories(conversation, store, arms)
    columns = {name: column for column, name in enumerate(arms)}
    readers = {
        memory: [(columns[name], arm.reader) for name, arm in own.items()]
        for memory, own in by_memory(arms).items()
    }
    ks = [k for k, _ in ways]
    questions = iter(zip(conversation.questions, found, strict=True))
    for block in blocks(conversation, store):
        cited = {name: _cited(memory, block, ks) for name, memory in memories.items()}
        for row in range(len(block)):
            question, figures = next(questions)
            asked, scores = AskedQuestion(block, row), _ReplyScores(question)
            for name, by_k in cited.items():
                cites = {k: answers[row] for k, answers in by_k.items()}
                for column, reader in readers[name]:
                    figures[column] = list(_replies(reader, asked, cites, ways, scores))
    scored, abstained, sure = found.transpose(3, 2, 1, 0)
    return scored, abstained, sure


def _cited(memory: Memory, block: QueryBlock, ks: Iterable[int]) -> dict[int, list[Cites]]:
    """What the memory cites for each k; asked once if the best k are the first of more."""
    distinct = dict.fromkeys(ks)
    if not memory.nested:
        return {k: memory.cite(block, k) for k in distinct}
    most = memory.cite(block, max(distinct))
    return {k: [cites if len(cites) <= k else cites[:k] for cites in most] for k in distinct}


def _replies(
    reader: Reader,
    asked: AskedQuestion,
    cites: Mapping[int, Cites],
    ways: Iterable[tuple[int, ReaderSettings]],
    scores: "_ReplyScores",
) -> Iterator[_Figures]:
    """The figures of what is replied each way."""
    prepared: dict[int, Prepared] = {}
    for k, settings in ways:
        if cites[k].failure:
            yield nan, nan, nan
            continue
        length = len(cites[k])
        if length not in prepared:
            prepared[length] = reader.prepare(asked, cites[k])
        text, confidence, failure = prepared[length].reply(settings)
        yield (nan, nan, nan) if failure else (*scores.of(text), confidence)


class _ReplyScores:
    """F1 and abstention of replies to one question, each worked out once: most settings agree."""

    def __init__(self, question: Question) -> None:
        self._question = question
        self._known: dict[str, tuple[float, float]] = {}

    def of(self, reply: str) -> tuple[float, float]:
        known = self._known.get(reply)
        if known is None:
            question = self._question
            scored = f1(question.category, reply, question.answer)
            known = self._known[reply] = scored, float(abstains(reply))
        return known


def rows(
    points: Sequence[Point],
    arms: Iterable[str],
    categories: Sequence[Category],
    scored: Floats,
    abstained: Floats,
) -> list[tuple[Point, str, dict[str, float | None]]]:
    """The means at each point of each arm, an arm's points together: F1 of three columns, abstention of all.

    `categories` are those of the questions, the last axis of both arrays. NaN counts in no mean; where there
    is any, `scored` is how many questions the means of a row are over.
    """
    failures = bool(np.isnan(abstained).any())
    inside = {column: np.isin(categories, list(COLUMNS[column])) for column in SWEPT}
    return [
        (
            point,
            arm,
            {column: mean(_known(scored[place, number][mask])) for column, mask in inside.items()}
            | {"abstained": mean(_known(abstained[place, number]))}
            | ({"scored": len(_known(abstained[place, number]))} if failures else {}),
        )
        for number, arm in enumerate(arms)
        for place, point in enumerate(points)
    ]


def _known(figures: Floats) -> list[float]:
    known: list[float] = figures[~np.isnan(figures)].tolist()
    return known

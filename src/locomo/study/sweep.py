"""Sweeps: one setting at a time over its values, the others at the base (SPEC 12)."""

from array import array
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import nan

import numpy as np

from locomo.answer.arms import Arm
from locomo.answer.asking import AskedBlocks, blocks, by_memory, make_memories
from locomo.core.settings import Base
from locomo.formats.dataset import ABSTENTION, Category, Conversation, Question
from locomo.formats.store import Store
from locomo.memory.base import Cites, Memory
from locomo.memory.query import QueryBlock
from locomo.reader.base import AskedQuestion, Prepared, Reader, ReaderSettings, Reply
from locomo.score.averages import COLUMNS, mean
from locomo.score.measures.abstained import abstains
from locomo.score.measures.f1 import f1
from locomo.text.sparse import Floats

SWEPT = ("answerable", "adversarial", "overall")


@dataclass(frozen=True, slots=True)
class Point:
    """One value of one setting, and the reader's settings there."""

    setting: str
    value: float
    reading: ReaderSettings

    @property
    def without_floor(self) -> ReaderSettings:
        """All that a reply depends on, but not whether it is given."""
        return self.reading._replace(floor=0.0)


def points(base: Base, values: Mapping[str, Sequence[float]]) -> list[Point]:
    """Every point of every sweep, in order."""
    return [
        Point(setting, value, ReaderSettings.of(base.model_copy(update={setting: value})))
        for setting, swept in values.items()
        for value in swept
    ]


def sweep(
    conversation: Conversation, store: Store, arms: Mapping[str, Arm], points: Sequence[Point]
) -> tuple[list[Category], Floats, Floats]:
    """The F1 and the abstention (0 or 1) of each arm on each question of a conversation, at each point.

    Gives the categories of the questions, and two arrays (points, arms, questions), NaN where a memory or a
    reader failed. A reply is made once for all floors, since the floor only decides whether it is given.
    """
    settings = list(dict.fromkeys(point.without_floor for point in points))
    scored, abstained, sure = _without_floor(conversation, store, arms, settings)
    if_abstaining = np.array([f1(q.category, ABSTENTION, q.answer) for q in conversation.questions])
    place = [settings.index(point.without_floor) for point in points]
    floors = np.array([point.reading.floor for point in points])
    below = sure[place] < floors[:, None, None]
    categories = [question.category for question in conversation.questions]
    return categories, np.where(below, if_abstaining, scored[place]), np.where(below, 1.0, abstained[place])


def _without_floor(
    conversation: Conversation, store: Store, arms: Mapping[str, Arm], settings: Sequence[ReaderSettings]
) -> tuple[Floats, Floats, Floats]:
    """F1, abstention and confidence, each (settings, arms, questions)."""
    memories = make_memories(conversation, store, arms)
    readers = {name: _SweptReader(arm.reader, settings) for name, arm in arms.items()}
    of_memory = by_memory(arms)
    questions = iter(conversation.questions)
    for block in blocks(conversation, store):
        asked = AskedBlocks()
        cited = {name: _cited(memory, block, settings) for name, memory in memories.items()}
        sources = {name: asked.of(memory.source(block)) for name, memory in memories.items()}
        for row in range(len(block)):
            scores = _ReplyScores(next(questions))
            for name, by_k in cited.items():
                cites = {k: answers[row] for k, answers in by_k.items()}
                for arm in of_memory[name]:
                    readers[arm].read(sources[name][row], cites, scores)
    found = np.array([reader.figures() for reader in readers.values()])
    scored, abstained, sure = found.transpose(3, 2, 0, 1)
    return scored, abstained, sure


def _cited(memory: Memory, block: QueryBlock, settings: Iterable[ReaderSettings]) -> dict[int, list[Cites]]:
    """What the memory cites by k; only for the largest if the cites for others are the first of these.

    A memory that was not asked for some k counts as failed there; `rows` leaves these points out.
    """
    ks = dict.fromkeys(reading.k for reading in settings)
    not_asked = Cites([], [], [], failure="not asked")
    return {
        k: memory.cite(block, k) if memory.ks is None or k in memory.ks else [not_asked] * len(block)
        for k in ([max(ks)] if memory.nested else ks)
    }


class _SweptReader:
    """The reader of an arm, asked at just those settings that differ in what it looks at."""

    def __init__(self, reader: Reader, settings: Sequence[ReaderSettings]) -> None:
        self._reader = reader
        looks = [(reading.k, *(getattr(reading, name) for name in reader.uses)) for reading in settings]
        self._distinct = dict(zip(looks, settings, strict=True))
        self._places = [list(self._distinct).index(look) for look in looks]
        self._figures = array("d")

    def read(self, asked: AskedQuestion, cited: Mapping[int, Cites], scores: "_ReplyScores") -> None:
        """Note the figures of one question; `cited` is by k, or for the largest alone."""
        # Memories often cite the same: path2 and path3, say, or graph and span without a subject.
        known = scores.read.setdefault((self._reader, asked), [])
        figures = next((figures for other, figures in known if other == cited), None)
        if figures is None:
            figures = self._read(asked, cited, scores)
            known.append((cited, figures))
        self._figures.extend(figures)

    def _read(self, asked: AskedQuestion, cited: Mapping[int, Cites], scores: "_ReplyScores") -> list[float]:
        prepared = {k: _failed(cites) or self._reader.prepare(asked, cites) for k, cites in cited.items()}
        most = prepared[max(prepared)]
        figures: list[float] = []
        for reading in self._distinct.values():
            text, confidence, failure = prepared.get(reading.k, most).reply(reading)
            figures += (nan, nan, nan) if failure else (*scores.of(text), confidence)
        return figures

    def figures(self) -> Floats:
        """F1, abstention and confidence (questions, settings, 3)."""
        found: Floats = np.array(self._figures).reshape(-1, len(self._distinct), 3)[:, self._places]
        return found


def _failed(cites: Cites) -> Prepared | None:
    return _Failed(cites.failure) if cites.failure else None


@dataclass(frozen=True, slots=True)
class _Failed:
    """In place of a reader's preparation where the memory failed."""

    failure: str

    def reply(self, settings: ReaderSettings) -> Reply:
        return Reply("", nan, self.failure)


class _ReplyScores:
    """F1 and abstention of replies to one question, each worked out once: most settings agree."""

    def __init__(self, question: Question) -> None:
        self._question = question
        self._known: dict[str, tuple[float, float]] = {}
        self.read: dict[tuple[Reader, AskedQuestion], list[tuple[Mapping[int, Cites], list[float]]]] = {}
        """By reader and source of the cites: cites that were read, and the figures of the replies."""

    def of(self, text: str) -> tuple[float, float]:
        known = self._known.get(text)
        if known is None:
            question = self._question
            known = self._known[text] = f1(question.category, text, question.answer), float(abstains(text))
        return known


def not_asked(
    points: Iterable[Point], arms: Mapping[str, Arm], ks: Collection[int]
) -> set[tuple[Point, str]]:
    """The points of arms of external memories that need another k than these, which were asked."""
    external = [name for name, arm in arms.items() if arm.plugin]
    return {(point, name) for point in points if point.reading.k not in ks for name in external}


def rows(
    points: Sequence[Point],
    arms: Iterable[str],
    swept: Iterable[tuple[Sequence[Category], Floats, Floats]],
    left_out: Collection[tuple[Point, str]] = (),
) -> list[tuple[Point, str, dict[str, float | None]]]:
    """The means at each point of each arm, an arm's points together: F1 of three columns, abstention of all.

    `swept` is what `sweep` gives, by conversation; points of arms that are `left_out` have no row. NaN counts
    in no mean; where there is any, `scored` is how many questions the means of a row are over.
    """
    of_questions, *figures = zip(*swept, strict=True)
    categories = [category for some in of_questions for category in some]
    scored, abstained = (np.concatenate(arrays, axis=2) for arrays in figures)
    kept = [
        (number, arm, place, point)
        for number, arm in enumerate(arms)
        for place, point in enumerate(points)
        if (point, arm) not in left_out
    ]
    failures = any(bool(np.isnan(abstained[place, number]).any()) for number, _, place, _ in kept)
    inside = {column: np.isin(categories, list(COLUMNS[column])) for column in SWEPT}
    return [
        (
            point,
            arm,
            {column: mean(_known(scored[place, number][mask])) for column, mask in inside.items()}
            | {"abstained": mean(_known(abstained[place, number]))}
            | ({"scored": len(_known(abstained[place, number]))} if failures else {}),
        )
        for number, arm, place, point in kept
    ]


def _known(figures: Floats) -> list[float]:
    known: list[float] = figures[~np.isnan(figures)].tolist()
    return known

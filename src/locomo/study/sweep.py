"""Sweeps: one setting at a time over its values, the others at the base (SPEC 12)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from locomo.answer.arms import Arm
from locomo.answer.asking import blocks, make_memories
from locomo.formats.dataset import ABSTENTION, Category, Conversation, Question
from locomo.formats.store import Store
from locomo.memory.base import Cites, Memory
from locomo.memory.external import FailedCites, YourMemory
from locomo.memory.query import QuestionBlock
from locomo.reader.lifting import Parts, Reader, ReaderSettings, Reading, read
from locomo.score.averages import COLUMNS, mean
from locomo.score.metric import grade, is_quiet
from locomo.text.sparse import Floats, Integers

SWEPT = ("answerable", "adversarial", "overall")


class Way(NamedTuple):
    """How many cites a reader gets, and how it reads them."""

    k: int
    reading: ReaderSettings


@dataclass(frozen=True, slots=True)
class Point:
    """One value of one setting, and the way to read that goes with it."""

    setting: str
    value: float
    way: Way


def points(base: Mapping[str, float], sweeps: Mapping[str, Sequence[float]]) -> list[Point]:
    """Every point of every sweep, in order; `base` has a value for each of k, floor, span, band and parts."""
    every = []
    for setting, values in sweeps.items():
        for value in values:
            chosen = {**base, setting: value}
            reading = ReaderSettings(
                chosen["floor"], int(chosen["span"]), chosen["band"], int(chosen["parts"])
            )
            every.append(Point(setting, value, Way(int(chosen["k"]), reading)))
    return every


def sweep(
    conversation: Conversation, store: Store, arms: Mapping[str, Arm], points: Sequence[Point]
) -> tuple[list[Category], Floats, Floats]:
    """The F1 and the silence (0 or 1) of each arm on each question of a conversation, at each point.

    Gives the categories of the questions, and two arrays (points, arms, questions), NaN where a memory from
    outside failed. A memory of ours is asked once, for as many cites as the largest k wants: the best k are
    the first k of them. The floor only decides whether a reply is given, so that a way to read is gone once
    for all floors.
    """
    ways = sorted(dict.fromkeys(_without_floor(point.way) for point in points), key=lambda way: way.k)
    f1, quiet, sure = _read_all(conversation, store, arms, ways)
    declining = np.array([grade(q.category, ABSTENTION, q.answer) for q in conversation.questions])
    place = [ways.index(_without_floor(point.way)) for point in points]
    floors = np.array([point.way.reading.floor for point in points])
    declined = sure[place] < floors[:, None, None]
    categories = [question.category for question in conversation.questions]
    return categories, np.where(declined, declining, f1[place]), np.where(declined, 1.0, quiet[place])


def _without_floor(way: Way) -> Way:
    return way._replace(reading=way.reading._replace(floor=0.0))


def _read_all(
    conversation: Conversation, store: Store, arms: Mapping[str, Arm], ways: Sequence[Way]
) -> tuple[Floats, Floats, Floats]:
    """F1, silence and confidence, each (ways, arms, questions)."""
    found = np.zeros((len(conversation.questions), len(arms), 3, len(ways)))
    memories = make_memories(conversation, store, arms)
    readers = {
        name: [(column, arm.reader) for column, arm in enumerate(arms.values()) if arm.memory == name]
        for name in memories
    }
    ks = np.array([way.k for way in ways])
    questions = iter(zip(conversation.questions, found, strict=True))
    for block in blocks(conversation, store):
        asked = [
            (name, places, answers)
            for name, memory in memories.items()
            for places, answers in _ask(memory, block, ks)
        ]
        for row in range(len(block)):
            question, figures = next(questions)
            reading, marks = Reading(block, row), _Marks(question)
            for name, places, answers in asked:
                cites = answers[row]
                if isinstance(cites, FailedCites):
                    figures[[column for column, _ in readers[name]], :, places] = np.nan
                    continue
                sure = _confidences(block.turn_coverage[row], cites, ks[places])
                for column, reader in readers[name]:
                    replies = _replies(reader, reading, cites, ways[places])
                    figures[column, :2, places] = np.array([marks.of(reply) for reply in replies]).T
                    figures[column, 2, places] = sure
    f1, quiet, sure = found.transpose(2, 3, 1, 0)
    return f1, quiet, sure


def _ask(memory: Memory, block: QuestionBlock, ks: Integers) -> Iterator[tuple[slice, list[Cites]]]:
    """What the memory cites for the ways of these k, which stand together: which ways, and the cites."""
    if not isinstance(memory, YourMemory):
        yield slice(None), memory.ask(block, int(ks.max()))
        return
    # It may rank otherwise for another k, so that its first few of many need not be its few.
    for k in dict.fromkeys(ks.tolist()):
        places = (ks == k).nonzero()[0]
        yield slice(int(places[0]), int(places[-1]) + 1), memory.ask(block, k)


def _confidences(covered: Floats, cites: Cites, ks: Integers) -> Floats:
    """The confidence in the first k cites, for each k: how much of the question the best of them covers."""
    best = np.maximum.accumulate([0.0, *covered[cites.turns].tolist()])
    return best[np.minimum(ks, len(cites))]


def _replies(reader: Reader, reading: Reading, cites: Cites, ways: Sequence[Way]) -> list[str]:
    """What is replied in each way; the same text is made once, for most ways agree in what they read."""
    if not len(cites) or reading.asks_when:
        return [read(reader, reading, cites, 1.0, ways[0].reading)] * len(ways)
    extents: dict[tuple[float, int], tuple[int, int]] = {}
    parts: dict[int, Parts] = {}
    known: dict[tuple[int, int, int], str] = {}
    replies = []
    for k, settings in ways:
        limits, span = (settings.band, settings.parts), settings.span
        if limits not in extents:
            extents[limits] = reader.extent(cites, settings)
        within, most = extents[limits]
        key = min(k, within), most, span
        if key not in known:
            if span not in parts:
                parts[span] = reader.parts(reading, cites, span)
            known[key] = parts[span].joined(key[0], most) or ABSTENTION
        replies.append(known[key])
    return replies


class _Marks:
    """The marks of replies to one question, each worked out once: most ways of reading agree."""

    def __init__(self, question: Question) -> None:
        self._question = question
        self._known: dict[str, tuple[float, float]] = {}

    def of(self, reply: str) -> tuple[float, float]:
        known = self._known.get(reply)
        if known is None:
            marked = grade(self._question.category, reply, self._question.answer)
            known = self._known[reply] = marked, float(is_quiet(reply))
        return known


def rows(
    points: Sequence[Point], arms: Iterable[str], categories: Sequence[Category], f1: Floats, quiet: Floats
) -> list[tuple[Point, str, dict[str, float | None]]]:
    """The means at each point of each arm, an arm's points together: F1 of three columns, quiet of all.

    `categories` are those of the questions, the last axis of both arrays. NaN counts in no mean; where there
    is any, `scored` is how many questions the means of a row are over.
    """
    failures = bool(np.isnan(quiet).any())
    inside = {column: np.isin(categories, list(COLUMNS[column])) for column in SWEPT}
    return [
        (
            point,
            arm,
            {column: mean(_known(f1[place, number][mask])) for column, mask in inside.items()}
            | {"quiet": mean(_known(quiet[place, number]))}
            | ({"scored": len(_known(quiet[place, number]))} if failures else {}),
        )
        for number, arm in enumerate(arms)
        for place, point in enumerate(points)
    ]


def _known(figures: Floats) -> list[float]:
    known: list[float] = figures[~np.isnan(figures)].tolist()
    return known

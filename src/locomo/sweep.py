"""Sweeps: one setting at a time over its values, the others at the base (SPEC 12)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

import numpy as np

from locomo.answer import blocks, make_memories
from locomo.arms import Arm
from locomo.dataset import ABSTENTION, Category, Conversation, Question
from locomo.means import COLUMNS, mean
from locomo.metric import grade, is_quiet
from locomo.reader import ReaderSettings, Reading, read
from locomo.store import Store
from locomo.vocabulary import Floats

SWEPT = ("answerable", "adversarial", "overall")


@dataclass(frozen=True, slots=True)
class Way:
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
) -> tuple[Floats, Floats]:
    """The F1 and the silence (0 or 1) of each arm on each question of a conversation, at each point.

    Two arrays (points, arms, questions). A memory is asked once, for as many cites as the largest k wants:
    the best k are the first k of them. The floor only decides whether a reply is given, so that a way to
    read is gone once for all floors.
    """
    ways = list(dict.fromkeys(_without_floor(point.way) for point in points))
    f1, quiet, sure = _read_all(conversation, store, arms, ways)
    declining = np.array([grade(q.category, ABSTENTION, q.answer) for q in conversation.questions])
    place = [ways.index(_without_floor(point.way)) for point in points]
    floors = np.array([point.way.reading.floor for point in points])
    declined = sure[place] < floors[:, None, None]
    return np.where(declined, declining, f1[place]), np.where(declined, 1.0, quiet[place])


def _without_floor(way: Way) -> Way:
    return replace(way, reading=replace(way.reading, floor=0.0))


def _read_all(
    conversation: Conversation, store: Store, arms: Mapping[str, Arm], ways: Sequence[Way]
) -> tuple[Floats, Floats, Floats]:
    """F1, silence and confidence, each (ways, arms, questions)."""
    f1, quiet, sure = np.zeros((3, len(ways), len(arms), len(conversation.questions)))
    memories = make_memories(conversation, store, arms)
    most = max(way.k for way in ways)
    questions = enumerate(conversation.questions)
    for block in blocks(conversation, store):
        asked = {name: memory.ask(block, most) for name, memory in memories.items()}
        for row in range(len(block)):
            index, question = next(questions)
            reading, marks = Reading(block, row), _Marks(question)
            covered = block.turn_coverage[row]
            for name, cites in asked.items():
                best = [0.0, *accumulate((float(covered[cite.turn]) for cite in cites[row]), max)]
                for column, arm in enumerate(arms.values()):
                    if arm.memory != name:
                        continue
                    for place, way in enumerate(ways):
                        kept = cites[row][: way.k]
                        confidence = best[len(kept)]
                        reply = read(arm.reader, reading, kept, confidence, way.reading)
                        sure[place, column, index] = confidence
                        f1[place, column, index], quiet[place, column, index] = marks.of(reply)
    return f1, quiet, sure


class _Marks:
    """The marks of replies to one question, each worked out once: most ways of reading agree."""

    def __init__(self, question: Question) -> None:
        self._question = question
        self._known: dict[str, tuple[float, float]] = {}

    def of(self, reply: str) -> tuple[float, float]:
        if reply not in self._known:
            marked = grade(self._question.category, reply, self._question.answer)
            self._known[reply] = (marked, float(is_quiet(reply)))
        return self._known[reply]


def rows(
    points: Sequence[Point], arms: Iterable[str], categories: Sequence[Category], f1: Floats, quiet: Floats
) -> list[tuple[Point, str, dict[str, float | None]]]:
    """The means at each point of each arm, an arm's points together: F1 of three columns, quiet of all.

    `categories` are those of the questions, the last axis of both arrays.
    """
    inside = {column: np.isin(categories, list(COLUMNS[column])) for column in SWEPT}
    return [
        (
            point,
            arm,
            {column: mean(f1[place, number][mask].tolist()) for column, mask in inside.items()}
            | {"quiet": mean(quiet[place, number].tolist())},
        )
        for number, arm in enumerate(arms)
        for place, point in enumerate(points)
    ]

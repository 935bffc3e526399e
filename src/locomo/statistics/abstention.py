"""Abstention: the F1 of constant abstention, and arms compared at equal abstention (SPEC 12).

An arm that abstains more gains on adversarial questions and loses on answerable ones for that reason alone.
"""

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from locomo.core.errors import made_by
from locomo.formats.dataset import ABSTENTION, Conversation
from locomo.score.averages import Row, row
from locomo.score.measures.f1 import f1


@dataclass(frozen=True, slots=True)
class Point:
    """An arm at one floor: how often it abstains (share of all questions), and its F1."""

    floor: float
    abstained: float
    answerable: float | None
    adversarial: float | None
    overall: float | None
    interpolated: bool = False
    """Whether it was interpolated linearly between two swept floors, and was not run."""


Curve = Sequence[Point]
"""One arm at every swept floor, in ascending order: the higher the floor, the more it abstains."""


def constant_abstention(conversations: Iterable[Conversation]) -> Row:
    """The F1 of abstaining on every question: what any mean has to beat."""
    return row(
        (question.category, f1(question.category, ABSTENTION, question.answer))
        for conversation in conversations
        for question in conversation.questions
    )


def read_curves(path: Path) -> dict[str, Curve]:
    """Read the sweep of the floor (arm, floor, answerable, adversarial, overall, abstained), a curve per arm.

    Raises LocomoError if the file is missing or damaged.
    """
    curves: dict[str, list[Point]] = {}
    with made_by("sweep", path), path.open(encoding="utf-8", newline="") as file:
        for line in csv.DictReader(file):
            if line["abstained"]:  # empty if the arm failed on every question
                curves.setdefault(line["arm"], []).append(_point(line))
    return {arm: sorted(points, key=lambda point: point.floor) for arm, points in curves.items()}


def equal_abstention(a: Curve, b: Curve) -> list[tuple[Point, Point]]:
    """Pairs of points where two arms abstain equally often, for each share that either has at a swept floor.

    A share that the other arm never reaches gives no pair; an arm that was not swept gives none at all.
    """
    shares = sorted({point.abstained for point in (*a, *b)})
    pairs = ((at(a, share), at(b, share)) for share in shares)
    return [(first, second) for first, second in pairs if first and second]


def at(curve: Curve, abstained: float) -> Point | None:
    """The point where an arm abstains this often: at the lowest such floor, else interpolated, else None."""
    for point in curve:
        if point.abstained == abstained:
            return point
    for before, after in pairwise(curve):
        if before.abstained < abstained < after.abstained:
            return _between(before, after, abstained)
    return None


def _between(before: Point, after: Point, abstained: float) -> Point:
    share = (abstained - before.abstained) / (after.abstained - before.abstained)

    def value(name: str) -> float | None:
        start, end = getattr(before, name), getattr(after, name)
        return None if start is None else start + share * (end - start)

    floor = before.floor + share * (after.floor - before.floor)
    return Point(
        floor, abstained, value("answerable"), value("adversarial"), value("overall"), interpolated=True
    )


def _point(line: dict[str, str]) -> Point:
    return Point(
        float(line["floor"]),
        float(line["abstained"]),
        _mean(line["answerable"]),
        _mean(line["adversarial"]),
        _mean(line["overall"]),
    )


def _mean(text: str) -> float | None:
    """A mean; None for an empty cell, if the data holds no such question."""
    return float(text) if text else None

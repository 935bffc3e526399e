"""Matched silence: two arms where they decline equally often, whatever floor that takes each (SPEC 12).

An arm that declines more is ahead on adversarial questions and behind on answerable ones for that alone.
"""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from locomo.core.errors import LocomoError


@dataclass(frozen=True, slots=True)
class Point:
    """An arm at one floor: how often it declines (share of all questions), and its F1."""

    floor: float
    quiet: float
    answerable: float | None
    adversarial: float | None
    overall: float | None
    interpolated: bool = False
    """Whether it lies on the straight line between two swept floors, and was not run."""


Curve = Sequence[Point]
"""One arm at every swept floor, in ascending order: the higher the floor, the quieter."""


def read_curves(path: Path) -> dict[str, Curve]:
    """Read the sweep of the floor (arm, floor, answerable, adversarial, overall, quiet): a curve an arm.

    Raises LocomoError if the file is not there or is none.
    """
    curves: dict[str, list[Point]] = {}
    try:
        with path.open(encoding="utf-8", newline="") as file:
            for line in csv.DictReader(file):
                curves.setdefault(line["arm"], []).append(_point(line))
    except FileNotFoundError as error:
        raise LocomoError(f"{path}: is not there; `dvc repro sweep` makes it") from error
    except (ValueError, KeyError, TypeError) as error:
        raise LocomoError(
            f"{path}: is no sweep of the floor ({error!r}); `dvc repro sweep` makes one"
        ) from error
    return {arm: sorted(points, key=lambda point: point.floor) for arm, points in curves.items()}


def matched_silence(a: Curve, b: Curve) -> list[tuple[Point, Point]]:
    """The points of two arms with the same silence, for each silence that either has at a swept floor.

    A silence that the other arm reaches at no floor has no match; nor has an arm that was not swept.
    """
    levels = sorted({point.quiet for point in (*a, *b)})
    pairs = ((at(a, quiet), at(b, quiet)) for quiet in levels)
    return [(first, second) for first, second in pairs if first and second]


def at(curve: Curve, quiet: float) -> Point | None:
    """Where an arm declines this often: at the lowest swept floor that does it, else between two of them."""
    for point in curve:
        if point.quiet == quiet:
            return point
    for before, after in pairwise(curve):
        if before.quiet < quiet < after.quiet:
            return _between(before, after, quiet)
    return None


def _between(before: Point, after: Point, quiet: float) -> Point:
    share = (quiet - before.quiet) / (after.quiet - before.quiet)

    def value(name: str) -> float | None:
        start, end = getattr(before, name), getattr(after, name)
        return None if start is None else start + share * (end - start)

    floor = before.floor + share * (after.floor - before.floor)
    return Point(floor, quiet, value("answerable"), value("adversarial"), value("overall"), interpolated=True)


def _point(line: dict[str, str]) -> Point:
    return Point(
        float(line["floor"]),
        float(line["quiet"]),
        _mean(line["answerable"]),
        _mean(line["adversarial"]),
        _mean(line["overall"]),
    )


def _mean(text: str) -> float | None:
    """A mean; the column is empty where the data holds no such question."""
    return float(text) if text else None

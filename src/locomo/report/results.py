"""Everything the report is made from, read from `metrics/`, `reports/sweeps/` and `data/`."""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from locomo.answer.arms import ordered
from locomo.core.errors import LocomoError
from locomo.core.json_input import parse
from locomo.core.settings import Settings
from locomo.formats import dataset
from locomo.formats.dataset import Category
from locomo.results import predictions
from locomo.results.predictions import Answer, Origin
from locomo.score.averages import COLUMNS, Table, rounded
from locomo.score.scoring import MEASURES, Mark, incomplete, read_marks, shares
from locomo.statistics.abstention import Curve, Point, at, matched_silence, read_curves

PREDICTIONS = Path("data/predictions.json")

# The one question whose text is published with the method's own figures (SPEC, tables.json).
EXAMPLE = "What is Tim trying out to improve his strength and flexibility after recovery from ankle injury?"
EXAMPLE_ARMS = ("vector", "graph", "oracle")


@dataclass(frozen=True, slots=True)
class Example:
    """The worked example: a question and what some arms answered."""

    sample: str
    question: str
    answers: Mapping[str, Answer]


@dataclass(frozen=True, slots=True)
class Results:
    """The figures of one run."""

    settings: Settings
    arms: Sequence[str]
    tables: Mapping[str, Table]
    """By measure."""
    build: Mapping[str, Any]
    abstention: Mapping[str, float | None]
    separation: Mapping[str, Mapping[str, float | None]]
    paired: Mapping[str, Any]
    factors: Mapping[str, Mapping[str, float | None]]
    control: Mapping[str, Any]
    official: Mapping[str, Any]
    reach: Mapping[str, Any]
    ceiling: Mapping[str, Mapping[str, float | None]]
    sweeps: Mapping[str, Sequence[Mapping[str, Any]]]
    """Of each setting the rows (arm, the setting's value, answerable, adversarial, overall, quiet)."""
    curves: Mapping[str, Curve]
    """Of each arm the points along the floor."""
    confidences: Mapping[str, tuple[Sequence[float], Sequence[float]]]
    """Of each arm the confidences on answerable and on adversarial questions."""
    example: Example | None
    origins: Mapping[str, Origin]
    """Which memory each of those from outside is."""
    scored: Mapping[str, Mapping[str, str]]
    """Of each arm that failed on some question, how many of those in each column it was scored on."""

    @property
    def asked(self) -> int:
        """How many questions there are."""
        return int(self.build["total"]["questions"])

    def bypassed(self, k: int) -> list[str]:
        """The conversations of which k cites may be all turns, so that nothing has to be found."""
        return [name for name, built in self.build["conversations"].items() if built["turns"] <= k]

    @property
    def reference(self) -> str:
        """The arm that others are compared with where one has to be chosen: the first."""
        return self.arms[0]

    @property
    def matched(self) -> dict[str, Point]:
        """Each arm where it is as quiet as the reference at the base's floor, if it ever is."""
        floor = self.settings.sweep.base.floor
        level = next((p.quiet for p in self.curves[self.reference] if p.floor == floor), None)
        found = {arm: at(curve, level) for arm, curve in self.curves.items()} if level is not None else {}
        return {arm: point for arm, point in found.items() if point}


def load(settings: Settings) -> Results:
    """Read what the other stages wrote. Raises LocomoError if something is not there."""
    tables = {measure: _table(settings.arms, measure) for measure in MEASURES}
    build = _json("metrics/build.json")
    marks = read_marks(Path("data/marks.csv"))
    return Results(
        settings=settings,
        arms=list(tables["f1"]),
        tables=tables,
        build=build,
        abstention=_json("metrics/statistics/abstention.json"),
        separation=_json("metrics/statistics/separation.json"),
        paired=_json("metrics/statistics/paired.json"),
        factors=_json("metrics/statistics/factors.json"),
        control=_json("metrics/control.json"),
        official=_json("metrics/official.json"),
        reach=_json("metrics/reach.json"),
        ceiling=_json("metrics/ceiling.json"),
        sweeps={setting: _sweep(setting) for setting in settings.sweep.values},
        curves=read_curves(Path("reports/sweeps/floor.csv")),
        confidences=_confidences(marks),
        example=_example(),
        origins=predictions.read_origins(PREDICTIONS),
        scored=_scored(marks, list(tables["f1"]), build),
    )


def matched_rows(curves: Mapping[str, Curve]) -> list[dict[str, Any]]:
    """Every two arms at every silence that both reach: floors, F1 on both halves, what is interpolated."""
    return [
        {"arm": a, "other": b, "quiet": one.quiet} | _columns("arm", one) | _columns("other", two)
        for a, b in combinations(curves, 2)
        for one, two in matched_silence(curves[a], curves[b])
    ]


def category_rows(tables: Mapping[str, Table]) -> list[dict[str, Any]]:
    """A row an arm and category, with all measures: the tables in the long form that plots want."""
    return [
        {"arm": arm, "category": column} | {measure: table[arm][column] for measure, table in tables.items()}
        for arm, row in tables["f1"].items()
        for column in row
    ]


def _columns(side: str, point: Point) -> dict[str, Any]:
    figures = {"floor": point.floor, "answerable": point.answerable, "adversarial": point.adversarial}
    cells: dict[str, Any] = {
        name: None if value is None else rounded(value) for name, value in figures.items()
    }
    cells["interpolated"] = point.interpolated
    return {f"{name}_{side}": cell for name, cell in cells.items()}


def _table(arms: Sequence[str], measure: str) -> Table:
    rows = {arm: _json(f"metrics/{measure}/{arm}.json") for arm in ordered(arms)}
    # Behind the means of an arm that failed on some questions stand their numbers.
    return {arm: {column: row[column] for column in COLUMNS} for arm, row in rows.items()}


def _json(path: str) -> Any:
    return parse(Path(path), "`dvc repro` makes it")


def _sweep(setting: str) -> list[dict[str, Any]]:
    path = Path(f"reports/sweeps/{setting}.csv")
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return [
                {
                    name: cell if name == "arm" else float(cell) if cell else None
                    for name, cell in line.items()
                }
                for line in csv.DictReader(file)
            ]
    except ValueError as error:
        raise LocomoError(f"{path}: is no sweep ({error}); `dvc repro sweep` makes one") from error


def _scored(
    marks: Sequence[Mark], arms: Sequence[str], build: Mapping[str, Any]
) -> dict[str, dict[str, str]]:
    asked = {
        column: sum(build["categories"][category.label]["questions"] for category in group)
        for column, group in COLUMNS.items()
    }
    return shares(incomplete(marks, arms, asked), asked)


def _confidences(marks: Sequence[Mark]) -> dict[str, tuple[list[float], list[float]]]:
    found: dict[str, tuple[list[float], list[float]]] = {}
    for mark in marks:
        answerable, adversarial = found.setdefault(mark.arm, ([], []))
        (adversarial if mark.category is Category.ADVERSARIAL else answerable).append(mark.confidence)
    return found


def _example() -> Example | None:
    for conversation in dataset.read(Path("data/locomo10.json")):
        for index, question in enumerate(conversation.questions):
            if question.question == EXAMPLE:
                answers = dict(predictions.read(PREDICTIONS))[conversation.sample_id][index]
                given = {arm: answers.get(arm) for arm in EXAMPLE_ARMS}
                shown = {arm: answer for arm, answer in given.items() if isinstance(answer, Answer)}
                return Example(conversation.sample_id, EXAMPLE, shown)
    return None

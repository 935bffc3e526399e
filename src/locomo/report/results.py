"""Everything the report is made from, read from `metrics/`, `reports/sweeps/` and `data/`."""

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

from locomo.answer.arms import ARMS
from locomo.core import paths
from locomo.core.errors import made_by
from locomo.core.settings import Base
from locomo.formats import answer_key, dataset, keys
from locomo.formats.answer_key import AnswerKey
from locomo.formats.built import RUN
from locomo.formats.dataset import Category, Conversation
from locomo.results import predictions, published
from locomo.results.predictions import Answer, Failure, Origin
from locomo.results.provenance import NOTE, Provenance, SignedRun, read_signed
from locomo.results.scores import Score, read_scores
from locomo.score.averages import COLUMNS, Row, Table, counts, rounded
from locomo.score.measures import MEASURES
from locomo.score.retrieval import RETRIEVAL
from locomo.score.scoring import incomplete, shares
from locomo.score.signature import signature
from locomo.statistics.abstention import Curve, Point, at, equal_abstention, read_curves
from locomo.statistics.faults import worth

# The one question whose text is published with the method's own figures (SPEC, tables.json).
EXAMPLE = "What is Tim trying out to improve his strength and flexibility after recovery from ankle injury?"
EXAMPLE_ARMS = ("vector", "graph", "oracle")
"""The arms of ours that answer it in the report; others take the place of those that did not run."""

COST = (
    "constructed",
    "calls",
    "construct_seconds",
    "ask_seconds",
    "p50_ms",
    "p95_ms",
    "kept",
    "failed",
    "own_confidence",
    "sessions",
    "texts",
)
"""The figures of `metrics/cost.json` that the report shows or speaks of."""


@dataclass(frozen=True, slots=True)
class Example:
    """The worked example: a question and what some arms answered."""

    sample: str
    question: str
    answers: Mapping[str, Answer | Failure]


@dataclass(frozen=True, slots=True)
class Results:
    """The figures of one run."""

    provenance: Provenance
    """What the answers were made with."""
    swept: Provenance
    """The same of the base of the sweeps."""
    arms: Sequence[str]
    tables: Mapping[str, Table]
    """By measure."""
    retrieval: Mapping[str, Table]
    """By measure of retrieval, a row per memory."""
    build: Mapping[str, Any]
    questions: Mapping[str, int]
    """How many count, by column."""
    abstention: Mapping[str, float | None]
    separation: Mapping[str, Mapping[str, float | None]]
    paired: Mapping[str, Any]
    factors: Mapping[str, Mapping[str, float | None]]
    control: Mapping[str, Any]
    official: Mapping[str, Any]
    reach: Mapping[str, Any]
    ceiling: Mapping[str, Mapping[str, float | None]]
    sweeps: Mapping[str, Sequence[Mapping[str, Any]]]
    """By setting, the rows (arm, the setting's value, answerable, adversarial, overall, abstained)."""
    curves: Mapping[str, Curve]
    """By arm, the points along the floor."""
    confidences: Mapping[str, tuple[Sequence[float], Sequence[float]]]
    """By arm, the confidences on answerable and on adversarial questions."""
    example: Example | None
    origins: Mapping[str, Origin]
    """Which code each external memory is."""
    cost: Mapping[str, Mapping[str, float]]
    """What each external memory took, and how many of its answers are of which kind, as in `cost.json`."""
    external: Mapping[str, Any]
    """Each arm of an external memory against ours at equal abstention, from `against_ours`."""
    scored: Mapping[str, Mapping[str, str]]
    """For each arm that failed on some question, how many questions of each column were scored."""
    key: AnswerKey
    faults: Mapping[str, Mapping[str, Row]]
    """What the faults of the published key are worth, from `worth`; only with the default settings."""
    audited: str
    """What the audited key does."""

    @property
    def asked(self) -> int:
        """How many questions count."""
        return self.questions["overall"]

    def bypassed(self, k: int) -> list[str]:
        """The conversations with at most k turns, where nothing has to be retrieved."""
        return [name for name, built in self.build["conversations"].items() if built["turns"] <= k]

    @property
    def reference(self) -> str:
        """The arm that the others are compared with: the first."""
        return self.arms[0]

    @property
    def graph_arms(self) -> list[str]:
        """The arms whose memory reads the graph."""
        return [arm for arm in self.arms if arm in ARMS and ARMS[arm].reads_graph]

    @property
    def abstaining_equally(self) -> dict[str, Point]:
        """Each arm at the point where it abstains as often as the reference at the base's floor, if any."""
        floor = self.swept.settings["floor"]
        share = next(
            (point.abstained for point in self.curves.get(self.reference, ()) if point.floor == floor), None
        )
        found = {arm: at(curve, share) for arm, curve in self.curves.items()} if share is not None else {}
        return {arm: point for arm, point in found.items() if point}


def load() -> Results:
    """Read what the other stages wrote.

    Raises LocomoError if a file is missing or damaged, or of another run than the rest.
    """
    signed = read_signed()
    signed.check(paths.DATASET, paths.PREDICTIONS, paths.SCORES)
    swept = Provenance.of_json(_json("sweep", paths.SWEEPS / NOTE), paths.SWEEPS / NOTE)
    _check_notes(signed, swept)
    tables = {measure: _table(signed.signatures, measure) for measure in MEASURES}
    scores = read_scores(paths.SCORES)
    conversations = list(answer_key.conversations())
    questions = counts(question.category for talk in conversations for question in talk.questions)
    origins = predictions.read_origins(paths.PREDICTIONS)
    return Results(
        provenance=signed.provenance,
        swept=swept,
        arms=list(tables["f1"]),
        tables=tables,
        retrieval=_retrieval(signed.signatures),
        build=_json("build", paths.BUILD),
        questions=questions,
        abstention=_statistic("abstention"),
        separation=_statistic("separation"),
        paired=_statistic("paired"),
        factors=_statistic("factors"),
        control=_json("control", paths.CONTROL),
        official=_json("official", paths.OFFICIAL),
        reach=_json("reach", paths.REACH),
        ceiling=_json("reach", paths.CEILING),
        sweeps={setting: _sweep(setting) for setting in Base.model_fields},
        curves=read_curves(paths.sweep("floor")),
        confidences=_confidences(scores),
        example=_example(signed, conversations),
        origins=origins,
        cost=_cost(origins),
        external=_statistic("external"),
        scored=shares(incomplete(scores, tables["f1"], questions), questions),
        key=answer_key.load(),
        faults=_faults(signed.provenance),
        audited=answer_key.told(published.run().notes[keys.AUDITED]),
    )


def equal_abstention_rows(curves: Mapping[str, Curve]) -> list[dict[str, Any]]:
    """Every two arms at all points of equal abstention: floors, F1 on both halves, whether interpolated."""
    return [
        {"arm": a, "other": b, "abstained": one.abstained} | _columns("arm", one) | _columns("other", two)
        for a, b in combinations(curves, 2)
        for one, two in equal_abstention(curves[a], curves[b])
    ]


def category_rows(tables: Mapping[str, Table]) -> list[dict[str, Any]]:
    """One row per arm and category, with all measures: the tables in the long form that plots need."""
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


def _check_notes(signed: SignedRun, swept: Provenance) -> None:
    """Refuse figures of another run: each stage notes in its output what the figures were made from."""
    signed.check_note(paths.BUILD, _json("build", paths.BUILD).get(RUN))
    signed.check_note(paths.STATISTICS, _statistic("run"))
    signed.check_note(paths.CONTROL, _json("control", paths.CONTROL).get(RUN))
    signed.check_note(paths.REACH, _json("reach", paths.REACH).get(RUN))
    official = _json("official", paths.OFFICIAL)["sha256"]
    signed.check_note(paths.OFFICIAL, {name: official[name] for name in ("predictions", "scores")})
    # The other settings of the sweeps are those of their base.
    made_from = {"dataset": swept.dataset, "key": swept.key, "infer": swept.settings["infer"]}
    signed.check_note(paths.SWEEPS, made_from)


def _table(arms: Iterable[str], measure: str) -> Table:
    rows = {arm: _json("score", paths.metric(measure, arm)) for arm in arms}
    # The file of an arm that failed on some questions also has the numbers of questions.
    return {arm: {column: row[column] for column in COLUMNS} for arm, row in rows.items()}


def _retrieval(arms: Iterable[str]) -> dict[str, Table]:
    memories = dict.fromkeys(arm.partition("+")[0] for arm in arms)
    found = {memory: _json("score", paths.RETRIEVAL / f"{memory}.json") for memory in memories}
    return {measure: {memory: found[memory][measure] for memory in found} for measure in RETRIEVAL}


def _statistic(name: str) -> Any:
    return _json("statistics", paths.STATISTICS / f"{name}.json")


def _json(stage: str, path: Path) -> Any:
    with made_by(stage, path):
        return json.loads(path.read_bytes())


def _sweep(setting: str) -> list[dict[str, Any]]:
    path = paths.sweep(setting)
    with made_by("sweep", path), path.open(encoding="utf-8", newline="") as file:
        return [
            {name: cell if name == "arm" else float(cell) if cell else None for name, cell in line.items()}
            for line in csv.DictReader(file)
        ]


def _confidences(scores: Sequence[Score]) -> dict[str, tuple[list[float], list[float]]]:
    found: dict[str, tuple[list[float], list[float]]] = {}
    for score in scores:
        answerable, adversarial = found.setdefault(score.arm, ([], []))
        (adversarial if score.category is Category.ADVERSARIAL else answerable).append(score.confidence)
    return found


def _cost(memories: Iterable[str]) -> dict[str, dict[str, float]]:
    with made_by("ask", paths.COST):
        found = json.loads(paths.COST.read_bytes())
        return {name: {figure: found[name][figure] for figure in COST} for name in memories}


def _faults(provenance: Provenance) -> dict[str, dict[str, Row]]:
    """From the two runs that the package ships, if this run differs from them in the key only."""
    run = published.run()
    if signature(replace(provenance, key=keys.PUBLISHED), "<arm>") != run.signatures[keys.PUBLISHED]:
        return {}
    conversations = list(dataset.read(paths.DATASET))
    by_key = (published.scores(key, run.arms, conversations) for key in (keys.PUBLISHED, keys.AUDITED))
    return worth(*by_key)


def _example(signed: SignedRun, conversations: Iterable[Conversation]) -> Example | None:
    ours = [arm for arm in signed.signatures if arm not in signed.external]
    shown = [*sorted(ours, key=lambda arm: arm not in EXAMPLE_ARMS)[:3], *signed.external]
    for conversation in conversations:
        for place, question in enumerate(conversation.questions):
            if question.question == EXAMPLE:
                answers = dict(predictions.read(paths.PREDICTIONS))[conversation.sample_id][place]
                return Example(conversation.sample_id, EXAMPLE, {arm: answers[arm] for arm in shown})
    return None

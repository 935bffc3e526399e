"""`locomo score`: the answers of a system that ran elsewhere, beside our arms over the same questions."""

import hashlib
import json
import math
import re
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, combinations, product
from pathlib import Path
from typing import Any

from tabulate import tabulate

from locomo.core.errors import LocomoError
from locomo.core.json_input import parse
from locomo.formats import dataset
from locomo.formats.dataset import ABSTENTION, REPORT_ORDER, Conversation
from locomo.results.run import DATASET, MARKS, SIGNATURES, run_signature
from locomo.score import averages
from locomo.score.averages import COLUMNS, Row, Table, row
from locomo.score.metric import evidence_recall, grade, is_quiet
from locomo.score.scoring import MEASURES, Mark, read_marks
from locomo.statistics import paired
from locomo.submissions import reading
from locomo.submissions.matching import Joined, Key, confidence, join, remarks
from locomo.submissions.reading import label
from locomo.text.tokens import load_stems

SUMMARY = "Score the answers of a system that ran elsewhere, beside our arms over the same questions."

STEMS = Path("data/stems.json")
ABSTAINS = "(abstention)"
"""The row of a program that tells every question that there is no information: what a mean has to beat."""

Counts = dict[str, int]
"""How many questions, by column of the tables."""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options of `locomo score`."""
    add = parser.add_argument
    add("file", type=Path, help="the answers: .json (flat, or in the official shape), .jsonl or .csv")
    add("--against", nargs="+", metavar="ARM", help="only beside these of our arms (default: all)")
    add("--json", action="store_true", help="print JSON, for tools")


def run(arguments: Namespace) -> None:
    """Print what became of each record and the figures. Raises LocomoError if no answer can be scored."""
    answers = reading.read(arguments.file)
    for path in (DATASET, MARKS, SIGNATURES):
        if not path.exists():
            raise LocomoError(
                f"{path}: is not there; run `dvc repro`, in the project's own folder, to make it"
            )
    conversations = list(dataset.read(DATASET))
    ours = _ours(conversations)
    against = _chosen(ours, arguments.against)
    if STEMS.exists():
        load_stems(STEMS)  # only for speed
    systems = [_apart(system, ours) for system in join(answers, conversations)]
    if not any(system.scored for system in systems):
        told = "".join(f"\n  {remark}" for system in systems for remark in remarks(system))
        raise LocomoError(f"{arguments.file}: no answer can be scored:{told}")
    report = Report(arguments.file, run_signature(), len(answers), _compared(systems, against))
    print(json.dumps(report.as_json(), indent=2) if arguments.json else report.text())


def _ours(conversations: Sequence[Conversation]) -> dict[str, dict[Key, Mark]]:
    """The marks of our arms, by arm and question, in the order of the dataset."""
    marks: dict[str, dict[Key, Mark]] = {}
    for mark in read_marks(MARKS):
        marks.setdefault(mark.arm, {})[mark.sample, mark.question] = mark
    asked = {(c.sample_id, index): q.category for c in conversations for index, q in enumerate(c.questions)}
    for arm, mine in marks.items():
        known = {key: mark.category for key, mark in mine.items()}
        # Questions that an arm failed on have no mark, and its signature says how many there are.
        if not known.items() <= asked.items() or len(asked) - len(known) != _failed(arm):
            raise LocomoError(
                f"{MARKS}: its marks of {arm} are not those of the questions in {DATASET};"
                " `dvc repro` makes them fit"
            )
    return marks


def _failed(arm: str) -> int:
    signatures = parse(SIGNATURES, "`dvc repro score` writes it")
    told = re.search(r"\|failed:(\d+)", str(signatures.get(arm)))
    return int(told[1]) if told else 0


def _chosen(marks: Mapping[str, dict[Key, Mark]], arms: Sequence[str] | None) -> dict[str, dict[Key, Mark]]:
    if unknown := [arm for arm in arms or [] if arm not in marks]:
        raise LocomoError(f"--against: {', '.join(unknown)}: not in this run; allowed: {', '.join(marks)}")
    return {arm: mine for arm, mine in marks.items() if not arms or arm in arms}


def _apart(system: Joined, ours: Mapping[str, object]) -> Joined:
    """The system under a name that none of our arms has."""
    return replace(system, arm=f"{system.arm} (given)") if system.arm in ours else system


def marks_of(system: Joined) -> dict[Key, Mark]:
    """The marks of the answers that did not fail; NaN is a recall or a confidence that there is none of."""
    return {key: _mark(system, key) for key in system.scored}


def _mark(system: Joined, key: Key) -> Mark:
    question, one = system.questions[key], system.scored[key]
    reply, sure = one.reply or "", confidence(one)
    told = system.cites and one.context is not None
    return Mark(
        *key,
        question.category,
        system.arm,
        grade(question.category, reply, question.answer),
        evidence_recall(one.context or [], question.evidence_ids) if told else math.nan,
        int(is_quiet(reply)),
        math.nan if sure is None else sure,
    )


def _compared(systems: Sequence[Joined], ours: Mapping[str, Mapping[Key, Mark]]) -> list["Comparison"]:
    """Systems that are scored on the same questions share their tables; others have their own."""
    alike: dict[tuple[object, ...], list[tuple[Joined, dict[Key, Mark]]]] = {}
    for system in systems:
        marks = marks_of(system)
        questions = tuple((key, math.isnan(mark.recall)) for key, mark in marks.items())
        alike.setdefault(questions, []).append((system, marks))
    return [
        Comparison(
            [system for system, _ in group],
            {system.arm: marks for system, marks in group},
            {arm: {key: mine[key] for key in group[0][1] if key in mine} for arm, mine in ours.items()},
        )
        for group in alike.values()
    ]


@dataclass(frozen=True)
class Comparison:
    """Systems that are scored on the same questions, and our arms on these and no others."""

    systems: Sequence[Joined]
    theirs: Mapping[str, Mapping[Key, Mark]]
    ours: Mapping[str, Mapping[Key, Mark]]

    def over(self, measure: str) -> list[Key]:
        """The questions that a measure's means are over: those that the systems have it for, if any."""
        marks = next(iter(self.theirs.values()))
        return [key for key, mark in marks.items() if _is_there(mark, measure)] or list(marks)

    def table(self, measure: str) -> Table:
        """The means of a measure: the systems, our arms, and for F1 constant abstention."""
        keys = self.over(measure)
        rows = {
            arm: row(
                (marks[key].category, getattr(marks[key], measure))
                for key in keys
                if key in marks and _is_there(marks[key], measure)
            )
            for arm, marks in chain(self.theirs.items(), self.ours.items())
        }
        return rows | {ABSTAINS: self._abstaining(keys)} if measure == "f1" else rows

    def _abstaining(self, keys: Sequence[Key]) -> Row:
        asked = (self.systems[0].questions[key] for key in keys)
        return row((q.category, grade(q.category, ABSTENTION, q.answer)) for q in asked)

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The systems two by two, and each of them with each of our arms."""
        return [*combinations(self.theirs, 2), *product(self.theirs, self.ours)]

    @cached_property
    def paired(self) -> dict[str, Any]:
        """The differences of `pairs` in F1, as `statistics.paired` has them."""
        return paired.paired(self._marks(), self.pairs)

    @cached_property
    def separation(self) -> Table:
        """Areas under the ROC curve; None for the confidence of a system that did not always give it."""
        rows = paired.separation(self._marks())
        for arm, marks in self.theirs.items():
            if not all(_is_there(mark, "confidence") for mark in marks.values()):
                rows[arm]["auc_confidence"] = None
        return rows

    def _marks(self) -> list[Mark]:
        return [mark for marks in chain(self.theirs.values(), self.ours.values()) for mark in marks.values()]


def _is_there(mark: Mark, measure: str) -> bool:
    return not math.isnan(getattr(mark, measure))


def counts(system: Joined) -> dict[str, Counts]:
    """How many questions there are, and how many of them were scored, failed or are missing."""
    kinds = {
        "asked": system.questions,
        "scored": system.scored,
        "failed": system.failed,
        "missing": system.missing,
    }
    return {kind: _columns(system, list(keys)) for kind, keys in kinds.items()}


def _columns(system: Joined, keys: Sequence[Key]) -> Counts:
    return averages.counts(system.questions[key].category for key in keys)


def _failures(comparison: Comparison) -> Iterator[str]:
    """Which of our arms have fewer questions in these tables, because a memory failed on the others."""
    asked = len(next(iter(comparison.theirs.values())))
    for arm, marks in comparison.ours.items():
        if len(marks) < asked:
            failed = f"{asked - len(marks):,}"
            yield f"{arm} failed on {failed} of these questions; they count in none of its figures"


@dataclass(frozen=True, slots=True)
class Report:
    """All that is told about a file of answers."""

    path: Path
    ours: str
    """The signature of our arms."""
    answers: int
    comparisons: Sequence[Comparison]

    def signature(self, system: Joined) -> str:
        """What must stand beside a quoted figure of a system: which answers it is of, and how many."""
        version, data, *_ = self.ours.split("|")
        numbers = {kind: n["overall"] for kind, n in counts(system).items()}
        digest = hashlib.sha256(self.path.read_bytes()).hexdigest()[:12]
        parts = [version, data, f"answers:{digest}", *(f"{kind}:{n}" for kind, n in numbers.items())]
        return "|".join([*parts, f"arm:{system.arm}"])

    def as_json(self) -> dict[str, Any]:
        """Everything, for tools."""
        return {
            "file": str(self.path),
            "answers": self.answers,
            "signature": self.ours,
            "comparisons": [
                {
                    "systems": {
                        system.arm: {
                            "signature": self.signature(system),
                            "counts": counts(system),
                            "remarks": remarks(system),
                        }
                        for system in comparison.systems
                    },
                    "questions": {
                        measure: _columns(comparison.systems[0], comparison.over(measure))
                        for measure in MEASURES
                    },
                    **{measure: comparison.table(measure) for measure in MEASURES},
                    "paired": comparison.paired,
                    "separation": comparison.separation,
                }
                for comparison in self.comparisons
            ],
        }

    def text(self) -> str:
        """Everything, for a terminal."""
        parts = [f"{self.path}: {self.answers:,} answers"]
        for comparison in self.comparisons:
            parts += [_fit(system) for system in comparison.systems]
            parts += [_means(comparison, measure) for measure in MEASURES]
            parts += [*_differences(comparison), *_areas(comparison), *_failures(comparison)]
        systems = [system for comparison in self.comparisons for system in comparison.systems]
        lines = [*(self.signature(system) for system in systems), self.ours]
        return "\n\n".join([*parts, "To quote a figure, add its signature:\n" + "\n".join(lines)])


def _fit(system: Joined) -> str:
    """A system's numbers of questions, under the names and numbers of the categories; and the remarks."""
    header = [system.arm, *(label(category).replace(" ", "\n") for category in REPORT_ORDER)]
    rows = [[kind, *numbers.values()] for kind, numbers in counts(system).items()]
    table = tabulate(rows, [*header, *list(COLUMNS)[len(REPORT_ORDER) :]], intfmt=",")
    return table + "".join(f"\n* {remark}" for remark in remarks(system))


def _means(comparison: Comparison, measure: str) -> str:
    """A table of means, and over each column how many questions it is over."""
    system = comparison.systems[0]
    asked = counts(system)["asked"]
    over = _columns(system, comparison.over(measure))
    header = [f"{name}\n{_of(over[name], asked[name])}" for name in COLUMNS]
    rows = [[arm, *figures.values()] for arm, figures in comparison.table(measure).items()]
    return tabulate(rows, [f"{measure}\nquestions", *header], floatfmt=".3f", missingval="-")


def _of(some: int, all: int) -> str:
    return f"{some:,}" if some == all else f"{some:,} of {all:,}"


def _differences(comparison: Comparison) -> Iterator[str]:
    """A table of paired differences for each system, and where the intervals come from."""
    found = dict(zip(comparison.pairs, comparison.paired["pairs"].values(), strict=True))
    for system in comparison.theirs:
        header = [f"f1 of {system}, less that of"]
        header += [name for half in paired.HALVES for name in (half, "95% interval")]
        rows = [
            [other, *(cell for half in paired.HALVES for cell in _difference(halves[half]))]
            for (one, other), halves in found.items()
            if one == system
        ]
        if rows:
            yield tabulate(rows, header, disable_numparse=True)
    drawn = [f"{half}: {_drawn(about)}" for half, about in comparison.paired["bootstrap"].items()]
    yield f"intervals of a paired bootstrap over conversations; {', '.join(drawn)}"


def _difference(figures: Row) -> tuple[str, str]:
    difference, low, high = figures.values()
    interval = "-" if low is None else f"{low:+.3f} to {high:+.3f}"
    return "-" if difference is None else f"{difference:+.3f}", interval


def _drawn(about: Mapping[str, Any]) -> str:
    conversations, resamples, exact = about.values()
    how = "all" if exact else "random"
    return f"{conversations} conversations, {how} {resamples:,} resamples" if resamples else "none"


def _areas(comparison: Comparison) -> Iterator[str]:
    """The areas under the ROC curve, unless one of the halves has no question."""
    rows = [[arm, *list(figures.values())[:2]] for arm, figures in comparison.separation.items()]
    if any(area is not None for _, *areas in rows for area in areas):
        header = [
            "area under ROC curve,\nanswerable against adversarial",
            "confidence",
            "decision\nto answer",
        ]
        yield tabulate(rows, header, floatfmt=".3f", missingval="-")

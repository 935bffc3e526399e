"""What `locomo score` reports on a file of answers, as JSON, text, Markdown, LaTeX or CSV."""

import csv
import hashlib
import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from tabulate import tabulate

from locomo.formats.dataset import REPORT_ORDER
from locomo.score.averages import COLUMNS, Row
from locomo.statistics.halves import HALVES
from locomo.submissions.comparison import Comparison, columns, counts, failures
from locomo.submissions.diagnosis import remarks
from locomo.submissions.matching import Matched
from locomo.submissions.names import in_signature
from locomo.submissions.ours import Ours
from locomo.submissions.reading import Answers


class Line(NamedTuple):
    """A line of a table."""

    name: str
    cells: Sequence[object]
    about: str = ""
    """What it says of the line of this name, if it is no line of its own."""

    @property
    def label(self) -> str:
        """How it is shown."""
        return f"({self.about})" if self.about else self.name


@dataclass(frozen=True, slots=True)
class Table:
    """A table; figures have three decimals."""

    name: str
    """Of the first column, and in CSV of the table."""
    header: Sequence[str]
    """After the name of a column, there may be a line break and more about it."""
    lines: Sequence[Line]
    by_column: bool = True
    """Whether the columns are those of `COLUMNS`."""


Part = Table | str
"""A table or a paragraph."""


@dataclass(frozen=True, slots=True)
class Report:
    """The report on a file of answers."""

    path: Path
    answers: Answers
    ours: Ours
    comparisons: Sequence[Comparison]

    def signature(self, system: Matched) -> str:
        """The signature of a system's figures: which answers they are of, and how many."""
        version, data, key, *_ = self.ours.signature.split("|")
        fields = {
            "answers": _digest(system),
            "asked": len(system.questions),
            "scored": len(system.scored),
            "failed": len(system.failed),
            "missing": len(system.missing),
            "arm": in_signature(system.arm),
        }
        return "|".join([version, data, key, *(f"{name}:{value}" for name, value in fields.items())])

    def as_json(self) -> dict[str, Any]:
        """Everything, for tools."""
        return {
            "file": str(self.path),
            "recognised": self.answers.recognised,
            "answers": len(self.answers.given),
            "compared_with": self.ours.where,
            "answer_key": {"name": self.ours.key.name, **self.ours.key.notes},
            "signature": self.ours.signature,
            "comparisons": [self._comparison(comparison) for comparison in self.comparisons],
        }

    def _comparison(self, comparison: Comparison) -> dict[str, Any]:
        measures = comparison.measures
        return {
            "systems": {
                system.arm: {
                    "signature": self.signature(system),
                    "counts": counts(system),
                    "remarks": remarks(system),
                }
                for system in comparison.systems
            },
            "questions": {
                measure: columns(comparison.systems[0], comparison.over(measure)) for measure in measures
            },
            **{measure: comparison.table(measure) for measure in measures},
            "failures_as_0": {measure: comparison.failures_as_0(measure) for measure in measures},
            "spread": {measure: comparison.spread(measure) for measure in measures},
            "paired": comparison.paired,
            "separation": comparison.separation,
        }

    def parts(self) -> Iterator[Part]:
        """Everything, to be rendered."""
        number = len(self.answers.given)
        noun = "answer" if number == 1 else "answers"
        key = f"\n{self.ours.key.described()}" if self.ours.key.notes else ""
        yield (
            f"{self.path}: {number:,} {noun}, {self.answers.recognised}\ncompared with {self.ours.where}{key}"
        )
        for comparison in self.comparisons:
            for system in comparison.systems:
                yield _fit(system)
                yield "\n".join(f"* {remark}" for remark in remarks(system))
            for measure in comparison.measures:
                yield _means(comparison, measure)
            yield from _differences(comparison)
            yield from _areas(comparison)
            yield from failures(comparison)
        systems = [system for comparison in self.comparisons for system in comparison.systems]
        lines = [self.signature(system) for system in systems]
        if self.ours.scores:
            lines.append(self.ours.signature)
        yield "To quote a figure, add its signature:\n" + "\n".join(lines)


def as_text(report: Report) -> str:
    """The report for a terminal."""
    return _rendered(report, "simple", lambda text: text)


def as_markdown(report: Report) -> str:
    """The report in Markdown."""
    return _rendered(report, "github", lambda text: text, lambda name: name.replace("|", "\\|"))


def as_latex(report: Report) -> str:
    """The tables in LaTeX (package booktabs); the rest are comments."""
    return _rendered(
        report, "latex_booktabs", lambda text: "\n".join(f"% {line}" for line in text.split("\n"))
    )


def as_csv(report: Report) -> str:
    """The counts and means in CSV: the table, the row, and the columns; six decimals."""
    file = io.StringIO()
    rows = csv.writer(file, lineterminator="\n")
    rows.writerow(["table", "row", "about", *COLUMNS])
    for part in report.parts():
        if isinstance(part, Table) and part.by_column:
            rows.writerows([part.name, line.name, line.about, *line.cells] for line in part.lines)
    return file.getvalue().rstrip("\n")


FORMATS: dict[str, Callable[[Report], str]] = {
    "text": as_text,
    "markdown": as_markdown,
    "latex": as_latex,
    "csv": as_csv,
    "json": lambda report: json.dumps(report.as_json(), indent=2),
}
"""How a report is rendered, by the name of the format."""


def _rendered(
    report: Report,
    style: str,
    paragraph: Callable[[str], str],
    name: Callable[[str], str] = lambda text: text,
) -> str:
    parts = []
    for part in report.parts():
        if isinstance(part, str):
            parts.append(paragraph(part))
            continue
        header = [name(part.name), *part.header]
        if style != "simple":
            header = [_on_one_line(cell) for cell in header]
        rows = [[name(line.label), *line.cells] for line in part.lines]
        parts.append(
            tabulate(
                rows,
                header,
                style,
                floatfmt=".3f",
                intfmt=",",
                missingval="-",
                disable_numparse=True if not part.by_column else [0],
            )
        )
    return "\n\n".join(part for part in parts if part)


def _on_one_line(cell: str) -> str:
    name, _, more = cell.partition("\n")
    return f"{name} ({more.strip('()')})" if more else name


def _digest(system: Matched) -> str:
    """Which answers these are, whatever the format of the file and the order of its records."""
    lines = []
    for key, answers in system.answers.items():
        for one in answers:
            cites = system.cited(one)
            ids = None if cites is None else [*cites.ids, *cites.unread]
            reply = None if one.failure else one.reply.strip()
            known = [*key, reply, ids, one.confidence, one.judged]
            lines.append(json.dumps(known))
    return hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest()[:12]


_KINDS = {"abstained": "abstained by the metric", "likely_abstained": "likely abstained in other words"}


def _fit(system: Matched) -> Table:
    """A system's numbers of questions, by column."""
    header = [category.numbered.replace(" ", "\n") for category in REPORT_ORDER]
    rows = [Line(_KINDS.get(kind, kind), list(numbers.values())) for kind, numbers in counts(system).items()]
    return Table(system.arm, [*header, *list(COLUMNS)[len(REPORT_ORDER) :]], rows)


def _means(comparison: Comparison, measure: str) -> Table:
    """A table of means; the header has the number of questions of each column."""
    system = comparison.systems[0]
    asked = columns(system, list(system.questions))
    over = columns(system, comparison.over(measure))
    header = [f"{name}\n{_of(over[name], asked[name])}" for name in COLUMNS]
    failed, spread = comparison.failures_as_0(measure), comparison.spread(measure)
    rows = []
    for arm, figures in comparison.table(measure).items():
        rows.append(Line(arm, list(figures.values())))
        for about, table in (("failures as 0", failed), ("spread of runs", spread)):
            if arm in table:
                rows.append(Line(arm, list(table[arm].values()), about))
    return Table(measure, header, rows)


def _of(some: int, all: int) -> str:
    return f"{some:,}" if some == all else f"{some:,} of {all:,}"


def _differences(comparison: Comparison) -> Iterator[Part]:
    """A table of paired differences for each system, and where the intervals come from."""
    found = dict(zip(comparison.pairs, comparison.paired["pairs"].values(), strict=True))
    header = [name for half in HALVES for name in (half, "95% interval")]
    for system in comparison.theirs:
        rows = [
            Line(other, [cell for half in HALVES for cell in _difference(halves[half])])
            for (one, other), halves in found.items()
            if one == system
        ]
        if rows:
            yield Table(f"f1 of {system}, less that of", header, rows, by_column=False)
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


def _areas(comparison: Comparison) -> Iterator[Table]:
    """The areas under the ROC curve, unless one of the halves has no question."""
    rows = [(arm, list(figures.values())[:2]) for arm, figures in comparison.separation.items()]
    if any(area is not None for _, areas in rows for area in areas):
        cells = [Line(arm, ["-" if area is None else f"{area:.3f}" for area in areas]) for arm, areas in rows]
        name = "area under ROC curve,\nanswerable against adversarial"
        yield Table(name, ["confidence", "decision\nto answer"], cells, by_column=False)

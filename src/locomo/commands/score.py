"""`locomo score`: the answers of a system that ran elsewhere, beside our arms on the same questions."""

import hashlib
import json
import re
from argparse import ArgumentParser, Namespace
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tabulate import tabulate

from locomo.core import paths
from locomo.core.errors import LocomoError
from locomo.core.messages import chosen
from locomo.formats import dataset
from locomo.formats.dataset import REPORT_ORDER, Conversation
from locomo.results.run import run_signature, signatures
from locomo.results.scores import Score, read_scores
from locomo.score.averages import COLUMNS, Row
from locomo.score.measures import MEASURES
from locomo.statistics.halves import HALVES
from locomo.submissions import reading
from locomo.submissions.comparison import Comparison, columns, compare, counts, failures
from locomo.submissions.diagnosis import remarks
from locomo.submissions.matching import Key, Matched, match

SUMMARY = "Score the answers of a system that ran elsewhere, beside our arms on the same questions."


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options of `locomo score`."""
    add = parser.add_argument
    add("file", type=Path, help="the answers: .json (flat, or in the official shape), .jsonl or .csv")
    add("--against", nargs="+", metavar="ARM", help="compare only with these of our arms (default: all)")
    add("--json", action="store_true", help="print JSON, for tools")


def run(arguments: Namespace) -> None:
    """Print what happened to the records, and the figures. Raises LocomoError if no answer can be scored."""
    answers = reading.read(arguments.file)
    conversations = list(dataset.read(paths.DATASET))
    ours = _ours(conversations)
    against = {arm: ours[arm] for arm in chosen("--against", arguments.against, list(ours))}
    systems = _renamed(match(answers, conversations), ours)
    if not any(system.scored for system in systems):
        reasons = "".join(f"\n  {remark}" for system in systems for remark in remarks(system))
        raise LocomoError(f"{arguments.file}: no answer can be scored:{reasons}")
    report = Report(arguments.file, run_signature(), len(answers), compare(systems, against))
    print(json.dumps(report.as_json(), indent=2) if arguments.json else report.text())


def _ours(conversations: Sequence[Conversation]) -> dict[str, dict[Key, Score]]:
    """The scores of our arms, by arm and question, in the order of the dataset."""
    scores: dict[str, dict[Key, Score]] = {}
    for score in read_scores(paths.SCORES):
        scores.setdefault(score.arm, {})[score.sample, score.question] = score
    asked = {(c.sample_id, index): q.category for c in conversations for index, q in enumerate(c.questions)}
    signed = signatures()
    for arm, own in scores.items():
        known = {key: score.category for key, score in own.items()}
        # Questions that an arm failed on have no score; its signature has their number.
        failed = re.search(r"\|failed:(\d+)", signed.get(arm, ""))
        if not known.items() <= asked.items() or len(asked) - len(known) != int(failed[1] if failed else 0):
            raise LocomoError(
                f"{paths.SCORES}: its scores of {arm} are not those of the questions in {paths.DATASET};"
                " run `dvc repro` to make them fit"
            )
    return scores


def _renamed(systems: Sequence[Matched], ours: Collection[str]) -> list[Matched]:
    """The systems, renamed so that no other system and none of our arms has the same name."""
    taken = {*ours, *(system.arm for system in systems if system.arm not in ours)}
    renamed = []
    for system in systems:
        name = system.arm
        while name in ours or (name != system.arm and name in taken):
            name += " (given)"
        taken.add(name)
        renamed.append(replace(system, arm=name))
    return renamed


@dataclass(frozen=True, slots=True)
class Report:
    """The report on a file of answers."""

    path: Path
    ours: str
    """The signature of our arms."""
    answers: int
    comparisons: Sequence[Comparison]

    def signature(self, system: Matched) -> str:
        """The signature of a system's figures: which answers they are of, and how many."""
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
                        measure: columns(comparison.systems[0], comparison.over(measure))
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
            parts += [*_differences(comparison), *_areas(comparison), *failures(comparison)]
        systems = [system for comparison in self.comparisons for system in comparison.systems]
        lines = [*(self.signature(system) for system in systems), self.ours]
        return "\n\n".join([*parts, "To quote a figure, add its signature:\n" + "\n".join(lines)])


def _fit(system: Matched) -> str:
    """A system's numbers of questions, by category, and the remarks."""
    header = [system.arm, *(category.numbered.replace(" ", "\n") for category in REPORT_ORDER)]
    rows = [[kind, *numbers.values()] for kind, numbers in counts(system).items()]
    table = tabulate(rows, [*header, *list(COLUMNS)[len(REPORT_ORDER) :]], intfmt=",")
    return table + "".join(f"\n* {remark}" for remark in remarks(system))


def _means(comparison: Comparison, measure: str) -> str:
    """A table of means; the header has the number of questions of each column."""
    system = comparison.systems[0]
    asked = counts(system)["asked"]
    over = columns(system, comparison.over(measure))
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
        header += [name for half in HALVES for name in (half, "95% interval")]
        rows = [
            [other, *(cell for half in HALVES for cell in _difference(halves[half]))]
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

"""Answers of other systems, scored and compared with our arms on the same questions."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations, product
from typing import Any

from locomo.formats.dataset import ABSTENTION
from locomo.results.scores import Score
from locomo.score import averages
from locomo.score.averages import Row, Table, row
from locomo.score.measures import MEASURES
from locomo.score.measures.f1 import f1
from locomo.statistics.paired import paired
from locomo.statistics.separation import separation
from locomo.submissions.matching import Key, Matched

ABSTAINS = "(abstention)"
"""The row of a program that always abstains: what a mean has to beat."""

Counts = dict[str, int]
"""Numbers of questions, by column of the tables."""


def scores_of(system: Matched) -> dict[Key, Score]:
    """The scores of the answers that did not fail; a missing recall or confidence is NaN."""
    return {key: _score(system, key) for key in system.scored}


def _score(system: Matched, key: Key) -> Score:
    question, one = system.questions[key], system.scored[key]
    values = {}
    for name, measure in MEASURES.items():
        if measure.reads == "reply":
            values[name] = measure.of(question, one.reply or "")
        else:
            known = system.cites and one.context is not None
            values[name] = measure.of(question, one.context or []) if known else math.nan
    confidence = math.nan if one.usable_confidence is None else one.usable_confidence
    return Score(*key, question.category, system.arm, values, confidence)


def compare(systems: Sequence[Matched], ours: Mapping[str, Mapping[Key, Score]]) -> list["Comparison"]:
    """Compare systems; those that are scored on the same questions share their tables."""
    alike: dict[tuple[object, ...], list[tuple[Matched, dict[Key, Score]]]] = {}
    for system in systems:
        scores = scores_of(system)
        questions = tuple((key, math.isnan(score.values["recall"])) for key, score in scores.items())
        alike.setdefault(questions, []).append((system, scores))
    return [
        Comparison(
            [system for system, _ in group],
            {system.arm: scores for system, scores in group},
            {arm: {key: mine[key] for key in group[0][1] if key in mine} for arm, mine in ours.items()},
        )
        for group in alike.values()
    ]


@dataclass(frozen=True)
class Comparison:
    """Systems that are scored on the same questions, and our arms on exactly these."""

    systems: Sequence[Matched]
    theirs: Mapping[str, Mapping[Key, Score]]
    ours: Mapping[str, Mapping[Key, Score]]

    def over(self, measure: str) -> list[Key]:
        """The questions that a measure is averaged over: those where the systems have it, else all."""
        scores = next(iter(self.theirs.values()))
        return [key for key, score in scores.items() if _is_there(score, measure)] or list(scores)

    def table(self, measure: str) -> Table:
        """The means of a measure: of the systems, our arms and, for F1, constant abstention."""
        keys = self.over(measure)
        rows = {
            arm: row(
                (scores[key].category, _value(scores[key], measure))
                for key in keys
                if key in scores and _is_there(scores[key], measure)
            )
            for arm, scores in chain(self.theirs.items(), self.ours.items())
        }
        return rows | {ABSTAINS: self._abstaining(keys)} if measure == "f1" else rows

    def _abstaining(self, keys: Sequence[Key]) -> Row:
        asked = (self.systems[0].questions[key] for key in keys)
        return row((q.category, f1(q.category, ABSTENTION, q.answer)) for q in asked)

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Every two systems, and each system with each of our arms."""
        return [*combinations(self.theirs, 2), *product(self.theirs, self.ours)]

    @cached_property
    def paired(self) -> dict[str, Any]:
        """The differences of `pairs` in F1, as `statistics.paired.paired` has them."""
        return paired(self._scores(), self.pairs)

    @cached_property
    def separation(self) -> Table:
        """Areas under the ROC curve; None for the confidence of a system that did not always give it."""
        rows = separation(self._scores())
        for arm, scores in self.theirs.items():
            if not all(_is_there(score, "confidence") for score in scores.values()):
                rows[arm]["auc_confidence"] = None
        return rows

    def _scores(self) -> list[Score]:
        return [
            score for scores in chain(self.theirs.values(), self.ours.values()) for score in scores.values()
        ]


def _value(score: Score, column: str) -> float:
    return score.confidence if column == "confidence" else score.values[column]


def _is_there(score: Score, column: str) -> bool:
    return not math.isnan(_value(score, column))


def counts(system: Matched) -> dict[str, Counts]:
    """How many questions there are, and how many of them were scored, failed or are missing."""
    kinds = {
        "asked": system.questions,
        "scored": system.scored,
        "failed": system.failed,
        "missing": system.missing,
    }
    return {kind: columns(system, list(keys)) for kind, keys in kinds.items()}


def columns(system: Matched, keys: Sequence[Key]) -> Counts:
    """The numbers of these questions, by column of the tables."""
    return averages.counts(system.questions[key].category for key in keys)


def failures(comparison: Comparison) -> Iterator[str]:
    """A line for each of our arms that failed on some of these questions."""
    asked = len(next(iter(comparison.theirs.values())))
    for arm, scores in comparison.ours.items():
        if len(scores) < asked:
            failed = f"{asked - len(scores):,}"
            yield f"{arm} failed on {failed} of these questions; they count in none of its figures"

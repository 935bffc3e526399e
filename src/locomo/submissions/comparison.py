"""Answers of other systems, scored and compared with our arms on the same questions."""

import math
import statistics
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations, product
from typing import Any

from locomo.formats.dataset import ABSTENTION, Category
from locomo.results.scores import Score
from locomo.score import averages
from locomo.score.averages import COLUMNS, Row, Table, row
from locomo.score.measures import MEASURES
from locomo.score.measures.abstained import abstains
from locomo.score.measures.f1 import f1
from locomo.statistics.paired import paired
from locomo.statistics.separation import separation
from locomo.submissions.abstention import likely_abstains
from locomo.submissions.matching import Key, Matched
from locomo.submissions.reading import Given
from locomo.submissions.sessions import SESSION_RECALL, session_recall

ABSTAINS = "(abstention)"
"""The row of a program that always abstains: what a mean has to beat."""
JUDGE = "judge"
"""The mean of the labels that a file has beside its replies."""

Counts = dict[str, int]
"""Numbers of questions, by column of the tables."""


def scores_of(system: Matched) -> dict[Key, Score]:
    """The scores of the questions with an answer that did not fail; what is not available is NaN.

    Several answers to a question give their mean. Beside the measures, `values` has `session_recall` and
    `judge`. Recall is of turns: where a system cites sessions, it has session recall only.
    """
    return {key: _score(system, key, some) for key, some in system.scored.items()}


def _score(system: Matched, key: Key, answers: Sequence[Given]) -> Score:
    each = [_values(system, key, one) for one in answers]
    values = {name: _mean(one[name] for one in each) for name in each[0]}
    confidence = values.pop("confidence")
    return Score(*key, system.questions[key].category, system.arm, values, confidence)


def _values(system: Matched, key: Key, one: Given) -> dict[str, float]:
    question = system.questions[key]
    cited = system.recalled(one)
    values: dict[str, float] = {}
    for name, measure in MEASURES.items():
        if measure.reads == "reply":
            values[name] = measure.of(question, one.reply)
        else:
            known = cited is not None and not system.by_session
            values[name] = measure.of(question, cited) if known else math.nan
    values[SESSION_RECALL] = math.nan if cited is None else session_recall(question, cited)
    values[JUDGE] = math.fsum(one.judged) / len(one.judged) if one.judged else math.nan
    values["confidence"] = math.nan if one.usable_confidence is None else one.usable_confidence
    return values


def _mean(values: Iterable[float]) -> float:
    """The mean of several answers' values; NaN if one of them is not available."""
    found = list(values)
    return math.fsum(found) / len(found)


def compare(systems: Sequence[Matched], ours: Mapping[str, Mapping[Key, Score]]) -> list["Comparison"]:
    """Compare systems; those that are scored on the same questions share their tables."""
    alike: dict[tuple[object, ...], list[tuple[Matched, dict[Key, Score]]]] = {}
    for system in systems:
        scores = scores_of(system)
        there = (
            (key, *(math.isnan(score.values[name]) for name in (SESSION_RECALL, JUDGE)))
            for key, score in scores.items()
        )
        questions = (system.by_session, *there)
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

    @property
    def measures(self) -> list[str]:
        """What there is a table of: recall is of turns or of sessions, as they are cited."""
        recalls = {"recall": SESSION_RECALL} if self.systems[0].by_session else {}
        judged = any(one.judged for system in self.systems for _, one in system.all_scored)
        return [*(recalls.get(name, name) for name in MEASURES), *([JUDGE] if judged else [])]

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
            for arm, scores in chain(self.theirs.items(), {} if measure == JUDGE else self.ours.items())
        }
        return rows | {ABSTAINS: self._abstaining(keys)} if measure == "f1" else rows

    def _abstaining(self, keys: Sequence[Key]) -> Row:
        asked = (self.systems[0].questions[key] for key in keys)
        return row((q.category, f1(q.category, ABSTENTION, q.answer)) for q in asked)

    def failures_as_0(self, measure: str) -> Table:
        """The means with 0 for each failed question, and for each failed run of one, of systems that failed.

        To leave failures out can flatter: a system may fail where questions are hard.
        """
        rows = {}
        for system in self.systems:
            there = {key: s for key, s in self.theirs[system.arm].items() if _is_there(s, measure)}
            lost = {key: system.failed_runs(key) for key in there}
            if there and (system.failed or any(lost.values())):
                known = [
                    (score.category, _value(score, measure) * answers / (answers + lost[key]))
                    for key, score in there.items()
                    for answers in [len(system.scored[key])]
                ]
                failed = [(system.questions[key].category, 0.0) for key in system.failed]
                rows[system.arm] = row(known + failed)
        return rows

    def spread(self, measure: str) -> Table:
        """The sample standard deviation of the means of single runs, of the systems with several runs."""
        rows = {}
        for system in self.systems:
            means = [row(_observed(system, run, measure)) for run in system.runs]
            if means:
                rows[system.arm] = {
                    column: _deviation([mean[column] for mean in means]) for column in COLUMNS
                }
        return rows

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


def _observed(system: Matched, run: Mapping[Key, Given], measure: str) -> Iterator[tuple[Category, float]]:
    for key, one in run.items():
        value = _values(system, key, one)[measure]
        if not math.isnan(value):
            yield system.questions[key].category, value


def _deviation(means: Sequence[float | None]) -> float | None:
    known = [mean for mean in means if mean is not None]
    return averages.rounded(statistics.stdev(known)) if len(known) > 1 else None


def _value(score: Score, column: str) -> float:
    return score.confidence if column == "confidence" else score.values[column]


def _is_there(score: Score, column: str) -> bool:
    return not math.isnan(_value(score, column))


def counts(system: Matched) -> dict[str, Counts]:
    """How many questions there are, and how many of them were scored, failed, are missing, were abstained on.

    `abstained` counts the words that the metric knows, `likely_abstained` other words.
    """

    def answered(says: Callable[[str], bool]) -> list[Key]:
        return [key for key, some in system.scored.items() if any(says(one.reply) for one in some)]

    kinds = {
        "asked": system.questions,
        "scored": system.scored,
        "failed": system.failed,
        "missing": system.missing,
        "abstained": answered(abstains),
        "likely_abstained": answered(likely_abstains),
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

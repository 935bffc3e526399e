"""What a table of means cannot show: abstention, separation, paired differences, factor effects (SPEC 12)."""

import math
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from locomo.formats.dataset import ABSTENTION, Category, Conversation
from locomo.score.averages import COLUMNS, Row, mean, rounded, row
from locomo.score.metric import grade
from locomo.score.scoring import Mark
from locomo.statistics.bootstrap import bootstrap

Floats = NDArray[np.float64]

HALVES = ("answerable", "adversarial")
"""The two columns that a good memory tells apart."""

CELLS = ("vector", "scoped", "span", "graph")
"""Arms that vary two factors: `scoped` narrows `vector` to the question's subject, `span` indexes claims in
place of whole turns, `graph` does both."""

CONTRASTS = {
    "scoping_whole_turns": {"scoped": 1, "vector": -1},
    "claim_span_alone": {"span": 1, "vector": -1},
    "both": {"graph": 1, "vector": -1},
    "interaction": {"graph": 1, "scoped": -1, "span": -1, "vector": 1},
}
"""Their effects as signed sums of cells; the interaction is what both do beyond the sum of each alone."""


def constant_abstention(conversations: Iterable[Conversation]) -> Row:
    """The grade of telling every question that there is no information: what any mean has to beat."""
    return row(
        (question.category, grade(question.category, ABSTENTION, question.answer))
        for conversation in conversations
        for question in conversation.questions
    )


def separation(marks: Sequence[Mark]) -> dict[str, Row]:
    """How well each arm tells what it can answer from what it cannot.

    A row an arm: the area under the ROC curve of its confidence and of its decision to answer, and how
    often it declines on each half, in percent. None where a half has no question.
    """
    rows = {}
    for arm in dict.fromkeys(m.arm for m in marks):
        mine = [m for m in marks if m.arm == arm]
        answerable, adversarial = (_half(mine, half) for half in HALVES)
        rows[arm] = {
            "auc_confidence": auc([m.confidence for m in answerable], [m.confidence for m in adversarial]),
            "auc_decision": auc([not m.quiet for m in answerable], [not m.quiet for m in adversarial]),
            "quiet_answerable": mean([100 * m.quiet for m in answerable]),
            "quiet_adversarial": mean([100 * m.quiet for m in adversarial]),
        }
    return rows


def auc(positives: Sequence[float], negatives: Sequence[float]) -> float | None:
    """The area under the ROC curve: how often a positive scores above a negative, ties counting half.

    Six decimals; None without positives or negatives.
    """
    if not positives or not negatives:
        return None
    ranked = np.sort(negatives)
    # Twice the wins, a tie counting one: whole numbers, so nothing is rounded before the division.
    wins = sum(int(np.searchsorted(ranked, positives, side).sum()) for side in ("left", "right"))
    return rounded(wins / (2 * len(positives) * len(negatives)))


def roc_curve(positives: Sequence[float], negatives: Sequence[float]) -> tuple[Floats, Floats]:
    """The shares of negatives and of positives at or above each threshold, from none to all."""
    thresholds = np.unique([*positives, *negatives])[::-1]
    shares = []
    for values in (negatives, positives):
        below = np.searchsorted(np.sort(values), thresholds, "left")
        shares.append(np.concatenate([[0.0], 1 - below / len(values)]))
    return shares[0], shares[1]


def paired(marks: Sequence[Mark], pairs: Iterable[tuple[str, str]] | None = None) -> dict[str, Any]:
    """Differences in F1 between two arms, the first less the second, on both halves.

    `pairs` are by default every two arms, by name. A pair is compared on the questions that both have a mark
    of: on all, unless the memory of one failed.

    Under `pairs`, "graph - vector" has for each half the pooled `difference` a question and the 95% interval
    from `low` to `high` of a percentile bootstrap over the conversations with such questions; None where
    there are no questions, or no two conversations to draw from. `bootstrap` has for each half the numbers
    of conversations and of resamples, and whether the latter are all that are possible. `left_out`, which is
    there if any are, has for each such pair and half the number of questions that it is not compared on.
    """
    halves = {half: _Shared(_half(marks, half)) for half in HALVES}
    pairs = list(combinations(sorted({m.arm for m in marks}), 2) if pairs is None else pairs)
    left_out = {
        f"{a} - {b}": {half: shared.left_out(a, b) for half, shared in halves.items()} for a, b in pairs
    }
    left_out = {pair: counts for pair, counts in left_out.items() if any(counts.values())}
    return {
        "bootstrap": {half: shared.about for half, shared in halves.items()},
        "pairs": {
            f"{a} - {b}": {
                half: shared.resampled(shared.common(a, b)).difference(a, b)
                for half, shared in halves.items()
            }
            for a, b in pairs
        },
        **({"left_out": left_out} if left_out else {}),
    }


class _Shared:
    """The marks of every arm, and which questions two arms share: all, unless one failed on some."""

    def __init__(self, marks: Sequence[Mark]) -> None:
        self._marks = marks
        self._any = {(m.sample, m.question): m._replace(arm="") for m in marks}
        questions: dict[str, set[tuple[str, int]]] = {}
        for m in marks:
            questions.setdefault(m.arm, set()).add((m.sample, m.question))
        self._questions = {arm: frozenset(asked) for arm, asked in questions.items()}
        self._resampled: dict[frozenset[tuple[str, int]], _Resampled] = {}

    @property
    def about(self) -> dict[str, int | bool | None]:
        """Of the resamples of all questions."""
        return _Resampled(self._any.values()).about

    def common(self, a: str, b: str) -> frozenset[tuple[str, int]]:
        """The questions that both arms have a mark of."""
        nothing: frozenset[tuple[str, int]] = frozenset()
        return self._questions.get(a, nothing) & self._questions.get(b, nothing)

    def left_out(self, a: str, b: str) -> int:
        """How many questions that some arm has a mark of are not common to these."""
        return len(self._any) - len(self.common(a, b))

    def resampled(self, questions: frozenset[tuple[str, int]]) -> "_Resampled":
        """The arms that have all these questions, over these and no others; made once."""
        if questions not in self._resampled:
            whole = {arm for arm, asked in self._questions.items() if asked >= questions}
            self._resampled[questions] = _Resampled(
                m for m in self._marks if m.arm in whole and (m.sample, m.question) in questions
            )
        return self._resampled[questions]


class _Resampled:
    """The F1 of every arm over the same questions, summed by conversation, and over each resample."""

    def __init__(self, marks: Iterable[Mark]) -> None:
        scores: dict[str, dict[str, list[float]]] = {}
        for m in marks:
            scores.setdefault(m.arm, {}).setdefault(m.sample, []).append(m.f1)
        some_arm = next(iter(scores.values()), {})
        self._questions = np.array([len(values) for values in some_arm.values()], np.float64)
        self._sums = {
            arm: np.array([math.fsum(values) for values in samples.values()])
            for arm, samples in scores.items()
        }
        self._bootstrap = bootstrap(len(self._questions)) if len(self._questions) > 1 else None
        if self._bootstrap:
            self._drawn_questions = self._bootstrap.totals(self._questions)
            self._drawn_sums = {arm: self._bootstrap.totals(sums) for arm, sums in self._sums.items()}

    @property
    def about(self) -> dict[str, int | bool | None]:
        drawn = self._bootstrap
        return {
            "conversations": len(self._questions),
            "resamples": len(drawn.weights) if drawn else 0,
            "exact": drawn.exact if drawn else None,
        }

    def difference(self, a: str, b: str) -> Row:
        if not self._sums:
            return {"difference": None, "low": None, "high": None}
        pooled = math.fsum(self._sums[a] - self._sums[b]) / math.fsum(self._questions)
        if not self._bootstrap:
            return {"difference": rounded(pooled), "low": None, "high": None}
        drawn = (self._drawn_sums[a] - self._drawn_sums[b]) / self._drawn_questions
        low, high = self._bootstrap.interval(drawn)
        return {"difference": rounded(pooled), "low": rounded(low), "high": rounded(high)}


def factor_effects(marks: Sequence[Mark]) -> dict[str, Row]:
    """Index unit against subject scope: adversarial F1 of the four `cells`, and the `effects`.

    None for a cell whose arm has no such mark, and for each effect that needs it.
    """
    known = {}
    for arm in CELLS:
        f1 = [m.f1 for m in marks if m.arm == arm and m.category is Category.ADVERSARIAL]
        if f1:
            known[arm] = math.fsum(f1) / len(f1)
    return {
        "cells": {arm: rounded(known[arm]) if arm in known else None for arm in CELLS},
        "effects": {
            effect: rounded(math.fsum(sign * known[arm] for arm, sign in signs.items()))
            if signs.keys() <= known.keys()
            else None
            for effect, signs in CONTRASTS.items()
        },
    }


def _half(marks: Iterable[Mark], half: str) -> list[Mark]:
    return [m for m in marks if m.category in COLUMNS[half]]

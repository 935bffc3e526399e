"""Differences between two arms over the same questions, with intervals (SPEC 12)."""

import math
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from locomo.results.scores import Score
from locomo.score.averages import Row, rounded
from locomo.statistics.bootstrap import bootstrap
from locomo.statistics.halves import HALVES, of_half


def paired(scores: Sequence[Score], pairs: Iterable[tuple[str, str]] | None = None) -> dict[str, Any]:
    """Differences in F1 between two arms, the first less the second, on both halves.

    `pairs` are by default every two arms, by name. A pair is compared on the questions that both have a score
    for: on all, unless the memory of one failed.

    Under `pairs`, "graph - vector" has for each half the pooled `difference` per question and the 95%
    interval from `low` to `high` of a percentile bootstrap over the conversations with such questions. All
    are None without questions; the interval is None with a single conversation. `bootstrap` has for each half
    the numbers of conversations and of resamples, and whether these are all possible ones. `left_out` is
    there if pairs are not compared on all questions, and has their number for each such pair and half.
    """
    halves = {half: _Shared(of_half(scores, half)) for half in HALVES}
    found, left_out = {}, {}
    for a, b in every_two(scores) if pairs is None else pairs:
        pair = f"{a} - {b}"
        found[pair] = {
            half: shared.resampled(shared.common(a, b)).difference(a, b) for half, shared in halves.items()
        }
        counts = {half: shared.left_out(a, b) for half, shared in halves.items()}
        if any(counts.values()):
            left_out[pair] = counts
    return {
        "bootstrap": {half: shared.about for half, shared in halves.items()},
        "pairs": found,
        **({"left_out": left_out} if left_out else {}),
    }


def every_two(scores: Iterable[Score]) -> list[tuple[str, str]]:
    """Every two arms, by name."""
    return list(combinations(sorted({score.arm for score in scores}), 2))


class _Shared:
    """The scores of every arm, and which questions two arms share: all, unless one failed on some."""

    def __init__(self, scores: Sequence[Score]) -> None:
        self._scores = scores
        self._any = {(score.sample, score.question): score._replace(arm="") for score in scores}
        questions: dict[str, set[tuple[str, int]]] = {}
        for score in scores:
            questions.setdefault(score.arm, set()).add((score.sample, score.question))
        self._questions = {arm: frozenset(asked) for arm, asked in questions.items()}
        self._resampled: dict[frozenset[tuple[str, int]], _Resampled] = {}

    @property
    def about(self) -> dict[str, int | bool | None]:
        """What is known about the resamples of all questions."""
        return _Resampled(self._any.values()).about

    def common(self, a: str, b: str) -> frozenset[tuple[str, int]]:
        """The questions that both arms have a score for."""
        nothing: frozenset[tuple[str, int]] = frozenset()
        return self._questions.get(a, nothing) & self._questions.get(b, nothing)

    def left_out(self, a: str, b: str) -> int:
        """How many questions have a score of some arm, but not of both of these."""
        return len(self._any) - len(self.common(a, b))

    def resampled(self, questions: frozenset[tuple[str, int]]) -> "_Resampled":
        """The arms that have all these questions, resampled over exactly these; computed once."""
        if questions not in self._resampled:
            complete = {arm for arm, asked in self._questions.items() if asked >= questions}
            self._resampled[questions] = _Resampled(
                score
                for score in self._scores
                if score.arm in complete and (score.sample, score.question) in questions
            )
        return self._resampled[questions]


class _Resampled:
    """The F1 of every arm over the same questions, summed by conversation, and over each resample."""

    def __init__(self, scores: Iterable[Score]) -> None:
        f1: dict[str, dict[str, list[float]]] = {}
        for score in scores:
            f1.setdefault(score.arm, {}).setdefault(score.sample, []).append(score.values["f1"])
        some_arm = next(iter(f1.values()), {})
        self._questions = np.array([len(values) for values in some_arm.values()], np.float64)
        # By conversation in one order for all arms, whatever the order of the scores.
        self._sums = {
            arm: np.array([math.fsum(samples[sample]) for sample in some_arm]) for arm, samples in f1.items()
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

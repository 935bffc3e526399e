"""How well an arm separates answerable from adversarial questions (SPEC 12)."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from locomo.results.scores import Score
from locomo.score.averages import Row, mean, rounded
from locomo.statistics.halves import HALVES, of_half

Floats = NDArray[np.float64]


def separation(scores: Sequence[Score]) -> dict[str, Row]:
    """How well each arm separates answerable from adversarial questions.

    One row per arm: the area under the ROC curve of its confidence and of its decision to answer, and how
    often it abstains on each half, in percent. None if a half has no question.
    """
    rows = {}
    for arm in dict.fromkeys(score.arm for score in scores):
        own = [score for score in scores if score.arm == arm]
        answerable, adversarial = (of_half(own, half) for half in HALVES)
        confidences = [[score.confidence for score in half] for half in (answerable, adversarial)]
        abstained = [[score.values["abstained"] for score in half] for half in (answerable, adversarial)]
        rows[arm] = {
            "auc_confidence": auc(*confidences),
            "auc_decision": auc(*([1 - value for value in half] for half in abstained)),
            "abstained_answerable": mean([100 * value for value in abstained[0]]),
            "abstained_adversarial": mean([100 * value for value in abstained[1]]),
        }
    return rows


def auc(positives: Sequence[float], negatives: Sequence[float]) -> float | None:
    """The area under the ROC curve: how often a positive scores above a negative, ties counting half.

    Six decimals; None without positives or negatives.
    """
    if not positives or not negatives:
        return None
    ranked = np.sort(negatives)
    # Twice the wins, where a tie counts one: integers, so nothing is rounded before the division.
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

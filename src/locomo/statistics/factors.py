"""Index unit and subject scope: the effect of each factor on adversarial F1 (SPEC 12)."""

import math
from collections.abc import Sequence

from locomo.formats.dataset import Category
from locomo.results.scores import Score
from locomo.score.averages import Row, rounded

CELLS = ("vector", "scoped", "span", "graph")
"""Arms that vary two factors: `scoped` narrows `vector` to the question's subject, `span` indexes claims in
place of whole turns, `graph` does both."""

CONTRASTS = {
    "scoping_whole_turns": {"scoped": 1, "vector": -1},
    "claim_span_alone": {"span": 1, "vector": -1},
    "both": {"graph": 1, "vector": -1},
    "interaction": {"graph": 1, "scoped": -1, "span": -1, "vector": 1},
}
"""Their effects as signed sums of cells; the interaction is the effect of both less the sum of each alone."""


def factor_effects(scores: Sequence[Score]) -> dict[str, Row]:
    """Adversarial F1 of the four `cells`, and the `effects` of index unit and subject scope.

    None for a cell whose arm has no such score, and for each effect that needs it.
    """
    known = {}
    for arm in CELLS:
        f1 = [
            score.values["f1"]
            for score in scores
            if score.arm == arm and score.category is Category.ADVERSARIAL
        ]
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

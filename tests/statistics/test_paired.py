"""What the means cannot show: published figures, and cases small enough to work out by hand."""

import json
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import stats
from helpers.ran import PROVENANCE
from helpers.shared import FIGURES, Answers, Benchmark
from locomo.core import paths
from locomo.core.files import digest, write_json
from locomo.formats.answer_key import AnswerKey
from locomo.formats.dataset import Category
from locomo.results.predictions import by_question
from locomo.results.provenance import SignedRun
from locomo.results.scores import Score, write_scores
from locomo.score import scoring
from locomo.score.signature import signature
from locomo.statistics.abstention import constant_abstention
from locomo.statistics.bootstrap import DRAWS, EXACT_UP_TO, Bootstrap, bootstrap
from locomo.statistics.factors import factor_effects
from locomo.statistics.halves import HALVES
from locomo.statistics.paired import paired
from locomo.statistics.separation import auc, separation

NOTHING = {"difference": None, "low": None, "high": None}


@pytest.fixture(scope="module")
def scores(benchmark: Benchmark, answers: Answers) -> list[Score]:
    samples = ((sample, by_question(arms)) for sample, arms in answers.items())
    return list(scoring.score(benchmark.conversations, samples))


@pytest.fixture(scope="module")
def pairs(scores: list[Score]) -> dict[str, Any]:
    """Every two of the 15 arms."""
    return paired(scores)


def some(
    arm: str, f1: Sequence[float], sample: str = "conv-1", category: Category = Category.SINGLE_HOP
) -> list[Score]:
    """Scores of one arm on one conversation, of no interest but for their F1."""
    return [
        Score(sample, index, category, arm, {"f1": value, "recall": 0.0, "abstained": 0}, 0.5)
        for index, value in enumerate(f1)
    ]


# Published figures


def test_published_separation(scores: list[Score]) -> None:
    published = FIGURES["separation"]
    assert sum(map(len, published.values())) == 10 * 4
    ours = separation(scores)
    decimals = {"auc_confidence": 3, "auc_decision": 3, "abstained_answerable": 1, "abstained_adversarial": 1}
    found = {
        arm: {
            name.replace("abstained", "quiet"): round(ours[arm][name] or 0, places)
            for name, places in decimals.items()
        }
        for arm in published
    }
    assert found == published
    assert len(ours) == 15


def test_published_paired_differences(pairs: dict[str, Any]) -> None:
    published = FIGURES["paired"]
    assert len(published) == 29
    found = {
        pair: {half: [round(value, 3) for value in pairs["pairs"][pair][half].values()] for half in halves}
        for pair, halves in published.items()
    }
    assert found == published


def test_every_two_arms_are_compared_over_every_multiset(pairs: dict[str, Any]) -> None:
    assert len(pairs["pairs"]) == 105
    every = {"conversations": 10, "resamples": 92_378, "exact": True}
    assert pairs["bootstrap"] == {"answerable": every, "adversarial": every}
    for halves in pairs["pairs"].values():
        for row in halves.values():
            assert row["low"] <= row["difference"] <= row["high"]


def test_published_constant_abstention(benchmark: Benchmark) -> None:
    ours = constant_abstention(benchmark.conversations)
    assert {column: round(value or 0, 3) for column, value in ours.items()} == FIGURES["constant_abstention"]


def test_published_factor_effects(scores: list[Score], pairs: dict[str, Any]) -> None:
    ours = factor_effects(scores)
    effects = {name: round(value or 0, 3) for name, value in ours["effects"].items()}
    assert effects == FIGURES["factor_effects_on_adversarial_f1"]
    # An effect of two arms is their paired difference.
    both = pairs["pairs"]["graph - vector"]["adversarial"]["difference"]
    assert ours["effects"]["both"] == both


def test_a_subset_of_the_arms_is_compared_as_all_of_them_are(
    scores: list[Score], pairs: dict[str, Any]
) -> None:
    subset = [score for score in scores if score.arm in ("walk3", "scoped", "span")]
    found = paired(subset)["pairs"]
    assert found == {pair: pairs["pairs"][pair] for pair in found}
    assert list(found) == ["scoped - span", "scoped - walk3", "span - walk3"]


# Area under the ROC curve


@pytest.mark.parametrize(
    ("positives", "negatives", "area"),
    [
        # Of four pairs two are won outright, 1 against 0.5 and 0; one is level; 0.5 wins against 0.
        ([1, 0.5], [0.5, 0], 0.875),
        ([1, 1], [0, 0, 0], 1.0),
        ([0], [1, 1], 0.0),
        ([1, 1, 1], [1], 0.5),
        ([True, False], [False, False, True], 0.583333),
        ([], [1], None),
        ([1], [], None),
    ],
)
def test_auc(positives: list[float], negatives: list[float], area: float | None) -> None:
    assert auc(positives, negatives) == area


VALUES = st.lists(st.integers(0, 4), min_size=1, max_size=12)


@given(VALUES, VALUES)
def test_auc_is_the_share_of_pairs_that_are_won(positives: list[int], negatives: list[int]) -> None:
    wins = [Fraction((a > b) + (a >= b), 2) for a, b in product(positives, negatives)]
    assert auc(positives, negatives) == round(float(sum(wins) / len(wins)), 6)


# The bootstrap


@pytest.mark.parametrize("n", range(2, EXACT_UP_TO + 1))
def test_all_multisets_with_the_number_of_their_orders(n: int) -> None:
    drawn = bootstrap(n)
    assert drawn.exact
    assert drawn.counts.shape == (n, comb(2 * n - 1, n))
    assert len(np.unique(drawn.counts, axis=1).T) == comb(2 * n - 1, n)
    assert (drawn.counts.sum(axis=0) == n).all()
    assert drawn.weights.sum() == n**n


def test_two_conversations_by_hand() -> None:
    """One question that only `b` answers, three that neither does.

    Drawn twice, once each or not at all the first gives 2/2, 1/4 and 0/6, in one, two and one order of four:
    0.025 is reached at 0, 0.975 at 1.
    """
    scores = [
        *some("a", [0]),
        *some("a", [0, 0, 0], "conv-2"),
        *some("b", [1]),
        *some("b", [0, 0, 0], "conv-2"),
    ]
    found = paired(scores)
    assert found["bootstrap"]["answerable"] == {"conversations": 2, "resamples": 3, "exact": True}
    assert found["pairs"]["a - b"]["answerable"] == {"difference": -0.25, "low": -1.0, "high": 0.0}


@given(st.lists(st.tuples(st.integers(1, 5), st.integers(-8, 8)), min_size=2, max_size=4))
def test_the_exact_interval_is_that_of_all_ordered_draws(conversations: list[tuple[int, int]]) -> None:
    """Every ordered draw written out, in fractions."""
    n = len(conversations)
    statistics = sorted(
        Fraction(sum(total for _, total in draw), sum(questions for questions, _ in draw))
        for draw in product(conversations, repeat=n)
    )
    quantiles = (Fraction(25, 1000), Fraction(975, 1000))
    low, high = (next(s for i, s in enumerate(statistics, 1) if i >= q * n**n) for q in quantiles)
    questions, totals = (np.array(column, np.float64) for column in zip(*conversations, strict=True))
    drawn = bootstrap(n)
    found = drawn.interval(drawn.totals(totals) / drawn.totals(questions))
    assert found == (float(low), float(high))


def test_a_weight_that_is_just_reached_is_reached() -> None:
    """One of 40 is 0.025 to the last digit, and 39 are 0.975; in floats they need not be."""
    values = np.arange(40.0)[::-1].copy()
    drawn = Bootstrap(np.ones((1, 40)), np.ones(40, np.int64), exact=True)
    assert drawn.interval(values) == (0.0, 38.0)


def test_more_than_ten_conversations_are_drawn_at_random_but_always_alike() -> None:
    scores = [
        score
        for number in range(12)
        for score in (*some("a", [number / 11], f"conv-{number}"), *some("b", [0], f"conv-{number}"))
    ]
    found = paired(scores)
    assert found["bootstrap"]["answerable"] == {"conversations": 12, "resamples": DRAWS, "exact": False}
    assert found["pairs"]["a - b"]["answerable"] == {"difference": 0.5, "low": 0.325758, "high": 0.681818}
    assert bootstrap(12).counts[:, 0].tolist() == [2, 1, 0, 0, 0, 2, 1, 1, 1, 2, 0, 2]


def test_one_conversation_has_no_interval() -> None:
    found = paired([*some("a", [1, 0]), *some("b", [0, 0])])
    assert found["bootstrap"]["answerable"] == {"conversations": 1, "resamples": 0, "exact": None}
    assert found["pairs"]["a - b"]["answerable"] == {"difference": 0.5, "low": None, "high": None}


def test_a_half_without_questions_has_nothing_to_compare() -> None:
    scores = [*some("a", [1, 0]), *some("b", [0, 0])]
    found = paired(scores)
    assert found["bootstrap"]["adversarial"] == {"conversations": 0, "resamples": 0, "exact": None}
    assert found["pairs"]["a - b"]["adversarial"] == NOTHING
    assert separation(scores)["a"] == {
        "auc_confidence": None,
        "auc_decision": None,
        "abstained_answerable": 0.0,
        "abstained_adversarial": None,
    }
    assert set(factor_effects(scores)["effects"].values()) == {None}


def test_only_conversations_with_such_questions_are_drawn() -> None:
    """Else a draw could hold no question at all, and its mean would be 0 / 0."""
    adversarial = [
        score
        for sample in ("conv-1", "conv-2")
        for arm in "ab"
        for score in some(arm, [arm == "a"], sample, Category.ADVERSARIAL)
    ]
    elsewhere = [*some("a", [0], "conv-3"), *some("b", [0], "conv-3")]
    found = paired([*adversarial, *elsewhere])
    assert [found["bootstrap"][half]["conversations"] for half in HALVES] == [1, 2]
    assert found["pairs"]["a - b"]["adversarial"] == {"difference": 1.0, "low": 1.0, "high": 1.0}


def test_one_arm_has_nothing_to_be_compared_with() -> None:
    assert paired(some("a", [1]))["pairs"] == {}
    assert paired([])["pairs"] == {}


# Factor effects


def test_an_effect_needs_each_of_its_arms() -> None:
    scores = [
        score
        for arm, f1 in {"vector": [0, 0, 0, 1], "graph": [1, 0, 1, 1], "span": [0, 0, 0, 0]}.items()
        for score in some(arm, f1, category=Category.ADVERSARIAL)
    ]
    assert factor_effects(scores) == {
        "cells": {"vector": 0.25, "scoped": None, "span": 0.0, "graph": 0.75},
        "effects": {
            "scoping_whole_turns": None,
            "claim_span_alone": -0.25,
            "both": 0.5,
            "interaction": None,
        },
    }


# The stage


def test_the_stage_says_what_it_leaves_out(
    tmp_path: Path,
    tiny: list[dict[str, Any]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    write_json(paths.DATASET, tiny)
    write_scores(paths.SCORES, ["f1", "recall", "abstained"], some("graph", [1]))
    provenance = replace(PROVENANCE, dataset=digest(paths.DATASET))
    AnswerKey(provenance.key, provenance.dataset).save(paths.KEY)
    signatures = {"graph": signature(provenance, "graph")}
    SignedRun(provenance, digest(paths.KEY), "", digest(paths.SCORES), signatures).write(paths.SIGNATURES)
    stats.main()
    assert capsys.readouterr().out == (
        "Left out: factor effects that need vector, scoped, span, which did not run.\n"
        "Left out: paired differences, which need a second arm.\n"
    )
    assert sorted(path.name for path in paths.STATISTICS.iterdir()) == [
        "abstention.json",
        "external.json",
        "factors.json",
        "paired.json",
        "run.json",
        "separation.json",
    ]
    assert json.loads((paths.STATISTICS / "abstention.json").read_bytes()) == {
        "single_hop": 0.0,
        "multi_hop": None,
        "temporal": None,
        "open_domain": None,
        "adversarial": 1.0,
        "answerable": 0.0,
        "overall": 0.5,
    }

"""Every reply, every cited turn and every confidence, against an independent run of SPEC."""

import gzip
import hashlib
import json
import os
from pathlib import Path

import pytest

from helpers.shared import FIGURES, ROOT, Answers, Benchmark
from locomo.answer.arms import ARMS

DIGESTS = json.loads(ROOT.joinpath("tests/data/digests.json").read_text(encoding="utf-8"))
ABSTENTION = "No information available"
OUT_OF_THE_GRAPH = ("path", "path+set", "path2", "path3", "walk2", "walk3")
"""The arms that cite nothing when the graph is empty."""


def digest(answers: Answers, arm: str) -> str:
    """SHA-256 of the compact JSON ``{sample: [[reply, [cited turn, ...]], ...]}``."""
    said = {sample: [[reply, context] for reply, context, _ in arms[arm]] for sample, arms in answers.items()}
    return hashlib.sha256(json.dumps(said, ensure_ascii=False, separators=(",", ":")).encode()).hexdigest()


def test_there_is_a_digest_of_every_arm(answers: Answers) -> None:
    assert sorted(DIGESTS) == sorted(ARMS) and len(ARMS) == 15
    assert sum(len(replies) for arms in answers.values() for replies in arms.values()) == 15 * 1986


@pytest.mark.parametrize("arm", DIGESTS)
def test_every_reply_and_every_cited_turn(answers: Answers, arm: str) -> None:
    assert digest(answers, arm) == DIGESTS[arm]


@pytest.mark.parametrize("arm", DIGESTS)
def test_confidences_are_those_of_the_reference(answers: Answers, arm: str) -> None:
    folder = os.environ.get("LOCOMO_REFERENCE")
    if not folder:
        pytest.skip("set LOCOMO_REFERENCE to the folder that holds predictions/<arm>.json.gz")
    reference = json.loads(gzip.decompress(Path(folder, "predictions", f"{arm}.json.gz").read_bytes()))
    assert list(reference) == list(answers)
    for sample, rows in reference.items():
        for (reply, context, confidence), found in zip(rows, answers[sample][arm], strict=True):
            assert (found.reply, found.context) == (reply, context)
            # The reference is rounded to twelve decimals, which takes up half of this.
            assert abs(found.confidence - confidence) <= 1e-12


@pytest.fixture(scope="module")
def blind(benchmark: Benchmark) -> Answers:
    return benchmark.answers(blind=True)


@pytest.mark.parametrize("arm", OUT_OF_THE_GRAPH)
def test_with_the_graph_emptied_its_arms_abstain_throughout(blind: Answers, arm: str) -> None:
    found = [answer for arms in blind.values() for answer in arms[arm]]
    assert len(found) == 1986
    assert {(reply, *context) for reply, context, _ in found} == {(ABSTENTION,)}


@pytest.mark.parametrize("arm", [arm for arm in DIGESTS if arm not in OUT_OF_THE_GRAPH])
def test_with_the_graph_emptied_other_arms_are_unchanged(answers: Answers, blind: Answers, arm: str) -> None:
    assert digest(blind, arm) == DIGESTS[arm]
    assert [arms[arm] for arms in blind.values()] == [arms[arm] for arms in answers.values()]


def test_the_published_figures_of_the_blind_control(benchmark: Benchmark, blind: Answers) -> None:
    tables = benchmark.tables(blind)
    published = FIGURES["blind"]
    assert sorted([*published["silent"], *published["identical"]]) == sorted(
        ["path", "path+set", "vector", "graph", "oracle", "vector+set", "oracle+set"]
    )
    for arm, figures in published["silent"].items():
        assert figures == {
            "answerable": round(tables["f1"][arm]["answerable"] or 0, 3),
            "overall": round(tables["f1"][arm]["overall"] or 0, 3),
            "multi_hop": round(tables["f1"][arm]["multi_hop"] or 0, 3),
            "recall_multi_hop": tables["recall"][arm]["multi_hop"],
            "quiet": tables["abstained"][arm]["overall"],
        }

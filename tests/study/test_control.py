"""The blind control: the published outcome, and that it fails where a declaration is wrong."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pytest

from helpers.shared import FIGURES, Answers, Benchmark
from locomo.answer.arms import ARMS, Arm
from locomo.core.errors import LocomoError
from locomo.results.predictions import by_question
from locomo.results.scores import Score
from locomo.score.scoring import score
from locomo.study.control import by_arm, control


@dataclass(frozen=True)
class Halves:
    """Every answer with and without the graph, and their scores."""

    benchmark: Benchmark
    seeing: Answers
    blind: Answers

    def scores(self, answers: Answers) -> list[Score]:
        samples = ((sample, by_question(arms)) for sample, arms in answers.items())
        return list(score(self.benchmark.conversations, samples))

    def control(self, scored: Answers, arms: Mapping[str, Arm] = ARMS) -> dict[str, Any]:
        """The control, from the scores of one half."""
        return control(
            self.benchmark.conversations,
            arms,
            list(self.seeing.values()),
            list(self.blind.values()),
            self.scores(scored),
            scores_are_blind=scored is self.blind,
        )


@pytest.fixture(scope="module")
def halves(benchmark: Benchmark, answers: Answers) -> Halves:
    return Halves(benchmark, answers, benchmark.answers(blind=True))


def test_what_was_published_of_the_blind_control(halves: Halves) -> None:
    found = halves.control(halves.seeing)
    published = FIGURES["blind"]
    assert set(published["identical"]) <= set(found["identical"])
    for arm, figures in published["silent"].items():
        assert arm in found["abstaining"]
        cells = found["arms"][arm]["without_graph"]
        assert round(cells["f1"]["answerable"], 3) == figures["answerable"]
        assert round(cells["f1"]["overall"], 3) == figures["overall"]
        assert round(cells["f1"]["multi_hop"], 3) == figures["multi_hop"]
        assert round(cells["recall"]["multi_hop"], 3) == figures["recall_multi_hop"]
        assert cells["abstained"]["overall"] == figures["quiet"]
    # SPEC 12: path, path+set and the hop arms only abstain; every other arm is byte-identical.
    assert found["abstaining"] == ["path", "path+set", "path2", "path3", "walk2", "walk3"]
    assert sorted(found["identical"] + found["abstaining"]) == sorted(ARMS)
    assert all(found["arms"][arm]["cells_changed"] == 0 for arm in found["identical"])
    assert all(found["arms"][arm]["cells_changed"] > 0 for arm in found["abstaining"])


def test_a_run_without_the_graph_has_the_same_control(halves: Halves) -> None:
    assert halves.control(halves.blind) == halves.control(halves.seeing)


@pytest.mark.parametrize(("arm", "reads"), [("path", False), ("graph", True)])
def test_a_wrong_declaration_fails(halves: Halves, arm: str, reads: bool) -> None:
    wrong = ARMS | {arm: replace(ARMS[arm], reads_graph=reads)}
    with pytest.raises(LocomoError, match=f"of {arm} change without the graph, but its memory declares"):
        halves.control(halves.seeing, wrong)


def test_predictions_of_another_run_are_refused(halves: Halves) -> None:
    sample, *_ = halves.seeing
    for answers in ({}, {arm: given[1:] for arm, given in halves.seeing[sample].items()}):
        stale = replace(halves, seeing=halves.seeing | {sample: answers})
        with pytest.raises(
            LocomoError, match=r"predictions\.json: is of another run; run `dvc repro answer`"
        ):
            control(
                halves.benchmark.conversations,
                ARMS,
                list(stale.seeing.values()),
                list(halves.blind.values()),
                [],
            )


def test_answers_by_arm_are_answers_by_question_turned(answers: Answers) -> None:
    for given in answers.values():
        assert by_arm(by_question(given)) == given
    assert by_arm([]) == {}

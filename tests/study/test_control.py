"""The blind control: the published outcome, and that it fails where a declaration is wrong."""

from dataclasses import replace

import pytest

from helpers.shared import FIGURES, Answers, Benchmark
from locomo.answer import arms
from locomo.core.errors import LocomoError
from locomo.study.control import control


@pytest.fixture(scope="module")
def blind(benchmark: Benchmark) -> Answers:
    return benchmark.answers(blind=True)


def test_what_was_published_of_the_blind_control(
    benchmark: Benchmark, answers: Answers, blind: Answers
) -> None:
    found = control(benchmark.conversations, arms.ARMS, list(answers.values()), list(blind.values()))
    published = FIGURES["blind"]
    assert set(published["identical"]) <= set(found["identical"])
    for arm, figures in published["silent"].items():
        assert arm in found["silent"]
        cells = found["arms"][arm]["without_graph"]
        assert round(cells["f1"]["answerable"], 3) == figures["answerable"]
        assert round(cells["f1"]["overall"], 3) == figures["overall"]
        assert round(cells["f1"]["multi_hop"], 3) == figures["multi_hop"]
        assert round(cells["recall"]["multi_hop"], 3) == figures["recall_multi_hop"]
        assert cells["quiet"]["overall"] == figures["quiet"]
    # SPEC 12: path, path+set and the hop arms fall silent; every other arm is byte-identical.
    assert found["silent"] == ["path", "path+set", "path2", "path3", "walk2", "walk3"]
    assert sorted(found["identical"] + found["silent"]) == sorted(arms.ARMS)
    assert all(found["arms"][arm]["cells_changed"] == 0 for arm in found["identical"])
    assert all(found["arms"][arm]["cells_changed"] > 0 for arm in found["silent"])


@pytest.mark.parametrize(
    ("memory", "reads", "said"), [("path", False, "of path "), ("graph", True, "of graph ")]
)
def test_a_wrong_declaration_fails(
    benchmark: Benchmark,
    answers: Answers,
    blind: Answers,
    monkeypatch: pytest.MonkeyPatch,
    memory: str,
    reads: bool,
    said: str,
) -> None:
    wrong = arms.MEMORIES | {memory: replace(arms.MEMORIES[memory], reads_graph=reads)}
    monkeypatch.setattr("locomo.arms.MEMORIES", wrong)
    with pytest.raises(LocomoError, match=said):
        control(benchmark.conversations, arms.ARMS, list(answers.values()), list(blind.values()))

"""The benchmarks' own logic: what they invent, fit, hold against targets and compare; not how fast we are."""

import json
import os
import re
import sys
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import pytest

import bench
import results
import scaling
import synthetic
from helpers.shared import ROOT
from locomo.core import settings
from locomo.formats import dataset
from locomo.formats.dataset import Category
from locomo.index.indexer import build
from locomo.text.tokens import stems
from measure import Cost, command_cost, mean, stage_cost, together

COMMITTED = ROOT / "benchmarks" / "results.json"
PAGE = ROOT / "docs" / "cost.md"


@pytest.fixture(scope="module")
def invented(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("invented") / "locomo10.json"
    synthetic.write(path, synthetic.conversations(2, turns=130, questions=150, seed=1))
    return path


def test_what_is_invented_is_in_the_datasets_format(invented: Path) -> None:
    conversations = list(dataset.read(invented))
    assert [len(conversation.turns) for conversation in conversations] == [130, 130]
    assert [conversation.sessions for conversation in conversations] == [7, 7]
    for conversation in conversations:
        ids = {turn.id for turn in conversation.turns}
        assert len(conversation.questions) == 150
        assert {question.category for question in conversation.questions} == set(Category)
        assert all(ids.issuperset(question.evidence_ids) for question in conversation.questions)
        assert any("[shares " in turn.text for turn in conversation.turns)
        dates = [turn.date for turn in conversation.turns]
        assert dates == sorted(dates)


def test_only_adversarial_questions_have_a_trap_in_place_of_an_answer(invented: Path) -> None:
    for sample in json.loads(invented.read_text(encoding="utf-8")):
        for question in sample["qa"]:
            assert ("adversarial_answer" in question) == (question["category"] == Category.ADVERSARIAL)
            assert ("answer" in question) != ("adversarial_answer" in question)


def test_there_is_something_to_build_of_what_is_invented(invented: Path) -> None:
    """Roughly as much as of the dataset: four claims a turn, and names beside the speakers'."""
    (conversation, _) = dataset.read(invented)
    store, counts = build(conversation, infer=True)
    assert 3 < counts["claims"] / counts["turns"] < 6
    assert len(store.names) > 2
    assert counts["questions_naming_a_speaker"] == 150


def test_one_seed_invents_one_file_and_a_longer_file_begins_alike() -> None:
    def made(number: int, seed: int) -> list[dict[str, Any]]:
        return list(synthetic.conversations(number, turns=30, questions=5, seed=seed))

    assert made(2, seed=1) == made(2, seed=1) == made(3, seed=1)[:2]
    assert made(2, seed=1) != made(2, seed=2)


def test_new_words_keep_arriving_ever_more_slowly() -> None:
    numbers = iter(range(10**6))
    words = synthetic.Words(Random(1), lambda: str(next(numbers)), scale=4, growth=0.6)
    said = [words.draw() for _ in range(20_000)]
    for n in (200, 2_000, 20_000):
        assert len(set(said[:n])) == pytest.approx(4 * n**0.6, rel=0.25)


def test_no_word_is_invented_twice_or_stands_in_the_lexicon() -> None:
    lists = synthetic.lexicon()
    words = list(islice(synthetic.invented_words(Random(1), lists), 20_000))
    assert len(set(words)) == len(words)
    assert not lists.stop_words.intersection(words)
    assert all(stems(word) for word in words[:100])


def test_the_exponent_of_hand_made_figures() -> None:
    assert scaling.exponent([(10, 3), (40, 12), (160, 48)]) == pytest.approx(1)
    assert scaling.exponent([(10, 5), (100, 500)]) == pytest.approx(2)
    assert scaling.exponent([(10, 7), (100, 7), (1000, 7)]) == pytest.approx(0)
    assert scaling.exponent([(10, 7)]) is None


def test_each_series_is_fitted_by_itself_and_drawn_alike(tmp_path: Path) -> None:
    rows = [
        {
            "along": along,
            "size": size,
            "script": script,
            "work": size**p,
            "memory": 100.0,
            "question": 2.0 * size,
        }
        for along in ("conversations", "turns")
        for script, p in (("least work", 1), ("build", 1), ("answer", 2))
        for size in (10, 40)
    ]
    fits = scaling.fit(rows)
    assert {(fit["along"], fit["script"]): fit["work"] for fit in fits} == {
        (along, script): p
        for along in ("conversations", "turns")
        for script, p in (("least work", 1), ("build", 1), ("answer", 2))
    }
    assert all(fit["memory"] == 0 for fit in fits)
    assert {fit["script"]: fit.get("question") for fit in fits} == {
        "least work": None,
        "build": None,
        "answer": 1,
    }
    for name in ("one.svg", "other.svg"):
        scaling.draw(tmp_path / name, rows, fits)
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "other.svg").read_bytes()


def test_a_point_is_the_median_of_its_runs() -> None:
    size = scaling.Size("turns", conversations=1, turns=600, questions=100)
    assert scaling.row(size, "answer", [cost(6), cost(3), cost(1, memory=80)]) == {
        "along": "turns",
        "size": 600,
        "script": "answer",
        "work": 3,
        "memory": 100,
        "question": 30_000,
        "question and turn": 50,
    }


def test_sizes_vary_one_thing_at_a_time() -> None:
    sizes = scaling.sizes([10, 40], [600, 6000], questions=7)
    assert [(size.conversations, size.turns, size.varied) for size in sizes] == [
        (10, 600, 10),
        (40, 600, 40),
        (1, 600, 600),
        (1, 6000, 6000),
    ]


def test_start_work_and_workers_are_told_apart(tmp_path: Path) -> None:
    spin = "import time\nend = time.process_time() + {}\nwhile time.process_time() < end: pass\n"
    script = tmp_path / "stage.py"
    body = (
        spin.format(0.2)
        + f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {spin.format(0.2)!r}])"
    )
    lines = [spin.format(0.1), "def main():", *(f"    {line}" for line in body.splitlines())]
    script.write_text("\n".join(lines), encoding="utf-8")
    cost = stage_cost(script, tmp_path, os.environ)
    assert 0.1 <= cost.start < 0.3
    assert 0.4 <= cost.work < 0.8
    assert cost.start + cost.work <= cost.cpu + 0.05
    assert cost.wall >= 0.4
    # No more can be said here: a process starts out with the peak memory of the tests that it came from.
    assert cost.memory > 5


def test_a_command_that_fails_ends_the_benchmark_with_what_it_printed(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="ended with 3:\nwhy"):
        command_cost([sys.executable, "-c", "print('why'); raise SystemExit(3)"], tmp_path, os.environ)


def cost(work: float, start: float = 0.5, memory: float = 100) -> Cost:
    return Cost(cpu=start + work + 0.1, wall=start + work, memory=memory, start=start, work=work)


def test_costs_add_up_but_memory_does_not() -> None:
    assert together([cost(1, memory=90), cost(2)]) == Cost(4.2, 4, 100, 1, 3)
    assert mean([cost(1, memory=90), cost(2)]) == Cost(pytest.approx(2.1), 2, 95, 0.5, 1.5)


def test_multiples_of_the_least_work() -> None:
    least = cost(0.5, start=2)
    assert results.row(cost(4), least)["times"] == 8
    # All that a command takes, less the official rescoring, over the least work and its imports.
    command = results.row_of_command(Cost(27, 30, 200), least, official=Cost(7, 7, 90))
    assert (command["start"], command["work"], command["times"]) == (None, 20, 8)


def made(work: float, memory: float = 100.0) -> results.Results:
    """A benchmark in which everything takes as long."""
    row = {"start": 0.5, "work": work, "times": work * 2, "wall": 1.0, "memory": memory}
    return {
        "date": "2026-01-31",
        "commit": f"commit-{work:g}",
        "machine": {"cores": 2, "cpu": "Some CPU", "system": "Some system", "python": "3.11"},
        "runs": 3,
        "least": row,
        "stages": {"build": row, "official": row | {"memory": 9999.0, "start": 9.0}},
        "sums": dict.fromkeys((results.FOUR_ARMS, results.ALL_ARMS, results.PIPELINE), row),
        "commands": dict.fromkeys((results.REPRO, results.EXPERIMENT), row | {"start": None}),
        "questions": {"memories": {"vector": 12.34}},
        "jobs": {"1": {"build": work}, "2": {"build": work / 2}},
    }


def test_arms_are_chosen_in_a_copy_of_the_tree_and_for_a_while(tmp_path: Path) -> None:
    tree = bench.Tree(tmp_path)
    assert tree.scripts()["statistics"] == "src/stats.py"
    params = tree.folder / "params.yaml"
    with tree.arms(["vector"]):
        assert settings.load(params).arms == ("vector",)
    assert params.read_bytes() == ROOT.joinpath("params.yaml").read_bytes()
    assert tree.output("git", "status", "--porcelain") == ""


def test_the_table_holds_every_figure_against_its_target() -> None:
    """The official scorer's are listed and held against nothing."""
    text = results.markdown(made(5))
    verdicts = dict(re.findall(r"^\| (\S.*?) +\|.*\| +(met|missed) \|$", text, re.M))
    assert verdicts == {
        f"work: {results.FOUR_ARMS}": "missed",
        f"work: {results.ALL_ARMS}": "met",
        f"work: {results.PIPELINE}": "met",
        f"`{results.REPRO}`": "met",
        f"`{results.EXPERIMENT}`": "missed",
        "start and imports of any stage": "met",
        "peak memory of any stage": "met",
    }
    assert "2026-01-31 at commit-5 on 2 cores of Some CPU" in text
    assert re.search(r"^\| official +\| +9\.00 \| +5\.00 \|", text, re.M)
    assert re.search(r"^\| memories: vector +\| +12 \|$", text, re.M)
    assert re.search(r"^\| build +\| +5\.0 \| +2\.5 \|$", text, re.M)


def test_two_benchmarks_side_by_side() -> None:
    new = made(2)
    new["stages"] = {"build": new["stages"]["build"], "another": new["stages"]["build"]}
    head, _, *lines = results.comparison(made(5), new).splitlines()
    assert head.split() == ["figure", "commit-5", "commit-2", "new", "/", "old"]
    assert ["build:", "work", "5.000", "2.000", "0.400"] in [line.split() for line in lines]
    assert not any(line.startswith(("another:", "official:")) for line in lines)
    assert ["2", "jobs:", "build", "2.500", "1.000", "0.400"] in [line.split() for line in lines]


def test_medians_of_nested_figures() -> None:
    runs = [{"a": {"b": figure, "c": None}} for figure in (1.0, 9.0, 2.00049)]
    assert results.medians(runs) == {"a": {"b": 2.0, "c": None}}


def test_the_block_in_a_page_is_replaced_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text("before\n<!-- bench: begin -->\nold\n<!-- bench: end -->\nafter\n", encoding="utf-8")
    for _ in range(2):
        bench.write_block(path, r"new \1")
    assert path.read_text(encoding="utf-8") == (
        "before\n<!-- bench: begin -->\n\nnew \\1\n\n<!-- bench: end -->\nafter\n"
    )


def test_the_page_shows_the_committed_figures() -> None:
    committed = json.loads(COMMITTED.read_text(encoding="utf-8"))
    (block,) = bench.BLOCK.finditer(PAGE.read_text(encoding="utf-8"))
    assert block[0].split("\n\n", 1)[1].rsplit("\n\n", 1)[0] == results.markdown(committed)


def test_the_committed_figures_name_no_machine_and_no_place() -> None:
    committed = json.loads(COMMITTED.read_text(encoding="utf-8"))
    assert list(committed["machine"]) == ["cores", "cpu", "system", "python"]
    assert not re.search(r"[/\\](home|root|tmp|work|Users)\b", COMMITTED.read_text(encoding="utf-8"))


def test_the_scripts_run_on_what_is_invented() -> None:
    costs = scaling.measure(scaling.Size("turns", 1, 30, 10), seed=1)
    assert list(costs) == ["least work", "build", "answer"]
    assert all(cost.work > 0 and cost.memory > 0 for cost in costs.values())

"""The public API: its tables hold what the files of a run do, and what the command says."""

import ast
import csv
import doctest
import json
import subprocess
import sys
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import locomo
from helpers.clones import DemoRun
from helpers.shared import ROOT
from locomo import api
from locomo.cli import main
from locomo.core.errors import LocomoError

PACKAGE = ROOT / "src/locomo"


@pytest.fixture
def here(demo_run: DemoRun, monkeypatch: pytest.MonkeyPatch) -> DemoRun:
    """The run over the demonstration set, as the current folder; don't change it."""
    monkeypatch.chdir(demo_run.folder)
    return demo_run


# ---- what importing it costs and offers


def test_importing_it_imports_neither_pandas_nor_numpy() -> None:
    code = "import sys, locomo; locomo.__version__; print({'pandas', 'numpy'} & set(sys.modules))"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=ROOT / "src", capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_its_names_are_no_rooms_and_all_typed() -> None:
    rooms = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert "score" in rooms and not rooms.intersection(locomo.__all__)
    assert all(hasattr(locomo, name) for name in locomo.__all__)
    names: list[str] = []
    for node in ast.parse(PACKAGE.joinpath("__init__.pyi").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom):
            assert node.module == "locomo.api" and all(one.name == one.asname for one in node.names)
            names += [one.name for one in node.names]
        else:
            assert isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
            names.append(node.target.id)
    assert sorted(names) == sorted(locomo.__all__)
    with pytest.raises(AttributeError, match="'locomo' has no attribute 'scores'"):
        locomo.scores  # noqa: B018


def test_its_examples_print_what_is_shown(here: DemoRun) -> None:
    found = doctest.testmod(api)
    assert found.failed == 0 and found.attempted > 15


# ---- a run as tables


def test_the_scores_of_a_run_are_those_of_the_file(here: DemoRun) -> None:
    scores = locomo.load_run().scores
    with (here / "data/scores.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    assert list(scores.columns) == rows[0] and len(scores) == 120 * 15
    strings = {"sample", "category", "arm"}
    read = [float if name not in strings else str for name in rows[0]]
    expected = [tuple(kind(cell) for kind, cell in zip(read, row, strict=True)) for row in rows[1:]]
    assert list(scores.itertuples(index=False, name=None)) == expected


def test_answers_and_questions_of_a_run_are_those_of_the_files(here: DemoRun) -> None:
    run = locomo.load_run(here.folder)
    asked = [
        (sample["sample_id"], place, one)
        for sample in here.json("data/predictions.json")
        for place, one in enumerate(sample["qa"])
    ]
    # Categories and evidence by their numbers in the file (SPEC 1).
    labels = {1: "multi_hop", 2: "temporal", 3: "open_domain", 4: "single_hop", 5: "adversarial"}
    found = run.questions[["sample", "question", "text", "category", "evidence"]]
    assert list(found.itertuples(index=False, name=None)) == [
        (sample, place, one["question"], labels[one["category"]], one["evidence"])
        for sample, place, one in asked
    ]
    answers = {row[:3]: row[3:] for row in run.answers.itertuples(index=False, name=None)}
    assert answers == {
        (sample, place, arm): (
            one[f"{arm}_prediction"],
            one[f"{arm}_prediction_context"],
            one[f"{arm}_prediction_confidence"],
            "",
        )
        for sample, place, one in asked
        for arm in run.scores.arm.unique()
    }
    signed = here.json("metrics/signature.json")
    assert {arm: run.signature.replace("<arm>", arm) for arm in signed} == signed


def test_a_folder_without_a_run_is_told(tmp_path: Path) -> None:
    with pytest.raises(LocomoError, match=r"locomo10\.json: is not there; run `dvc repro fetch`"):
        locomo.load_run(tmp_path)


@pytest.mark.parametrize("pair", [("graph", "vector"), ("oracle", "path"), ("span", "walk3")])
def test_a_comparison_is_that_of_the_pipeline(here: DemoRun, pair: tuple[str, str]) -> None:
    expected = here.json("metrics/statistics/paired.json")["pairs"]
    scores = locomo.load_run().scores
    a, b = pair if " - ".join(pair) in expected else pair[::-1]
    found = locomo.compare(scores, a, b)
    assert found.to_dict("index") == expected[f"{a} - {b}"]
    # By another way: the mean of the differences, question by question.
    wide = scores.pivot(index=["sample", "question", "category"], columns="arm", values="f1").reset_index()
    adversarial = wide.category == "adversarial"
    for half, rows in {"adversarial": wide[adversarial], "answerable": wide[~adversarial]}.items():
        assert found.difference[half] == pytest.approx((rows[a] - rows[b]).mean(), abs=5e-7)
    turned = locomo.compare(scores, b, a)
    assert (turned.difference == -found.difference).all()


def test_the_order_of_the_rows_does_not_matter(here: DemoRun) -> None:
    scores = locomo.load_run().scores
    found = locomo.compare(scores, "graph", "vector")
    for key in ("f1", "sample"):
        other = scores.sort_values(key, ascending=False)
        pd.testing.assert_frame_equal(locomo.compare(other, "graph", "vector"), found)


def test_a_question_that_is_scored_twice_is_refused(here: DemoRun) -> None:
    scores = locomo.load_run().scores
    twice = pd.concat([scores, scores[scores.arm == "graph"].tail(1)])
    with pytest.raises(LocomoError, match="arm 'graph': has more than one score of demo-3/39"):
        locomo.compare(twice, "graph", "vector")


def test_a_folder_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(LocomoError, match="nowhere: is no folder"):
        locomo.load_run(tmp_path / "nowhere")


def test_an_arm_without_scores_is_told(here: DemoRun) -> None:
    with pytest.raises(LocomoError, match="arm 'graf': has no scores; the table has vector, graph, "):
        locomo.compare(locomo.load_run().scores, "vector", "graf")


# ---- answers of any system


def given(run: DemoRun) -> list[dict[str, Any]]:
    """What `graph` said; not to the first four questions of the second conversation, and failed on one."""
    records = [
        {
            "sample_id": sample["sample_id"],
            "question": one["question"],
            "prediction": one["graph_prediction"],
            "context": one["graph_prediction_context"],
            "confidence": one["graph_prediction_confidence"],
        }
        for sample in run.json("data/predictions.json")
        for one in sample["qa"]
    ]
    del records[40:44]
    records[7]["prediction"] = None
    return records


def test_records_a_table_and_a_file_are_scored_as_the_command_does(
    here: DemoRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records = given(here)
    file = tmp_path / "mine.jsonl"
    file.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    table = locomo.score_answers(records, arm="mine")
    pd.testing.assert_frame_equal(locomo.score_answers(file), table)
    pd.testing.assert_frame_equal(locomo.score_answers(pd.DataFrame(records), arm="mine"), table)
    assert table.status.value_counts().to_dict() == {"scored": 115, "missing": 4, "failed": 1}
    assert table[table.status == "missing"].question.tolist() == [0, 1, 2, 3]
    assert table[table.status != "scored"][["f1", "recall", "abstained", "confidence"]].isna().all(axis=None)
    main(["score", str(file), "--json"])
    (told,) = json.loads(capsys.readouterr().out)["comparisons"]
    counts = told["systems"]["mine"]["counts"]
    assert [counts[kind]["overall"] for kind in ("scored", "missing", "failed")] == [115, 4, 1]
    assert table.attrs["remarks"]["mine"] == told["systems"]["mine"]["remarks"] != []
    for measure in ("f1", "recall", "abstained"):
        means = {**table.groupby("category")[measure].mean(), "overall": table[measure].mean()}
        for column, mean in means.items():
            assert told[measure]["mine"][column] == pytest.approx(mean, abs=5e-7), (measure, column)
    # Those of `graph` itself, where it was scored.
    own = locomo.load_run().scores.query("arm == 'graph'").reset_index(drop=True)
    scored = table.status == "scored"
    for measure in ("f1", "recall", "abstained", "confidence"):
        assert (table[measure][scored] == own[measure][scored]).all()


@pytest.mark.parametrize("missing", [None, float("nan"), np.nan, pd.NA, pd.NaT], ids=repr)
def test_whatever_pandas_has_for_a_missing_value_is_none(here: DemoRun, missing: object) -> None:
    asked = here.json("data/locomo10.json")[0]["qa"]
    rows = [
        ("demo-1", asked[0]["question"], "a ferry captain", "single_hop", 0.5),
        ("demo-1", asked[1]["question"], missing, missing, missing),
    ]
    names = ["sample_id", "question", "prediction", "category", "confidence"]
    found = locomo.score_answers(pd.DataFrame(rows, columns=names))
    assert found.status.tolist()[:3] == ["scored", "failed", "missing"]
    # "ferry captain" was right; the article is no word of the metric.
    assert (asked[0]["answer"], found.f1[0], found.confidence[0]) == ("ferry captain", 1.0, 0.5)
    assert isnan(found.recall[0])  # nothing was cited


def test_several_systems_in_one_table(here: DemoRun) -> None:
    asked = here.json("data/locomo10.json")[2]["qa"][0]["question"]
    records = [
        {"sample_id": "demo-3", "question": asked, "prediction": "No information available", "arm": arm}
        for arm in ("one", "other")
    ]
    found = locomo.score_answers(records)
    assert found.arm.unique().tolist() == ["one", "other"] and len(found) == 240
    assert found.query("status == 'scored'").abstained.tolist() == [1, 1]


@pytest.mark.parametrize("category", [5, "5", "adversarial"])
def test_one_reply(category: int | str) -> None:
    assert locomo.f1("No information available", "", category) == 1
    assert locomo.f1("a kayak", "a kayak", category) == 0
    # "bought kayak": precision 1/2, recall 1.
    assert locomo.f1("bought a kayak", "the kayak") == pytest.approx(2 / 3)


def test_a_category_that_there_is_not_is_told() -> None:
    with pytest.raises(LocomoError, match="category: 'six': no such category; allowed: "):
        locomo.f1("a", "b", "six")

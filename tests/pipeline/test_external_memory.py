"""Memories from outside through the real pipeline: the example beside ours, and one that fails."""

import csv
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from helpers.clones import PIPELINE, Clone, clone_of_the_working_tree, commit, ran
from helpers.markdown import table

from helpers.shared import ROOT
from locomo.cli import main
from locomo.core import parallel

BESIDE = ["answer", "score", "official", "statistics", "sweep", "control", "reach", "report"]
"""The stages that run again for other arms."""


# ---- the example


@pytest.fixture(scope="module")
def beside(tmp_path_factory: pytest.TempPathFactory, tiny_file: Path, tiny_params: str) -> Clone:
    """The repository with the tiny dataset, after an experiment that runs the example beside ours."""
    pytest.importorskip("bm25s")
    clone = clone_of_the_working_tree(tmp_path_factory.mktemp("beside"), tiny_file)
    cache = os.pathsep.join(filter(None, [clone.environment["LOCOMO_CACHE"], os.environ.get("LOCOMO_CACHE")]))
    clone.environment["LOCOMO_CACHE"] = cache
    (clone / "params.yaml").write_text(tiny_params, encoding="utf-8")
    commit(clone, "as it stands")
    told = clone.run("dvc", "exp", "run", "-S", "arms=[vector,bm25,bm25+set]")
    assert ran(told) == ["fetch", "build", *BESIDE]
    commit(clone, "as it came out")
    return clone


def test_the_example_has_figures_of_every_kind(beside: Clone) -> None:
    # "What did Ada buy?" shares "Ada" with the evidence alone, "What did Bob sell?" "Bob" with two others.
    # No text covers either question, so that both are declined.
    none = dict.fromkeys(("multi_hop", "temporal", "open_domain"))
    for arm in ("bm25", "bm25+set"):
        assert beside.table("recall")[arm] == none | {
            "single_hop": 1.0,
            "adversarial": 0.0,
            "answerable": 1.0,
            "overall": 0.5,
        }
        assert beside.table("f1")[arm]["overall"] == 0.5 and beside.table("quiet")[arm]["overall"] == 1.0
    assert list(json.loads((beside / "metrics/statistics/paired.json").read_bytes())["pairs"]) == [
        "bm25 - bm25+set",
        "bm25 - vector",
        "bm25+set - vector",
    ]
    for setting in ("floor", "k", "span", "band", "parts"):
        with (beside / f"reports/sweeps/{setting}.csv").open(encoding="utf-8", newline="") as file:
            assert {row["arm"] for row in csv.DictReader(file)} == {"vector", "bm25", "bm25+set"}
    assert "bm25" in json.loads((beside / "metrics/reach.json").read_bytes())["recall_at_2000"]
    assert json.loads((beside / "metrics/control.json").read_bytes())["identical"] == [
        "vector",
        "bm25",
        "bm25+set",
    ]


def test_a_quoted_figure_names_the_very_memory(beside: Clone) -> None:
    signatures = json.loads((beside / "metrics/signature.json").read_bytes())
    digest = subprocess.run(["sha256sum", beside / "memories/bm25.py"], capture_output=True, text=True).stdout
    assert signatures["bm25+set"].endswith(f"|arm:bm25+set|memory:bm25@{digest[:12]}")
    assert signatures["vector"].endswith("|arm:vector")


def test_the_example_stands_in_report_and_page_beside_ours(beside: Clone) -> None:
    text = (beside / "reports/report.md").read_text(encoding="utf-8")
    for caption in ("**F1:", "**Recall:", "**Quiet:", "**What changes without", "**Separation of"):
        assert [row for row in table(text, caption) if "bm25" in row] == ["bm25", "bm25+set"], caption
    assert table(text, "**Which code they are")["bm25"][0::2] == [
        "memories/bm25.py",
        "what it finds, up to k",
    ]
    assert "bm25 - vector" in table(text, "<summary>Every two arms")
    assert "failed" not in text
    page = (beside / "reports/index.html").read_text(encoding="utf-8")
    assert 'data-arms="bm25"' in page and 'data-arms="bm25+set vector"' in page
    for figure in ("trade-off", "categories", "paired"):
        assert f'id="arm:{figure}:bm25+set:' in page, figure


def test_where_retrieval_is_bypassed_is_said(beside: Clone) -> None:
    # conv-1 has three turns, conv-2 one, and the sweep of k goes 1, 2, 5, 10, 20, 50.
    text = (beside / "reports/report.md").read_text(encoding="utf-8")
    said = re.findall(
        r"With k = (\d+), no fewer than the turns of ([^,]+), an arm may cite all there is", text
    )
    every = [(k, "every conversation") for k in ("5", "10", "20", "50")]
    assert said == [("5", "every conversation"), ("1", "`conv-2`"), ("2", "`conv-2`"), *every]


def test_an_edited_memory_is_noticed(beside: Clone, tmp_path: Path) -> None:
    clone = beside.copy(tmp_path / "clone")
    with (clone / "memories/bm25.py").open("a", encoding="utf-8") as file:
        file.write("# A comment more.\n")
    assert ran(clone.run("dvc", "repro", "score")) == ["answer", "score"]
    before, after = (
        json.loads((folder / "metrics/signature.json").read_bytes()) for folder in (beside, clone)
    )
    assert before["bm25"] != after["bm25"] and before["vector"] == after["vector"]


# ---- one that fails

MINE = '''
class Memory:
    """Every turn, in order; fails on what is sold."""

    def __init__(self, conversation, vocabulary):
        self.cites = [(turn.id, 1) for turn in conversation.turns]

    def ask(self, question, k):
        if "sell" in question:
            raise RuntimeError("timeout")
        return self.cites[:k]
'''


def project(folder: Path, tiny_file: Path, tiny_params: str, **settings: Any) -> Path:
    """A folder with settings and a memory of its own, after stages fetch and build."""
    params = yaml.safe_load(tiny_params) | {"floor": 0.0, "arms": ["vector", "mine", "mine+set"]} | settings
    (folder / "memories").mkdir(parents=True)
    (folder / "memories/mine.py").write_text(MINE, encoding="utf-8")
    (folder / "params.yaml").write_text(yaml.safe_dump(params), encoding="utf-8")
    cache = os.pathsep.join(filter(None, [str(tiny_file.parent.parent), os.environ.get("LOCOMO_CACHE")]))
    for stage in ("fetch", "build"):
        run(folder, stage, LOCOMO_CACHE=cache)
    return folder


def run(folder: Path, stage: str, code: int = 0, **environment: str) -> str:
    """Run a stage that has to end with `code`; what it printed, with what it said of errors."""
    script = ROOT / PIPELINE[stage]["cmd"].split()[1]
    done = subprocess.run(
        [sys.executable, script], cwd=folder, env=os.environ | environment, capture_output=True, text=True
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def told_of_failures(
    tmp_path_factory: pytest.TempPathFactory, tiny_file: Path, tiny_params: str
) -> tuple[Path, dict[str, str]]:
    """The folder of a run where a memory failed on one of the two questions, and what each stage said."""
    folder = project(tmp_path_factory.mktemp("failed"), tiny_file, tiny_params, may_fail=["mine"])
    return folder, {stage: run(folder, stage) for stage in BESIDE}


@pytest.fixture
def failed(told_of_failures: tuple[Path, dict[str, str]], monkeypatch: pytest.MonkeyPatch) -> Path:
    """That folder, as the current one; don't change it."""
    monkeypatch.chdir(told_of_failures[0])
    return told_of_failures[0]


def metrics(folder: Path, name: str) -> Any:
    return json.loads((folder / "metrics" / name).read_bytes())


def test_a_failed_question_counts_in_no_mean(failed: Path) -> None:
    # All three turns are cited, and with no floor two of them reply "bought kayak, nice". Of its three
    # words one is the answer: precision 1/3, recall 1.
    row = metrics(failed, "f1/mine.json")
    assert (row["adversarial"], row["answerable"], row["scored"], row["failed"]) == (
        None,
        row["overall"],
        1,
        1,
    )
    assert row["overall"] == 0.5
    assert metrics(failed, "recall/mine+set.json")["overall"] == 1.0
    assert "scored" not in metrics(failed, "f1/vector.json")
    assert metrics(failed, "signature.json")["mine"].endswith("|failed:1")
    with (failed / "data/marks.csv").open(encoding="utf-8", newline="") as file:
        assert [(row["question"], row["arm"]) for row in csv.DictReader(file)] == [
            ("0", "vector"),
            ("0", "mine"),
            ("0", "mine+set"),
            ("1", "vector"),
        ]
    question = json.loads((failed / "data/predictions.json").read_bytes())[0]["qa"][1]
    assert question["mine_prediction"] is question["mine_prediction_context"] is None
    assert question["mine_prediction_error"] == "RuntimeError: timeout"
    assert metrics(failed, "statistics/paired.json")["left_out"] == {
        pair: {"answerable": 0, "adversarial": 1}
        for pair in ("mine - mine+set", "mine - vector", "mine+set - vector")
    }
    assert metrics(failed, "reach.json")["failed"] == {"mine": 1}


def test_every_stage_says_what_was_left_out(told_of_failures: tuple[Path, dict[str, str]]) -> None:
    _, told = told_of_failures
    assert re.search(r"mine\+set +1 of 1 .* 0 of 1 .*1 of 1 +1 of 2\n", told["score"])
    assert "Left out of 3 paired differences" in told["statistics"]
    assert "questions that a memory failed on: 1 of mine." in told["reach"]
    if "Nothing was rescored" not in told["official"]:
        assert "4 marks and 4 recalls compared with data/marks.csv: largest difference 0" in told["official"]
        assert "mine: 1 of 2 predictions missing, left out: conv-1, question 1" in told["official"]


def test_the_report_shows_the_denominators(failed: Path) -> None:
    text = (failed / "reports/report.md").read_text(encoding="utf-8")
    rows = table(text, "**Questions scored, of those asked**")
    assert list(rows) == ["", "mine", "mine+set"]
    assert rows["mine"] == ["1 of 1", *["0 of 0"] * 3, "0 of 1", "1 of 1", "1 of 2"]
    assert text.count("`mine` is scored on 1 of 2 questions") == 1
    assert "`mine+set` failed on up to 1 of 2 questions here." in text
    assert "Recall of `mine` leaves out 1 of 2 questions" in text
    assert table(text, "Questions that a pair is not compared on")["mine - vector"] == ["0", "1"]
    assert "Questions scored, of those asked" in (failed / "reports/index.html").read_text(encoding="utf-8")
    with (failed / "reports/sweeps/floor.csv").open(encoding="utf-8", newline="") as file:
        assert {(row["arm"], row["scored"]) for row in csv.DictReader(file)} == {
            ("vector", "2"),
            ("mine", "1"),
            ("mine+set", "1"),
        }


def test_what_failed_is_shown_and_not_exported(failed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["show", "--n", "0"])
    shown = capsys.readouterr().out
    assert shown.count("  mine failed, and is not scored: RuntimeError: timeout") == 1
    main(["show", "--n", "0", "--json"])
    arms = json.loads(capsys.readouterr().out)["questions"][1]["arms"]
    assert arms["mine"] == {"error": "RuntimeError: timeout"} and arms["vector"]["f1"] in (0, 1)
    main(["show", "--n", "0", "--arm", "mine", "--turns"])
    assert "mine failed" in capsys.readouterr().out
    out = ["--out", str(failed.parent / "exported")]
    for kind in ("predictions", "marks", "run"):
        main(["export", kind, *out])
    said = capsys.readouterr().out
    assert said.count("mine: 1 of 2 questions failed and have no row") == 2
    assert re.search(r"mine\.trec: 3 turns cited for 1 of 2 questions", said)


def test_answers_from_elsewhere_stand_beside_it(failed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = failed.parent / "given.jsonl"
    asked = [("What did Ada buy?", "kayak"), ("What did Bob sell?", "No information available")]
    lines = ({"sample_id": "conv-1", "question": q, "prediction": a} for q, a in asked)
    given.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    main(["score", str(given), "--against", "mine", "vector"])
    said = capsys.readouterr().out
    assert "mine failed on 1 of these questions; they count in none of its figures" in said
    assert "vector failed" not in said
    # A file of marks that lacks one for another reason is still refused.
    copied = failed.parent / "copied"
    shutil.copytree(failed, copied, dirs_exist_ok=True)
    text = (copied / "data/marks.csv").read_text(encoding="utf-8")
    (copied / "data/marks.csv").write_text("".join(text.splitlines(keepends=True)[:-1]), encoding="utf-8")
    os.chdir(copied)
    with pytest.raises(SystemExit, match="its marks of vector are not those of the questions"):
        main(["score", str(given)])


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_failure_that_was_not_allowed_ends_the_stage(
    tmp_path: Path, tiny_file: Path, tiny_params: str, jobs: str
) -> None:
    folder = project(tmp_path / "project", tiny_file, tiny_params)
    for stage in ("answer", "sweep", "control", "reach"):
        told = run(folder, stage, code=1, **{parallel.JOBS: jobs})
        assert "Traceback" not in told
        assert "error: memory mine: conv-1, question 1 ('What did Bob sell?'), asked for " in told
        assert "RuntimeError: timeout (memories/mine.py:10); to count such questions as failed" in told
    assert not (folder / "data/predictions.json").exists()


def test_other_processes_run_the_same_memory(failed: Path, tmp_path: Path) -> None:
    folder = tmp_path / "project"
    shutil.copytree(failed, folder)
    for stage in ("answer", "sweep", "control"):
        run(folder, stage, **{parallel.JOBS: "2"})
    for path in ("data/predictions.json", "reports/sweeps/k.csv", "metrics/control.json"):
        assert (folder / path).read_bytes() == (failed / path).read_bytes()


def test_a_memory_of_an_installed_package(tmp_path: Path, tiny_file: Path, tiny_params: str) -> None:
    folder = project(tmp_path / "project", tiny_file, tiny_params, arms=["vector", "acme"])
    about = tmp_path / "site" / "acme_memory-1.2.dist-info"
    about.mkdir(parents=True)
    about.joinpath("METADATA").write_text("Metadata-Version: 2.1\nName: acme-memory\nVersion: 1.2\n")
    about.joinpath("entry_points.txt").write_text("[locomo.memories]\nacme = acme_memory:Memory\n")
    code = MINE.replace("sell", "steal").encode()
    about.with_name("acme_memory.py").write_bytes(code)
    for jobs in ("2", "1"):
        run(folder, "answer", **{parallel.JOBS: jobs, "PYTHONPATH": str(about.parent)})
    run(folder, "score")  # where the package is not at hand
    digest = hashlib.sha256(f"acme_memory.py\0{hashlib.sha256(code).hexdigest()}\n".encode()).hexdigest()
    assert metrics(folder, "signature.json")["acme"].endswith(f"|arm:acme|memory:acme@1.2+{digest[:12]}")
    assert metrics(folder, "recall/acme.json")["answerable"] == 1.0


def test_a_memory_that_is_not_there_ends_the_stage_before_any_work(
    tmp_path: Path, tiny_file: Path, tiny_params: str
) -> None:
    folder = project(tmp_path / "project", tiny_file, tiny_params, arms=["vector", "min"])
    told = run(folder, "answer", code=1)
    assert told.startswith("error: arms: min: no such arm; allowed are vector, ")
    assert told.endswith("(in memories/: mine; entry points of locomo.memories: none)\n")

"""External memories through the real pipeline: the example beside ours, and one that fails."""

import csv
import hashlib
import json
import os
import re
import runpy
import shutil
import subprocess
import sys
from contextlib import chdir, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import yaml

from helpers.clones import PIPELINE, Clone, DemoRun, environment_as_made, made_once, ran
from helpers.markdown import table
from helpers.shared import ROOT
from locomo.cli import main
from locomo.core import parallel
from locomo.core.errors import LocomoError

BESIDE = list(PIPELINE)[list(PIPELINE).index("arms") :]
"""The stages that run again for other arms."""
ARMS = ["vector", "bm25", "bm25+set"]


# ---- the example


@pytest.fixture(scope="module")
def beside(tmp_path_factory: pytest.TempPathFactory, demo_run: DemoRun) -> Clone:
    """A copy of the demonstration's run after an experiment that runs the example beside ours."""
    pytest.importorskip("bm25s")

    def make(work: Path) -> None:
        clone = demo_run.copy(work / "clone")
        assert ran(clone.run("dvc", "exp", "run", "-S", f"arms=[{','.join(ARMS)}]")) == BESIDE

    return Clone(made_once(tmp_path_factory, "beside", make) / "clone", demo_run.environment)


def test_the_example_has_figures_of_every_kind(beside: Clone) -> None:
    for measure in ("f1", "recall", "abstained"):
        assert set(beside.table(measure)) == set(ARMS)
    assert list(beside.json("metrics/statistics/paired.json")["pairs"]) == [
        "bm25 - bm25+set",
        "bm25 - vector",
        "bm25+set - vector",
    ]
    for setting in ("floor", "k", "span", "band", "parts"):
        with (beside / f"reports/sweeps/{setting}.csv").open(encoding="utf-8", newline="") as file:
            assert {row["arm"] for row in csv.DictReader(file)} == set(ARMS)
    assert "bm25" in beside.json("metrics/reach.json")["recall_at_2000"]
    assert beside.json("metrics/control.json")["identical"] == ARMS


def test_a_quoted_figure_names_the_very_memory(beside: Clone) -> None:
    signatures = beside.json("metrics/signature.json")
    digest = subprocess.run(["sha256sum", beside / "memories/bm25.py"], capture_output=True, text=True).stdout
    assert signatures["bm25+set"].endswith(f"|arm:bm25+set|memory:bm25@{digest[:12]}")
    assert signatures["vector"].endswith("|arm:vector")


def test_the_example_stands_in_report_and_page_beside_ours(beside: Clone) -> None:
    text = (beside / "reports/report.md").read_text(encoding="utf-8")
    for caption in ("**F1:", "**Recall:", "**Abstained:", "**What changes without", "**Separation of"):
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


def test_an_edited_memory_is_noticed(beside: Clone, tmp_path: Path) -> None:
    clone = beside.copy(tmp_path / "clone")
    with (clone / "memories/bm25.py").open("a", encoding="utf-8") as file:
        file.write("# One more comment.\n")
    assert ran(clone.run("dvc", "repro", "score")) == ["arms", "answer", "score"]
    before, after = (one.json("metrics/signature.json") for one in (beside, clone))
    assert before["bm25"] != after["bm25"] and before["vector"] == after["vector"]


def test_restore_brings_back_what_is_committed(beside: Clone, demo_run: DemoRun, tmp_path: Path) -> None:
    clone = beside.copy(tmp_path / "clone")
    assert clone.changes() and (clone / "metrics/f1/bm25.json").exists()
    clone.run("make", "restore", f"VENV={environment_as_made(tmp_path / 'venv')}")
    clone.assert_as_committed()
    assert not list((clone / "metrics").rglob("bm25*"))
    assert (clone / "data/scores.csv").read_bytes() == (demo_run / "data/scores.csv").read_bytes()


# ---- one that fails, on the tiny dataset, where all can be worked out by hand

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
    """A folder with settings and memories of its own, after stages fetch and build."""
    params = yaml.safe_load(tiny_params) | {"floor": 0.0, "arms": ["vector", "mine", "mine+set"]} | settings
    shutil.copytree(ROOT / "memories", folder / "memories")
    (folder / "memories/mine.py").write_text(MINE, encoding="utf-8")
    (folder / "params.yaml").write_text(yaml.safe_dump(params), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LOCOMO_CACHE", str(tiny_file.parent.parent))
        for stage in ("fetch", "build"):
            run(folder, stage)
    return folder


def run(folder: Path, stage: str) -> str:
    """Run a stage in this process; what it printed."""
    with chdir(folder), redirect_stdout(StringIO()) as told:
        runpy.run_path(str(script(stage)))["main"]()
    return told.getvalue()


def run_apart(folder: Path, stage: str, code: int = 0, **environment: str) -> str:
    """Run a stage in a process of its own that has to end with `code`; its output and errors."""
    done = subprocess.run(
        [sys.executable, script(stage)],
        cwd=folder,
        env=os.environ | environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


def script(stage: str) -> Path:
    return ROOT / str(PIPELINE[stage]["cmd"]).split()[1]


def metrics(folder: Path, name: str) -> Any:
    return json.loads((folder / "metrics" / name).read_bytes())


def test_figures_of_the_example_by_hand(tmp_path: Path, tiny_file: Path, tiny_params: str) -> None:
    pytest.importorskip("bm25s")
    folder = project(tmp_path / "project", tiny_file, tiny_params, floor=0.3, arms=ARMS)
    for stage in ("arms", "answer", "score"):
        run(folder, stage)
    # "What did Ada buy?" shares "Ada" with the evidence alone, "What did Bob sell?" "Bob" with two others.
    # No text covers either question, so that both are declined.
    none = dict.fromkeys(("multi_hop", "temporal", "open_domain"))
    for arm in ("bm25", "bm25+set"):
        found = {"single_hop": 1.0, "adversarial": 0.0, "answerable": 1.0, "overall": 0.5}
        assert metrics(folder, f"recall/{arm}.json") == none | found
        assert metrics(folder, f"f1/{arm}.json")["overall"] == 0.5
        assert metrics(folder, f"abstained/{arm}.json")["overall"] == 1.0


@pytest.fixture(scope="module")
def told_of_failures(
    tmp_path_factory: pytest.TempPathFactory, tiny_file: Path, tiny_params: str
) -> tuple[Path, dict[str, str]]:
    """The folder of a run where a memory failed on one of the two questions, and what each stage said."""
    work = tmp_path_factory.mktemp("failed")
    folder = project(work / "project", tiny_file, tiny_params, may_fail=["mine"])
    return folder, {stage: run(folder, stage) for stage in BESIDE}


@pytest.fixture
def failed(told_of_failures: tuple[Path, dict[str, str]], monkeypatch: pytest.MonkeyPatch) -> Path:
    """That folder, as the current one; don't change it."""
    monkeypatch.chdir(told_of_failures[0])
    return told_of_failures[0]


def test_a_failed_question_counts_in_no_mean(failed: Path) -> None:
    # All three turns are cited, and with no floor two of them reply "bought kayak, nice". Of its three
    # words one is the answer: precision 1/3, recall 1.
    row = metrics(failed, "f1/mine.json")
    assert (row["adversarial"], row["scored"], row["failed"]) == (None, 1, 1)
    assert row["overall"] == row["answerable"] == 0.5
    assert metrics(failed, "recall/mine+set.json")["overall"] == 1.0
    assert "scored" not in metrics(failed, "f1/vector.json")
    assert metrics(failed, "signature.json")["mine"].endswith("|failed:1")
    with (failed / "data/scores.csv").open(encoding="utf-8", newline="") as file:
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
    assert "the recall of mine: questions that it failed on (1)" in told["reach"]
    if "Nothing was rescored" not in told["official"]:
        compared = "4 F1 scores and 4 recalls compared with data/scores.csv: largest difference 0"
        assert compared in told["official"]
        assert "mine: 1 of 2 predictions missing, left out: conv-1/1" in told["official"]


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


def test_the_report_says_where_retrieval_is_bypassed(failed: Path) -> None:
    # conv-1 has three turns, conv-2 one, and the sweep of k goes 1, 2, 5, 10, 20, 50.
    text = (failed / "reports/report.md").read_text(encoding="utf-8")
    said = re.findall(
        r"With k = (\d+), no fewer than the turns of ([^,]+), an arm may cite all there is", text
    )
    every = [(k, "every conversation") for k in ("5", "10", "20", "50")]
    assert said == [("5", "every conversation"), ("1", "`conv-2`"), ("2", "`conv-2`"), *every]


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
    for kind in ("predictions", "scores", "run"):
        main(["export", kind, *out])
    said = capsys.readouterr().out
    assert said.count("mine: 1 of 2 questions failed and have no row") == 2
    assert re.search(r"mine\.trec: 3 turns cited for 1 of 2 questions", said)


def test_answers_from_elsewhere_stand_beside_it(
    failed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    given = tmp_path / "given.jsonl"
    asked = [("What did Ada buy?", "kayak"), ("What did Bob sell?", "No information available")]
    lines = ({"sample_id": "conv-1", "question": q, "prediction": a} for q, a in asked)
    given.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    main(["score", str(given), "--against", "mine", "vector"])
    said = capsys.readouterr().out
    assert "mine failed on 1 of these questions; they count in none of its figures" in said
    assert "vector failed" not in said
    # A file of scores that lacks one for another reason is still refused.
    copied = tmp_path / "copied"
    shutil.copytree(failed, copied)
    text = (copied / "data/scores.csv").read_text(encoding="utf-8")
    (copied / "data/scores.csv").write_text("".join(text.splitlines(keepends=True)[:-1]), encoding="utf-8")
    monkeypatch.chdir(copied)
    with pytest.raises(SystemExit, match=r"data/scores\.csv: is of another run than metrics/signature\.json"):
        main(["score", str(given)])


def test_a_failure_that_was_not_allowed_ends_the_stage(
    tmp_path: Path, tiny_file: Path, tiny_params: str
) -> None:
    folder = project(tmp_path / "project", tiny_file, tiny_params)
    run(folder, "arms")
    where = re.escape("memory mine: conv-1, question 1 ('What did Bob sell?'), asked for ")
    why = re.escape("RuntimeError: timeout (memories/mine.py:10); to count such questions as failed")
    for stage in ("answer", "sweep", "reach"):
        with pytest.raises(LocomoError, match=f"^{where}.*: {why}"):
            run(folder, stage)
    told = run_apart(folder, "answer", code=1, **{parallel.JOBS: "2"})
    assert re.match(f"error: {where}.*: {why}", told) and "Traceback" not in told
    assert not (folder / "data/predictions.json").exists()


def test_other_processes_run_the_same_memory(failed: Path, tmp_path: Path) -> None:
    folder = tmp_path / "project"
    shutil.copytree(failed, folder)
    for stage, path in (("answer", "data/predictions.json"), ("sweep", "reports/sweeps/k.csv")):
        shutil.rmtree(folder / "reports", ignore_errors=True)
        run_apart(folder, stage, **{parallel.JOBS: "2"})
        assert (folder / path).read_bytes() == (failed / path).read_bytes()


def test_a_memory_of_an_installed_package(tmp_path: Path, tiny_file: Path, tiny_params: str) -> None:
    folder = project(tmp_path / "project", tiny_file, tiny_params, arms=["vector", "acme"])
    about = tmp_path / "site" / "acme_memory-1.2.dist-info"
    about.mkdir(parents=True)
    about.joinpath("METADATA").write_text("Metadata-Version: 2.1\nName: acme-memory\nVersion: 1.2\n")
    about.joinpath("entry_points.txt").write_text("[locomo.memories]\nacme = acme_memory:Memory\n")
    code = MINE.replace("sell", "steal").encode()
    about.with_name("acme_memory.py").write_bytes(code)
    site = {"PYTHONPATH": str(about.parent)}
    run_apart(folder, "arms", **site)
    run_apart(folder, "answer", **site, **{parallel.JOBS: "2"})
    run(folder, "score")  # where the package is not at hand
    digest = hashlib.sha256(f"acme_memory.py\0{hashlib.sha256(code).hexdigest()}\n".encode()).hexdigest()
    assert metrics(folder, "signature.json")["acme"].endswith(f"|arm:acme|memory:acme@1.2+{digest[:12]}")
    assert metrics(folder, "recall/acme.json")["answerable"] == 1.0


def test_a_memory_that_is_not_there_ends_the_run_before_any_work(
    tmp_path: Path, tiny_file: Path, tiny_params: str
) -> None:
    folder = project(tmp_path / "project", tiny_file, tiny_params, arms=["vector", "min"])
    told = run_apart(folder, "arms", code=1)
    assert told.startswith("error: arms: min: no such arm; allowed are vector, ")
    assert told.endswith("(in memories/: bm25, mine; entry points of locomo.memories: none)\n")

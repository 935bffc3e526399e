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
from collections import Counter
from contextlib import chdir, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pooch
import pytest
import yaml

from helpers import stages
from helpers.clones import PIPELINE, Clone, DemoRun, environment_as_made, made_once, ran
from helpers.markdown import table
from helpers.shared import ROOT, make_tiny
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
            rows = list(csv.DictReader(file))
        assert {row["arm"] for row in rows} == set(ARMS)
        # It may rank differently for another k, and is not asked (setting sweep.external_k).
        assert setting != "k" or [row["k"] for row in rows if row["arm"] == "bm25"] == ["5"]
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
    assert "Questions that failed" not in text
    page = (beside / "reports/index.html").read_text(encoding="utf-8")
    assert 'data-arms="bm25"' in page and 'data-arms="bm25+set vector"' in page
    for figure in ("trade-off", "categories", "paired"):
        assert f'id="arm:{figure}:bm25+set:' in page, figure


def test_an_edited_memory_is_asked_again_and_no_other(beside: Clone, tmp_path: Path) -> None:
    clone = beside.copy(tmp_path / "clone").within(XDG_CACHE_HOME=str(tmp_path / "cache"))
    clone.edit("params.yaml", "- bm25+set", "- mine")
    (clone / "memories/mine.py").write_text(MINE.replace("sell", "steal"), encoding="utf-8")

    def asked() -> dict[str, tuple[int, int]]:
        cost = clone.json("metrics/cost.json")
        return {memory: (cost[memory]["calls"], cost[memory]["kept"]) for memory in ("bm25", "mine")}

    # 120 questions, at k = 5 and at k = 2000.
    assert ran(clone.run("dvc", "repro", "ask")) == ["arms", "ask"]
    assert asked() == {"bm25": (240, 0), "mine": (240, 0)}
    with (clone / "memories/bm25.py").open("a", encoding="utf-8") as file:
        file.write("# One more comment.\n")
    assert ran(clone.run("dvc", "repro", "score")) == ["arms", "ask", "answer", "score"]
    assert asked() == {"bm25": (240, 0), "mine": (0, 240)}
    before, after = (one.json("metrics/signature.json") for one in (beside, clone))
    assert before["bm25"] != after["bm25"] and before["vector"] == after["vector"]
    # A file beside it belongs to it.
    (clone / "memories/mine").mkdir()
    (clone / "memories/mine/data.txt").write_text("1")
    assert ran(clone.run("dvc", "repro", "ask")) == ["arms", "ask"]
    assert asked() == {"bm25": (0, 240), "mine": (240, 0)}
    # What an editor leaves there does not: neither DVC nor the stage takes it for a change.
    (clone / "memories/mine/data.txt~").write_text("1")
    assert ran(clone.run("dvc", "repro", "--force", "--single-item", "ask")) == ["ask"]
    assert asked() == {"bm25": (0, 240), "mine": (0, 240)}


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


def project(folder: Path, **settings: Any) -> Path:
    """A folder with the tiny dataset, settings and memories of its own, after stages fetch and build."""
    params = yaml.safe_load(ROOT.joinpath("params.yaml").read_bytes())
    params |= {"dataset": {"file": "talks.json"}, "floor": 0.0, "arms": ["vector", "mine", "mine+set"]}
    shutil.copytree(ROOT / "memories", folder / "memories")
    (folder / "memories/mine.py").write_text(MINE, encoding="utf-8")
    (folder / "params.yaml").write_text(yaml.safe_dump(params | settings), encoding="utf-8")
    (folder / "talks.json").write_text(json.dumps(make_tiny()), encoding="utf-8")
    for stage in ("fetch", "build"):
        run(folder, stage)
    return folder


def around(folder: Path) -> dict[str, str]:
    """Surroundings in which answers are kept beside the folder, and the official scorer is found."""
    places = [os.environ.get("LOCOMO_CACHE", ""), str(pooch.os_cache("locomo-bench"))]
    return {
        "XDG_CACHE_HOME": str(folder.parent / "home"),
        "LOCOMO_CACHE": os.pathsep.join(filter(None, places)),
    }


def run(folder: Path, stage: str) -> str:
    """Run a stage in this process; what it printed."""
    with pytest.MonkeyPatch.context() as patch, chdir(folder), redirect_stdout(StringIO()) as told:
        for name, value in around(folder).items():
            patch.setenv(name, value)
        runpy.run_path(str(script(stage)))["main"]()
    return told.getvalue()


def run_apart(folder: Path, stage: str, code: int = 0, **environment: str) -> str:
    """Run a stage in a process of its own that has to end with `code`; its output and errors."""
    done = subprocess.run(
        [sys.executable, script(stage)],
        cwd=folder,
        env=os.environ | around(folder) | environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


def script(stage: str) -> Path:
    return ROOT / str(PIPELINE[stage]["cmd"]).split()[1]


def metrics(folder: Path, name: str) -> Any:
    return json.loads((folder / "metrics" / name).read_bytes())


def test_figures_of_the_example_by_hand(tmp_path: Path) -> None:
    pytest.importorskip("bm25s")
    folder = project(tmp_path / "project", floor=0.3, arms=ARMS)
    for stage in ("arms", "ask", "answer", "score"):
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
def told_of_failures(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """The folder of a run where a memory failed on one of the two questions, and what each stage said."""
    work = tmp_path_factory.mktemp("failed")
    folder = project(work / "project", may_fail=["mine"])
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


def test_a_failure_that_was_not_allowed_ends_the_stage(tmp_path: Path) -> None:
    folder = project(tmp_path / "project")
    run(folder, "arms")
    where = re.escape("memory mine: conv-1, question 1 ('What did Bob sell?'), asked for 5: ")
    why = re.escape("RuntimeError: timeout (memories/mine.py:10); to count such questions as failed")
    with pytest.raises(LocomoError, match=f"^{where}{why}"):
        run(folder, "ask")
    told = run_apart(folder, "ask", code=1, **{parallel.JOBS: "2"})
    assert re.match(f"error: {where}{why}", told) and "Traceback" not in told
    assert not (folder / "data/cites").exists() and not (folder / "metrics/cost.json").exists()


def test_other_processes_run_the_same_memory(failed: Path, tmp_path: Path) -> None:
    folder = tmp_path / "project"
    shutil.copytree(failed, folder)
    for stage, path in (("answer", "data/predictions.json"), ("sweep", "reports/sweeps/k.csv")):
        shutil.rmtree(folder / "reports", ignore_errors=True)
        run_apart(folder, stage, **{parallel.JOBS: "2"})
        assert (folder / path).read_bytes() == (failed / path).read_bytes()


def test_a_memory_of_an_installed_package(tmp_path: Path) -> None:
    folder = project(tmp_path / "project", arms=["vector", "acme"])
    about = tmp_path / "site" / "acme_memory-1.2.dist-info"
    about.mkdir(parents=True)
    about.joinpath("METADATA").write_text("Metadata-Version: 2.1\nName: acme-memory\nVersion: 1.2\n")
    about.joinpath("entry_points.txt").write_text("[locomo.memories]\nacme = acme_memory:Memory\n")
    code = MINE.replace("sell", "steal").encode()
    about.with_name("acme_memory.py").write_bytes(code)
    site = {"PYTHONPATH": str(about.parent)}
    run_apart(folder, "arms", **site)
    run_apart(folder, "ask", **site, **{parallel.JOBS: "2"})
    run_apart(folder, "answer", **site)
    run(folder, "score")  # where the package is not at hand
    digest = hashlib.sha256(f"acme_memory.py\0{hashlib.sha256(code).hexdigest()}\n".encode()).hexdigest()
    assert metrics(folder, "signature.json")["acme"].endswith(f"|arm:acme|memory:acme@1.2+{digest[:12]}")
    assert metrics(folder, "recall/acme.json")["answerable"] == 1.0


def test_a_memory_that_is_not_there_ends_the_run_before_any_work(tmp_path: Path) -> None:
    folder = project(tmp_path / "project", arms=["vector", "min"])
    told = run_apart(folder, "arms", code=1)
    assert told.startswith("error: arms: min: no such arm; allowed are vector, ")
    assert told.endswith("(in memories/: bm25, mine; entry points of locomo.memories: none)\n")


# ---- what it is asked, and what it may cite

NOTING = """
class Memory:
    partial = True

    def __init__(self, conversation, vocabulary):
        self.sample, self.turns = conversation.sample_id, conversation.turns
        self.note("made")

    def note(self, what):
        with open("log", "a") as file:
            file.write(f"{self.sample} {what}\\n")

    def ask(self, question, k):
        self.note(f"{k} {question}")
        return CITES
"""
# Other turns first for another k and question, so that the first of 20 are not what it cites for 5.
BY_K = "[(turn.id, 1) for turn in self.turns[(k + len(question)) % 7 :][:k]]"


def noting(folder: Path, cites: str, name: str = "mine") -> None:
    path = folder / f"memories/{name}.py"
    path.write_text(NOTING.replace("CITES", cites), encoding="utf-8")


def in_sweep(folder: Path, setting: str, arm: str) -> dict[float, dict[str, float]]:
    """The rows of an arm in the sweep of a setting, by its value."""
    with (folder / f"reports/sweeps/{setting}.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row.pop("arm") == arm]
    return {float(row.pop(setting)): {name: float(cell) for name, cell in row.items()} for row in rows}


def test_it_is_made_once_and_asked_at_k_and_without_a_cut(tmp_path: Path) -> None:
    samples = json.loads((ROOT / "demo/conversations.json").read_bytes())
    folder = stages.project(tmp_path / "project", samples)
    noting(folder, BY_K)
    texts = [f"{one['sample_id']} {{}} {asked['question']}" for one in samples for asked in one["qa"]]

    def asked_at(**settings: Any) -> set[int]:
        """The k at which every question was asked once, by all stages together."""
        (folder / "log").unlink(missing_ok=True)
        shutil.rmtree(folder / "home", ignore_errors=True)
        stages.change(folder, arms=["mine", "mine+set"], **settings)
        stages.run(folder, "arms", "ask", "answer", "score", "sweep", "control", "reach")
        counted = Counter((folder / "log").read_text(encoding="utf-8").splitlines())
        for one in samples:
            assert counted.pop(f"{one['sample_id']} made") == 1
        ks = {int(line.split(" ", 2)[1]) for line in counted}
        assert counted == dict.fromkeys((text.format(k) for text in texts for k in ks), 1)
        return ks

    sweep = yaml.safe_load((ROOT / "params.yaml").read_text(encoding="utf-8"))["sweep"]
    assert asked_at() == {5, 2000}
    for arm in ("mine", "mine+set"):
        assert_swept_as_scored(folder, arm, k=5, ks=[5])
        assert list(in_sweep(folder, "floor", arm)) == sweep["floor"]
    assert asked_at(k=2) == {2, 5, 2000}  # the sweeps have k = 5 in their base
    assert list(in_sweep(folder, "k", "mine")) == [5]
    assert asked_at(k=2000) == {5, 2000}
    assert asked_at(k=10, sweep=sweep | {"external_k": True}) == {1, 2, 5, 10, 20, 50, 2000}
    for arm in ("mine", "mine+set"):
        assert_swept_as_scored(folder, arm, k=10, ks=sweep["k"])


def assert_swept_as_scored(folder: Path, arm: str, k: int, ks: list[int]) -> None:
    """The sweep of k has these rows, and that of the k of the answers has their figures."""
    rows = in_sweep(folder, "k", arm)
    assert list(rows) == ks
    scored = {column: metrics(folder, f"f1/{arm}.json")[column] for column in ("answerable", "adversarial")}
    scored |= {"overall": metrics(folder, f"f1/{arm}.json")["overall"]}
    assert rows[k] == scored | {"abstained": metrics(folder, f"abstained/{arm}.json")["overall"]}
    assert 0 < scored["answerable"] < 1


def test_sessions_and_texts_by_hand(tmp_path: Path) -> None:
    folder = stages.project(tmp_path / "project", make_tiny())
    noting(folder, "[('S2', 2), ('S1', 1)] if 'sell' in question else [('S1', 1)]")
    noting(folder, "{'cites': [(None, 1, 'Ada bought it, a kayak.')], 'confidence': 0.75}", "other")
    stages.change(folder, arms=["vector", "mine", "mine+set", "other", "other+edge"], floor=0.5)
    stages.run(folder, *BESIDE)
    # Both questions have the evidence D1:1, in session 1.
    assert metrics(folder, "recall/mine.json")["overall"] == 1.0
    assert set(metrics(folder, "recall/other.json").values()) == {None}
    # "What did Ada buy?": no turn says "Ada" or "buy", so that the session is declined. The memory is sure of
    # its text, which answers "bought kayak": of two words one is right.
    assert metrics(folder, "f1/mine.json")["answerable"] == 0.0
    assert metrics(folder, "abstained/mine.json")["overall"] == 1.0
    assert metrics(folder, "abstained/other.json")["overall"] == 0.0
    assert metrics(folder, "f1/other.json")["answerable"] == 0.666667
    with (folder / "data/scores.csv").open(encoding="utf-8", newline="") as file:
        cells = {(row["question"], row["arm"]): row["recall"] for row in csv.DictReader(file)}
    assert (cells["0", "mine"], cells["0", "other"], cells["1", "other+edge"]) == ("1.0", "", "")
    predicted = json.loads((folder / "data/predictions.json").read_bytes())[0]["qa"][1]
    assert predicted["mine_prediction_context"] == ["S2", "S1"]
    cost = metrics(folder, "cost.json")
    names = ("questions", "turns", "sessions", "texts", "own_confidence")
    assert [cost["mine"][name] for name in names] == [4, 0, 4, 0, 0]
    assert [cost["other"][name] for name in names] == [4, 0, 0, 4, 4]


def test_one_kind_in_all_conversations(tmp_path: Path) -> None:
    first, second = make_tiny()
    folder = stages.project(tmp_path / "project", [first, second | {"qa": first["qa"]}])
    noting(folder, "[('S1' if self.sample == 'conv-2' else 'D1:1', 1)]")
    stages.change(folder, arms=["mine"])
    with pytest.raises(LocomoError, match=r"^memory mine: cites turns for 4 .* and sessions for 4; exp"):
        stages.run(folder, "arms", "ask")
    assert not (folder / "data/cites").exists()


def test_without_external_memories_nothing_is_asked(tmp_path: Path) -> None:
    folder = stages.project(tmp_path / "project", make_tiny())
    stages.change(folder, arms=["vector"])
    assert stages.run(folder, "arms", "ask") == ""
    assert (folder / "metrics/cost.json").read_text(encoding="utf-8") == "{}\n"
    assert not (folder / "home").exists()

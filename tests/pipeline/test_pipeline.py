"""The pipeline under DVC itself: what runs again, what comes out, what a mistake or a kill leaves.

All on copies of one run over the demonstration set. What it makes of the real data is held to `dvc.lock` in
test_determinism.py, and CI proves that DVC makes it so in a fresh clone.
"""

import csv
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from helpers.clones import (
    ALWAYS_ABSTAINS,
    Clone,
    DemoRun,
    clone_of_the_working_tree,
    environment_as_made,
    ran,
)
from locomo.answer.arms import ARMS
from locomo.score.averages import COLUMNS

OUT_OF_THE_GRAPH = {"path", "path+set", "path2", "path3", "walk2", "walk3"}


# ---- what runs again


def test_a_new_floor_answers_again_and_builds_nothing(demo: Clone) -> None:
    assert ran(demo.run("dvc", "exp", "run", "-S", "floor=0.4", "score")) == ["answer", "score"]
    assert_a_row_of_the_sweep(demo, 0.4, demo.table("f1"), demo.table("abstained"))
    # In the working tree experiments add up: the floor stays as it is.
    demo.run("dvc", "exp", "run", "-S", "k=4", "score")
    # Two lines differ: every comment has survived DVC's rewriting of the file.
    difference = demo.run("git", "diff", "--unified=0", "params.yaml")
    assert re.findall(r"^[-+]\w.*$", difference, re.M) == ["-k: 5", "+k: 4", "-floor: 0.3", "+floor: 0.4"]
    signatures = demo.json("metrics/signature.json")
    run = signatures.pop("(run)")
    assert len(signatures) == 15 and all("|k:4|floor:0.4|" in signature for signature in signatures.values())
    assert (run["settings"]["k"], run["settings"]["floor"]) == (4, 0.4)


def assert_a_row_of_the_sweep(clone: Clone, floor: float, f1: Any, abstained: Any) -> None:
    """The means of a run at this floor are those that the sweep, which was not run again, has of it."""
    with (clone / "reports/sweeps/floor.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if float(row["floor"]) == floor]
    assert {row["arm"] for row in rows} == set(f1) == set(ARMS)
    for row in rows:
        alone = {column: f1[row["arm"]][column] for column in ("answerable", "adversarial", "overall")}
        alone["abstained"] = abstained[row["arm"]]["overall"]
        assert {column: float(row[column]) for column in alone} == alone, row["arm"]


def test_a_changed_reader_answers_again_and_builds_nothing(demo: Clone) -> None:
    with (demo / "src/locomo/reader/reply.py").open("a", encoding="utf-8") as file:
        file.write("# One more comment.\n")
    # The same arms and the same answers come out: `score` has nothing new to read.
    assert ran(demo.run("dvc", "repro", "score")) == ["arms", "ask", "answer"]
    assert demo.changes() == [" M dvc.lock", " M src/locomo/reader/reply.py"]


def test_a_memory_that_no_arm_reads_answers_nothing_again(demo: Clone) -> None:
    (demo / "memories/idle.py").write_text("class Memory: ...\n", encoding="utf-8")
    assert ran(demo.run("dvc", "repro")) == ["arms"]
    assert demo.changes() == [" M dvc.lock", "?? memories/idle.py"]


@pytest.mark.parametrize("folder", ["src/locomo/core", "memories"])
def test_what_an_editor_leaves_beside_a_file_changes_nothing(demo: Clone, folder: str) -> None:
    room = demo / folder
    (room / ".#x.py").symlink_to("somebody@somewhere.1234:1700000000")  # Emacs's lock leads nowhere
    for name in ("x.py~", "#x.py#", ".x.py.swp", "x.py.orig", "4913"):
        (room / name).write_text("half a line", encoding="utf-8")
    assert demo.run("dvc", "status", "--json").splitlines()[-1] == "{}"
    (room / "x.py").touch()  # and that is noticed
    assert f"modified:           {folder}" in demo.run("dvc", "status")


def test_a_blind_run_is_the_control(demo: Clone) -> None:
    demo.edit("params.yaml", "\nblind: false", "\nblind: true")
    assert ran(demo.run("dvc", "repro", "score")) == ["answer", "score"]
    control = demo.json("metrics/control.json")["arms"]  # which answered for itself, and was not run again
    for arm in ARMS:
        found = {measure: demo.table(measure)[arm] for measure in ("f1", "recall", "abstained")}
        assert found == control[arm]["without_graph"]
        if arm in OUT_OF_THE_GRAPH:
            assert found["f1"] == pytest.approx(ALWAYS_ABSTAINS)
            assert set(found["abstained"].values()) == {1.0} and set(found["recall"].values()) == {0.0}


def test_without_the_naming_rule_all_is_built_again(demo: Clone) -> None:
    assert demo.json("metrics/build.json")["total"]["derived"] > 0
    demo.edit("params.yaml", "\ninfer: true", "\ninfer: false")
    demo.edit("params.yaml", "".join(f"- {arm}\n" for arm in ARMS), "- graph\n")
    # DVC may run `build` and `arms` in either order.
    assert sorted(ran(demo.run("dvc", "repro", "score"))) == ["answer", "arms", "ask", "build", "score"]
    assert demo.json("metrics/build.json")["total"]["derived"] == 0
    assert list(demo.table("f1")) == ["graph"]  # the other arms' rows are gone
    assert "|infer:no|arm:graph" in demo.json("metrics/signature.json")["graph"]


# ---- experiments


def test_a_grid_runs_with_the_code_and_settings_it_was_queued_with(demo: Clone) -> None:
    nothing_yet = demo.run(sys.executable, "scripts/experiments.py", code=1)
    assert nothing_yet.startswith("error: there is no experiment yet")
    demo.run("dvc", "exp", "run", "--queue", "-S", "floor=0,0.6", "score")
    # By the time the queue starts, the working tree can no longer answer anything.
    demo.edit("src/locomo/reader/base.py", '"""', 'raise SystemExit("edited after queueing")\n"""')
    demo.edit("params.yaml", "\nk: 5", "\nk: 0")
    demo.run("dvc", "queue", "start", "--jobs", "2")
    wait_for_the_queue(demo)
    demo.run("dvc", "queue", "stop")  # its idle workers
    assert demo.changes() == [" M params.yaml", " M src/locomo/reader/base.py"]
    found = {}
    for name, data in experiments(demo).items():
        means = {path: metric["data"] for path, metric in data["metrics"].items() if "data" in metric}
        f1, abstained = (
            {arm: means[f"metrics/{measure}/{arm}.json"] for arm in ARMS} for measure in ("f1", "abstained")
        )
        floor = data["params"]["params.yaml"]["data"]["floor"]
        assert_a_row_of_the_sweep(demo, floor, f1, abstained)
        found[name] = [f"{floor:g}"] + [
            f"{value:.3f}"
            for arm in ("oracle", "path")
            for value in (f1[arm]["answerable"], f1[arm]["adversarial"], abstained[arm]["overall"])
        ]
    demo.run("git", "restore", "src")
    table = demo.run(sys.executable, "scripts/experiments.py", "--arms", "oracle", "path")
    committed, *rows = (line.split() for line in table.splitlines()[3:])
    assert table.split()[:2] == ["experiment", "floor"]
    assert {name: cells for name, *cells in rows} == found and len(found) == 2
    assert sorted(cells[0] for cells in found.values()) == ["0", "0.6"]
    assert committed[:2] == [demo.run("git", "branch", "--show-current").strip(), "0.3"]


def wait_for_the_queue(clone: Clone) -> None:
    end = time.monotonic() + 300
    while re.search(r"Queued|Running", status := clone.run("dvc", "queue", "status")):
        assert time.monotonic() < end, f"the queue has not come to an end:\n{status}"
        time.sleep(2)


def experiments(clone: Clone) -> dict[str, Any]:
    """What `dvc exp show` has of each experiment, by name: params and metrics."""
    shown = json.loads(clone.run("dvc", "exp", "show", "--json"))
    every = [one["revs"][0] for base in shown for one in base["experiments"] or []]
    return {one["name"]: one["data"] for one in every}


def test_a_temporary_run_leaves_the_tree_alone_until_it_is_applied(demo_run: DemoRun, demo: Clone) -> None:
    settings = ["-S", "floor=0", "-S", "arms=[oracle,oracle+set]"]
    demo.run("dvc", "exp", "run", "--temp", "--name", "talkative", *settings, "score")
    demo.assert_as_committed()
    demo.run("dvc", "exp", "apply", "talkative")
    difference = rows(demo.run("dvc", "metrics", "diff", "--targets", "metrics/f1"))
    found = {(path.removeprefix("metrics/f1/"), column): figures for path, column, *figures in difference}
    for arm in ("oracle", "oracle+set"):
        # With no floor the oracle answers all it is asked, also where it should abstain.
        old, new, _ = found[f"{arm}.json", "adversarial"]
        assert (float(old), float(new)) == (round(demo_run.table("f1")[arm]["adversarial"], 5), 0)
    # The other arms were left out, and have no figure any more.
    assert found["path.json", "overall"][1:] == ["-", "-"]


def rows(table: str) -> list[list[str]]:
    """The cells of a table as DVC prints it, less the head."""
    return [line.split() for line in table.splitlines()[1:]]


def test_dvc_shows_the_main_table(demo_run: DemoRun) -> None:
    shown = demo_run.run("dvc", "metrics", "show", "metrics/f1")
    columns, table = shown.split("\n")[0].split()[1:], demo_run.table("f1")
    assert sorted(columns) == sorted(COLUMNS) and set(table) == set(ARMS)
    assert rows(shown) == [
        [f"metrics/f1/{arm}.json", *(str(round(table[arm][column], 5)) for column in columns)]
        for arm in sorted(table, key="{}.json".format)
    ]


def test_restore_in_a_clone_before_its_first_run(tmp_path: Path) -> None:
    clone = clone_of_the_working_tree(tmp_path / "clone")
    said = clone.run("make", "restore", f"VENV={environment_as_made(tmp_path / 'venv')}")
    assert said.splitlines()[-1] == "Restored. data/ is not made yet: run 'make repro'."
    assert clone.changes() == [] and not (clone / "data/scores.csv").exists()


# ---- mistakes and kills


def kill_everything(process: subprocess.Popen[bytes]) -> None:
    os.killpg(process.pid, signal.SIGKILL)


def kill_the_stage(process: subprocess.Popen[bytes]) -> None:
    for child in psutil.Process(process.pid).children(recursive=True):
        child.kill()


HELD = """
        import os, time
        while os.path.exists(".dvc/tmp/hold"):
            time.sleep(0.01)
"""
"""Before what a stage made gets its name."""


@pytest.mark.parametrize(
    ("stage", "underway", "output", "kill", "code"),
    [
        ("build", "data/.new-memories", "data/memories", kill_everything, -signal.SIGKILL),
        ("answer", "data/.new-predictions.json", "data/predictions.json", kill_the_stage, 255),
    ],
)
def test_a_killed_stage_can_simply_be_run_again(
    demo: Clone,
    stage: str,
    underway: str,
    output: str,
    kill: Callable[[subprocess.Popen[bytes]], None],
    code: int,
) -> None:
    before = contents(demo / output)
    demo.edit("src/locomo/core/files.py", "yield temporary\n", "yield temporary\n" + HELD)
    (demo / ".dvc/tmp").mkdir(exist_ok=True)
    (demo / ".dvc/tmp/hold").touch()
    command = ["dvc", "repro", "--force", "--single-item", stage]
    here = {"cwd": demo.folder, "env": demo.environment, "start_new_session": True}
    with subprocess.Popen(command, **here) as process:
        while not (demo / underway).exists():
            assert process.poll() is None
            time.sleep(0.05)
        kill(process)
        assert process.wait() == code
    assert not (demo / output).exists()  # neither half of it nor the old one
    # What was under way quotes the dataset, and would show here if git did not ignore it.
    assert not [line for line in demo.changes() if line.startswith("??")]
    (demo / ".dvc/tmp/hold").unlink()
    demo.run(*command)
    assert not (demo / underway).exists()
    assert contents(demo / output) == before and before


def contents(path: Path) -> dict[str, bytes]:
    """The bytes of a file, or of all files of a folder, by name."""
    files = path.rglob("*") if path.is_dir() else [path]
    return {file.relative_to(path.parent).as_posix(): file.read_bytes() for file in files}


@pytest.mark.parametrize(
    ("told", "stage", "lost"),
    [
        (
            {
                "floor=abc": "floor: is 'abc'; allowed: a number from 0 to 1",
                "k=0": "k: is 0; allowed: a whole number, 1 or more",
            },
            "ask",
            "cites",
        ),
        ({"arms=[graf]": "arms: graf: no such arm; allowed are vector, graph, "}, "arms", "arms.json"),
    ],
    ids=["settings", "arms"],
)
def test_a_wrong_setting_is_told_and_changes_nothing(
    demo: Clone, told: dict[str, str], stage: str, lost: str
) -> None:
    before = set((demo / "data").iterdir())
    settings = [word for setting in told for word in ("-S", setting)]
    output = demo.run("dvc", "exp", "run", *settings, code=255)
    assert all(said in output for said in told.values()) and "Traceback" not in output
    assert f"failed to run: python src/{stage}.py, exited with 1" in output
    assert demo.changes() == [" M params.yaml"]
    # DVC takes an output away before its stage runs; the others are still there.
    assert before - set((demo / "data").iterdir()) == {demo / "data" / lost}


def test_a_misspelt_setting_is_told(demo: Clone) -> None:
    assert "Could not override 'flor'" in demo.run("dvc", "exp", "run", "-S", "flor=0.4", code=255)
    assert demo.changes() == []
    demo.edit("params.yaml", "\nfloor: 0.3", "\nflor: 0.4")
    assert "Parameters 'floor' are missing" in demo.run("dvc", "repro", code=255)
    output = demo.run("dvc", "repro", "--force", code=255)  # as `make repro` has it
    assert "flor: no such setting; is it floor?" in output and "floor: is missing" in output
    assert "failed to run: python src/fetch.py, exited with 1" in output and "Traceback" not in output
    assert demo.changes() == [" M params.yaml"]

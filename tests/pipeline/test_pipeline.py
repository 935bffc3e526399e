"""The pipeline under DVC itself, in clones: what runs again, what comes out, what a mistake or a kill leaves.

Figures are held to the published ones, on the real dataset. What does not hang on figures is shown on the
tiny dataset and with fewer stages, in seconds.
"""

import csv
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import psutil
import pytest
import yaml

from helpers.shared import FIGURES, ROOT

MEASURES = ("f1", "recall", "quiet")
PIPELINE = yaml.safe_load(ROOT.joinpath("dvc.yaml").read_text(encoding="utf-8"))["stages"]
FEW_STAGES = ("fetch", "build", "answer", "score", "sweep")
"""All that lead to the tables, and one whose outputs are all kept in git."""


@dataclass(frozen=True)
class Clone:
    """A repository that holds the files of the working tree, and what its commands find around them."""

    folder: Path
    environment: dict[str, str]

    def __truediv__(self, path: str) -> Path:
        return self.folder / path

    def run(self, *command: str, code: int = 0) -> str:
        """Run a command that has to end with `code`; what it printed."""
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert done.returncode == code, f"{shlex.join(command)} ended with {done.returncode}:\n{done.stdout}"
        return done.stdout

    def edit(self, path: str, old: str, new: str) -> None:
        text = (self / path).read_text(encoding="utf-8")
        assert old in text
        (self / path).write_text(text.replace(old, new, 1), encoding="utf-8")

    def copy(self, folder: Path) -> "Clone":
        shutil.copytree(self.folder, folder, symlinks=True)
        return replace(self, folder=folder)

    def table(self, measure: str) -> dict[str, dict[str, float]]:
        """The rows of a measure, by arm."""
        files = (self / f"metrics/{measure}").iterdir()
        return {file.stem: json.loads(file.read_text(encoding="utf-8")) for file in files}

    def assert_as_committed(self) -> None:
        assert self.run("git", "status", "--porcelain") == ""
        assert self.run("dvc", "status", "--json").splitlines()[-1] == "{}"

    def go_back(self) -> None:
        """Back to what is committed, with the commands that README gives."""
        readme = (self / "README.md").read_text(encoding="utf-8")
        (commands,) = re.findall(r"^git restore .*$", readme, re.M)
        self.run("sh", "-ec", commands)
        self.assert_as_committed()


def ran(output: str) -> list[str]:
    """The stages that DVC says it ran."""
    return re.findall(r"^Running stage '(.+)':$", output, re.M)


def clone_of_the_working_tree(work: Path, dataset: Path) -> Clone:
    folder = work / "clone"
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).exists():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("GIT_", "DVC_"))}
    environment = inherited | {
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        "LOCOMO_CACHE": str(dataset.parent.parent),
        "DVC_SITE_CACHE_DIR": str(work / "site"),
    }
    clone = Clone(folder, environment)
    clone.run("git", "init", "--quiet")
    clone.run("git", "config", "user.name", "Test")
    clone.run("git", "config", "user.email", "test@example.org")
    return clone


def commit(clone: Clone, message: str) -> None:
    clone.run("git", "add", "--all")
    clone.run("git", "commit", "--quiet", "--allow-empty", "--message", message)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory, dataset_path: Path) -> Clone:
    """The repository after a first `dvc repro`, as far as the tables."""
    clone = clone_of_the_working_tree(tmp_path_factory.mktemp("real"), dataset_path)
    commit(clone, "as it stands")
    clone.run("dvc", "repro", "score")
    commit(clone, "as it came out")
    return clone


@pytest.fixture
def clone(repository: Clone, tmp_path: Path) -> Clone:
    return repository.copy(tmp_path / "clone")


@pytest.fixture(scope="module")
def tiny_repository(tmp_path_factory: pytest.TempPathFactory, tiny_file: Path, tiny_params: str) -> Clone:
    """The repository with the tiny dataset in place of LoCoMo and few stages, run and committed."""
    clone = clone_of_the_working_tree(tmp_path_factory.mktemp("tiny"), tiny_file)
    (clone / "params.yaml").write_text(tiny_params, encoding="utf-8")
    pipeline = {"stages": {stage: PIPELINE[stage] for stage in FEW_STAGES}}
    (clone / "dvc.yaml").write_text(yaml.safe_dump(pipeline, sort_keys=False), encoding="utf-8")
    clone.run("dvc", "repro")
    commit(clone, "as it came out")
    return clone


@pytest.fixture
def tiny_clone(tiny_repository: Clone, tmp_path: Path) -> Clone:
    return tiny_repository.copy(tmp_path / "clone")


def test_a_fresh_clone_gives_what_is_committed(repository: Clone) -> None:
    assert repository.run("git", "diff", "--stat", "HEAD~1", "HEAD") == ""


def test_a_new_floor_answers_anew_and_builds_nothing(tiny_clone: Clone) -> None:
    assert ran(tiny_clone.run("dvc", "exp", "run", "-S", "floor=0.4")) == ["answer", "score"]
    # In the working tree experiments add up: the floor stays as it is.
    tiny_clone.run("dvc", "exp", "run", "-S", "k=4")
    # Two lines differ: every comment has survived DVC's rewriting of the file.
    difference = tiny_clone.run("git", "diff", "--unified=0", "params.yaml")
    changes = re.findall(r"^[-+]\w.*$", difference, re.M)
    assert changes == ["-k: 5", "+k: 4", "-floor: 0.3", "+floor: 0.4"]
    signature = (tiny_clone / "metrics/signature.json").read_text(encoding="utf-8")
    assert signature.count("|k:4|floor:0.4|") == 15
    tiny_clone.go_back()


def test_a_changed_reader_answers_anew_and_builds_nothing(tiny_clone: Clone) -> None:
    with (tiny_clone / "src/locomo/reader.py").open("a", encoding="utf-8") as file:
        file.write("# A comment more.\n")
    # The same answers come out, so `score` has nothing new to read.
    assert ran(tiny_clone.run("dvc", "exp", "run")) == ["answer", "sweep"]
    changed = tiny_clone.run("git", "status", "--porcelain").splitlines()
    assert changed == [" M dvc.lock", " M src/locomo/reader.py"]


def published(name: str, arm: str) -> dict[tuple[str, str], float]:
    """One row of a published table: by measure and column."""
    row = FIGURES["tables"][name][arm]
    return {(measure, column): row[column][measure] for column in row for measure in MEASURES}


def ours(clone: Clone, arm: str, like: dict[tuple[str, str], float]) -> dict[tuple[str, str], float]:
    """The same cells as metrics/ has them, rounded as they were published."""
    decimals = {"f1": 3, "recall": 3, "quiet": 2}
    return {
        (measure, column): round(clone.table(measure)[arm][column], decimals[measure])
        for measure, column in like
    }


def test_some_arms_and_all_within_reach(clone: Clone) -> None:
    settings = ["-S", "k=2000", "-S", "floor=0", "-S", "arms=[vector,graph]"]
    assert ran(clone.run("dvc", "exp", "run", *settings, "score")) == ["answer", "score"]
    for measure in MEASURES:
        assert set(clone.table(measure)) == {"vector", "graph"}  # the other arms' rows are gone
    for arm, row in FIGURES["reach_recall_k2000_floor0"].items():
        reach = {("recall", column): figure for column, figure in row.items()}
        assert ours(clone, arm, reach) == reach
    signature = json.loads((clone / "metrics/signature.json").read_text(encoding="utf-8"))["graph"]
    assert "|k:2000|floor:0.0|span:4|" in signature and signature.endswith("|arm:graph")


def test_the_blind_control_as_an_experiment(clone: Clone) -> None:
    arms = "[vector,graph,oracle,path,path+set,vector+set,oracle+set]"
    stages = ran(clone.run("dvc", "exp", "run", "-S", "blind=true", "-S", f"arms={arms}", "score"))
    assert stages == ["answer", "score"]
    for arm in FIGURES["blind"]["identical"]:
        expected = published("walk", arm)
        assert ours(clone, arm, expected) == expected
    for arm, row in FIGURES["blind"]["silent"].items():
        silent = {("f1", column): row[column] for column in ("answerable", "overall", "multi_hop")}
        silent |= {("recall", "multi_hop"): row["recall_multi_hop"], ("quiet", "overall"): row["quiet"]}
        assert ours(clone, arm, silent) == silent


def test_without_the_naming_rule_as_an_experiment(clone: Clone) -> None:
    stages = ran(clone.run("dvc", "exp", "run", "-S", "infer=false", "-S", "arms=[graph]", "score"))
    assert stages == ["build", "answer", "score"]
    assert json.loads((clone / "metrics/build.json").read_text(encoding="utf-8"))["total"]["derived"] == 0
    row = FIGURES["without_derived_facts"]["graph"]["single_hop"]
    expected = {(measure, "single_hop"): figure for measure, figure in row.items()}
    assert ours(clone, "graph", expected) == expected


@pytest.mark.parametrize(("setting", "value"), [("floor", "0.4"), ("k", "20")])
def test_a_row_of_a_sweep_is_that_experiment(clone: Clone, setting: str, value: str) -> None:
    clone.run("dvc", "exp", "run", "-S", f"{setting}={value}", "score")
    f1, quiet = clone.table("f1"), clone.table("quiet")
    with (clone / f"reports/sweeps/{setting}.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if float(row[setting]) == float(value)]
    assert len(rows) == len(f1) == 15
    for row in rows:
        alone = {column: f1[row["arm"]][column] for column in ("answerable", "adversarial", "overall")}
        alone["quiet"] = quiet[row["arm"]]["overall"]
        assert {column: float(row[column]) for column in alone} == alone, row["arm"]


def wait_for_the_queue(clone: Clone) -> None:
    for _ in range(150):
        status = clone.run("dvc", "queue", "status")
        if not re.search(r"Queued|Running", status):
            return
        time.sleep(2)
    pytest.fail(f"the queue has not come to an end:\n{status}")


def test_a_grid_runs_with_the_code_and_settings_it_was_queued_with(clone: Clone) -> None:
    arms = ",".join(FIGURES["sweep_floor"])
    grid = ["-S", "floor=0,0.6", "-S", f"arms=[{arms}]"]
    clone.run("dvc", "exp", "run", "--queue", *grid, "score")
    # By the time the queue starts, the working tree can no longer answer anything.
    clone.edit("src/locomo/reader.py", '"""', 'raise SystemExit("edited after queueing")\n"""')
    clone.edit("params.yaml", "\nk: 5", "\nk: 0")
    clone.run("dvc", "queue", "start", "--jobs", "2")
    wait_for_the_queue(clone)
    clone.run("dvc", "queue", "stop")  # its idle workers
    assert clone.run("git", "status", "--porcelain") == " M params.yaml\n M src/locomo/reader.py\n"
    found = {}
    for experiment in experiments(clone):
        figures = {arm: four(experiment["metrics"], arm) for arm in FIGURES["sweep_floor"]}
        found[experiment["params"]["params.yaml"]["data"]["floor"]] = figures
    for floor in ("0", "0.6"):
        assert found[float(floor)] == {arm: rows[floor] for arm, rows in FIGURES["sweep_floor"].items()}
    assert len(found) == 2


def experiments(clone: Clone) -> list[dict[str, Any]]:
    """What `dvc exp show` has of each experiment: params and metrics."""
    shown = json.loads(clone.run("dvc", "exp", "show", "--json"))
    return [one["revs"][0]["data"] for base in shown for one in base["experiments"] or []]


def four(metrics: dict[str, Any], arm: str) -> dict[str, float]:
    """The four figures of a sweep, as they were published."""
    f1, quiet = (metrics[f"metrics/{measure}/{arm}.json"]["data"] for measure in ("f1", "quiet"))
    return {
        **{column: round(f1[column], 3) for column in ("answerable", "adversarial", "overall")},
        "quiet": round(quiet["overall"], 2),
    }


def test_a_run_aside_leaves_the_tree_alone_until_it_is_applied(tiny_clone: Clone) -> None:
    settings = ["-S", "floor=0", "-S", "arms=[oracle,oracle+set]"]
    tiny_clone.run("dvc", "exp", "run", "--temp", "--name", "talkative", *settings)
    tiny_clone.assert_as_committed()
    tiny_clone.run("dvc", "exp", "apply", "talkative")
    # With no floor the oracle answers what Ada bought with "bought kayak": precision 1/2, recall 1. And
    # it answers what Bob sold, where it should decline.
    difference = rows(tiny_clone.run("dvc", "metrics", "diff", "--targets", "metrics/f1"))
    assert sorted(row for row in difference if "oracle" in row[0]) == [
        [f"metrics/f1/{arm}.json", *cells]
        for arm in ("oracle+set", "oracle")
        for cells in (
            ["adversarial", "1.0", "0.0", "-1.0"],
            ["answerable", "0.0", "0.66667", "0.66667"],
            ["overall", "0.5", "0.33333", "-0.16667"],
            ["single_hop", "0.0", "0.66667", "0.66667"],
        )
    ]
    # The other arms were left out, and have no figure any more.
    assert ["metrics/f1/path.json", "overall", "0.5", "-", "-"] in difference
    tiny_clone.run("dvc", "exp", "remove", "talkative")
    assert experiments(tiny_clone) == []
    tiny_clone.go_back()


def rows(table: str) -> list[list[str]]:
    """The cells of a table as DVC prints it, less the head."""
    return [line.split() for line in table.splitlines()[1:]]


def test_dvc_shows_the_main_table(repository: Clone) -> None:
    head, *lines = repository.run("dvc", "metrics", "show", "metrics/f1").splitlines()
    columns = head.split()[1:]
    table = repository.table("f1")
    assert sorted(columns) == sorted(table["vector"]) and len(table) == 15
    assert [line.split() for line in lines] == [
        [f"metrics/f1/{arm}.json", *(str(round(table[arm][column], 5)) for column in columns)]
        for arm in sorted(table, key="{}.json".format)
    ]


def kill_everything(process: subprocess.Popen[bytes]) -> None:
    os.killpg(process.pid, signal.SIGKILL)


def kill_the_stage(process: subprocess.Popen[bytes]) -> None:
    for child in psutil.Process(process.pid).children(recursive=True):
        child.kill()


@pytest.mark.parametrize(
    ("stage", "underway", "output", "kill", "code"),
    [
        ("build", "data/.new-memories", "data/memories", kill_everything, -signal.SIGKILL),
        ("answer", "data/.new-predictions.json", "data/predictions.json", kill_the_stage, 255),
    ],
)
def test_a_killed_stage_can_simply_be_run_again(
    clone: Clone,
    stage: str,
    underway: str,
    output: str,
    kill: Callable[[subprocess.Popen[bytes]], None],
    code: int,
) -> None:
    command = ["dvc", "repro", "--force", "--single-item", stage]
    here = {"cwd": clone.folder, "env": clone.environment, "start_new_session": True}
    with subprocess.Popen(command, **here) as process:
        while not (clone / underway).exists():
            assert process.poll() is None
            time.sleep(0.05)
        kill(process)
        assert process.wait() == code
    assert not (clone / output).exists()  # neither half of it nor the old one
    # What was under way quotes the dataset, and would show here if git did not ignore it.
    assert "??" not in clone.run("git", "status", "--porcelain")
    clone.run(*command)
    assert not (clone / underway).exists()
    clone.assert_as_committed()


@pytest.mark.parametrize(
    "told",
    [
        {"floor=abc": "floor: is 'abc'; allowed: a number from 0 to 1"},
        {
            "floor=-1": "floor: is -1; allowed: a number from 0 to 1",
            "k=0": "k: is 0; allowed: a whole number, 1 or more",
        },
        {"arms=[graf]": "arms: graf: no such arm; allowed are vector, graph, "},
    ],
    ids=",".join,
)
def test_a_wrong_setting_is_told_and_changes_nothing(tiny_clone: Clone, told: dict[str, str]) -> None:
    settings = [word for setting in told for word in ("-S", setting)]
    output = tiny_clone.run("dvc", "exp", "run", *settings, code=255)
    assert all(said in output for said in told.values()) and "Traceback" not in output
    assert "failed to run: python src/answer.py, exited with 1" in output
    assert tiny_clone.run("git", "status", "--porcelain") == " M params.yaml\n"
    # DVC takes an output away before its stage runs; the others are still there.
    left = {path.name for path in (tiny_clone / "data").iterdir()}
    assert left == {"locomo10.json", "memories", "stems.json", "marks.csv", ".gitignore"}


def test_a_misspelt_setting_is_told(tiny_clone: Clone) -> None:
    assert "Could not override 'flor'" in tiny_clone.run("dvc", "exp", "run", "-S", "flor=0.4", code=255)
    assert tiny_clone.run("git", "status", "--porcelain") == ""
    tiny_clone.edit("params.yaml", "\nfloor: 0.3", "\nflor: 0.4")
    assert "Parameters 'floor' are missing" in tiny_clone.run("dvc", "repro", code=255)
    output = tiny_clone.run("dvc", "repro", "--force", code=255)  # as `make repro` has it
    assert "flor: no such setting; is it floor?" in output and "floor: is missing" in output
    assert "failed to run: python src/fetch.py, exited with 1" in output and "Traceback" not in output
    assert tiny_clone.run("git", "status", "--porcelain") == " M params.yaml\n"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("src/answer.py", '"""', 'raise SystemExit(1)\n"""'), "failed to reproduce 'answer'"),
        (("Makefile", " repro --force", " repro"), "stage 'sweep' did not run"),
        (("metrics/f1/vector.json", "1.0", "0.9"), "differs from the commit:  M metrics/f1/vector.json"),
        (None, ""),
    ],
    ids=["broken", "skipped", "another-figure", "sound"],
)
def test_the_check_of_a_fresh_clone_fails_when_it_should(
    tiny_clone: Clone, tmp_path: Path, change: tuple[str, str, str] | None, said: str
) -> None:
    if change:
        tiny_clone.edit(*change)
        commit(tiny_clone, "a change")
    environment = tiny_clone.environment | {"VENV": str(environment_as_made(tmp_path / "venv"))}
    check = replace(tiny_clone, environment=environment)
    last = check.run("scripts/check_clone.sh", code=1 if change else 0).splitlines()[-1]
    assert last.startswith("check-clone: FAILED: " if change else "check-clone: OK: all 5 stages of ")
    assert said in last


def environment_as_made(folder: Path) -> Path:
    """The running environment under another name, marked as make marks its own: it installs nothing."""
    folder.mkdir()
    for name in ("bin", "lib", "pyvenv.cfg"):
        if Path(sys.prefix, name).exists():
            (folder / name).symlink_to(Path(sys.prefix, name))
    shutil.copy(ROOT / "requirements.lock", folder)
    return folder

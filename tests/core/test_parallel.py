"""Several conversations at once, in other processes or on a Dask cluster: the same bytes."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import dask.config
import pytest
import yaml
from distributed import Client

from helpers.shared import ROOT
from helpers.stages import change
from locomo.core import parallel
from locomo.core.errors import LocomoError

STAGES = ("build", "answer", "sweep")
"""The stages that take conversations one by one."""


@pytest.fixture(scope="module")
def alone(dataset_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of four conversations with what the stages make of them one after the other."""
    folder = tmp_path_factory.mktemp("alone")
    some = json.loads(dataset_path.read_bytes())[:4]
    folder.joinpath("talks.json").write_text(json.dumps(some), encoding="utf-8")
    shutil.copy(ROOT / "params.yaml", folder)
    change(folder, dataset={"file": "talks.json"})
    for stage in ("fetch", "arms", *STAGES):
        finish(start(folder, stage, os.environ | {parallel.JOBS: "1"}))
    return folder


@pytest.fixture
def project(alone: Path, tmp_path: Path) -> Path:
    """The same folder before they ran."""
    shutil.copytree(alone / "data", tmp_path / "data", ignore=lambda *_: ["memories", "predictions.json"])
    for name in ("params.yaml", "talks.json"):
        shutil.copy(alone / name, tmp_path)
    return tmp_path


def start(
    folder: Path, stage: str, environment: Mapping[str, str] = os.environ, tree: Path = ROOT
) -> "subprocess.Popen[str]":
    own = {name: value for name, value in environment.items() if name != "PYTHONPATH"}
    script = [sys.executable, tree / f"src/{stage}.py"]
    return subprocess.Popen(script, cwd=folder, env=own, text=True, stderr=subprocess.PIPE)


def finish(process: "subprocess.Popen[str]") -> None:
    _, stderr = process.communicate(timeout=300)
    assert process.returncode == 0, stderr


def made(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


@pytest.mark.parametrize("jobs", [2, 8])
def test_any_number_of_jobs_makes_the_same_bytes(alone: Path, project: Path, jobs: int) -> None:
    for stage in STAGES:
        finish(start(project, stage, os.environ | {parallel.JOBS: str(jobs)}))
    assert made(project) == made(alone)


@pytest.mark.parametrize("jobs", ["0", "-2", "two", "1.5", ""])
def test_a_number_of_jobs_that_is_none(monkeypatch: pytest.MonkeyPatch, jobs: str) -> None:
    monkeypatch.setenv(parallel.JOBS, jobs)
    with pytest.raises(LocomoError, match=rf"LOCOMO_JOBS: is '{jobs}'; allowed: a whole number"):
        list(parallel.each("test", abs, [(1,)]))


def test_tasks_are_taken_as_they_are_needed() -> None:
    taken = []

    def tasks() -> Iterator[tuple[int]]:
        for number in range(-3, 0):
            taken.append(number)
            yield (number,)

    results = parallel.each("test", abs, tasks())
    assert next(results) == 3 and taken == [-3]
    assert list(results) == [2, 1]


def test_a_lost_process() -> None:
    with (
        pytest.MonkeyPatch.context() as patch,
        pytest.raises(
            LocomoError, match=r"^a worker process was lost \(.+\); if memory ran out, try LOCOMO_JOBS=1$"
        ),
    ):
        patch.setenv(parallel.JOBS, "2")
        list(parallel.each("test", os._exit, [(3,), (3,)]))


# On a cluster


@contextmanager
def member(*words: str, folder: Path) -> "Iterator[subprocess.Popen[bytes]]":
    """A process of a Dask cluster. It knows nothing of this package: the stage brings it."""
    own = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    own["XDG_CACHE_HOME"] = str(folder / "cache")  # where a worker keeps what external memories return
    command = [sys.executable, "-m", "dask", *words, "--no-dashboard"]
    with subprocess.Popen(command, cwd=folder, env=own, stderr=subprocess.DEVNULL) as process:
        try:
            yield process
        finally:
            process.kill()


Cluster = tuple[str, list["subprocess.Popen[bytes]"]]


@pytest.fixture
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """The address of a scheduler, and its two worker processes."""
    folder = tmp_path_factory.mktemp("cluster")
    known = folder / "scheduler.json"
    where = ("--scheduler-file", str(known))
    with ExitStack() as stack:
        stack.enter_context(member("scheduler", *where, "--port", "0", "--host", "127.0.0.1", folder=folder))
        until(known.exists)
        worker = ("worker", *where, "--nthreads", "2", "--no-nanny")
        workers = [stack.enter_context(member(*worker, folder=folder)) for _ in range(2)]
        yield json.loads(known.read_text(encoding="utf-8"))["address"], workers


def until(condition: Any) -> None:
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_a_cluster_that_loses_a_worker_makes_the_same_bytes(
    alone: Path, project: Path, cluster: Cluster, tmp_path_factory: pytest.TempPathFactory
) -> None:
    address, workers = cluster
    environment = os.environ | {parallel.SCHEDULER: address}
    with Client(address) as client:
        client.wait_for_workers(2, timeout=60)
        finish(start(project, "build", environment))
        answering = start(project, "answer", environment)
        pids = client.run(os.getpid)
        doomed = next(name for name, pid in pids.items() if pid == workers[0].pid)
        until(lambda: client.processing().get(doomed))
        os.kill(workers[0].pid, signal.SIGKILL)
        finish(answering)
        assert list(client.scheduler_info()["workers"]) == [name for name in pids if name != doomed]
        finish(start(project, "sweep", environment))
        assert made(project) == made(alone)
        # Another tree on the same cluster is not taken for the one that was there before.
        other = tmp_path_factory.mktemp("other")
        shutil.copytree(ROOT / "src", other / "src", ignore=shutil.ignore_patterns("__pycache__"))
        reader = other / "src/locomo/reader/lifting.py"
        reader.write_text(
            reader.read_text(encoding="utf-8").replace('", ".join', '" / ".join'), encoding="utf-8"
        )
        finish(start(project, "answer", environment, other))
        assert b" / " in (project / "data/predictions.json").read_bytes()
        finish(start(project, "answer", environment))
    assert made(project) == made(alone)


MINE = """
class Memory:
    def __init__(self, conversation, vocabulary):
        self.cites = [(turn.id, 1) for turn in conversation.turns]

    def ask(self, question, k):
        first = len(question) % 7
        return (self.cites[first:] + self.cites[:first])[:k]
"""


def test_an_external_memory_goes_to_the_workers(
    project: Path, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They stand in another folder, which has no such file."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(project / "cache"))
    monkeypatch.setenv("LOCOMO_FRESH", "1")
    (project / "memories").mkdir()
    (project / "memories" / "mine.py").write_text(MINE, encoding="utf-8")
    params = yaml.safe_load((project / "params.yaml").read_bytes()) | {"arms": ["vector", "mine+set"]}
    (project / "params.yaml").write_text(yaml.safe_dump(params), encoding="utf-8")
    for stage in ("arms", "build"):
        finish(start(project, stage))
    written = []
    for environment in (os.environ, os.environ | {parallel.SCHEDULER: cluster[0]}):
        for stage in ("ask", "answer", "sweep"):
            finish(start(project, stage, environment))
        written.append(made(project / "data") | made(project / "reports"))
    assert written[0] == written[1] and any(path.startswith("cites/mine/") for path in written[0])


def test_a_scheduler_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(parallel.SCHEDULER, "tcp://127.0.0.1:9")
    with (
        dask.config.set({"distributed.comm.timeouts.connect": "1s"}),
        pytest.raises(LocomoError, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:9"),
    ):
        list(parallel.each("test", abs, [(1,)]))

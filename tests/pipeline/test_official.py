"""Without scorer and network, DVC runs to the end in a clone and says that nothing was rescored."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
SAID = "Nothing was rescored; metrics/official.json "
KEPT = SAID + "is kept: it belongs to these very predictions. task_eval/evaluation.py could not be had"
GONE = SAID + "says so. task_eval/evaluation.py could not be had"


class Clone:
    """A clone of HEAD, used where there is the dataset, but no scorer and no network."""

    def __init__(self, folder: Path, dataset: Path) -> None:
        self.folder = folder / "clone"
        shared = folder / "shared" / "data"
        shared.mkdir(parents=True)
        shutil.copy(dataset, shared)
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("GIT_", "MAKE", "MFLAGS"))
        }
        nobody = "http://127.0.0.1:9"
        self.environment = kept | {
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(folder / "home"),
            "XDG_CACHE_HOME": str(folder / "home" / "cache"),
            "DVC_SITE_CACHE_DIR": str(folder / "site"),
            "LOCOMO_CACHE": str(folder / "shared"),
            **dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), nobody),
            **dict.fromkeys(("no_proxy", "NO_PROXY"), ""),
        }
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(self.folder)], check=True)
        for name in ("name", "email"):
            self.run("git", "config", f"user.{name}", "test")

    def run(self, *command: str) -> str:
        done = subprocess.run(command, cwd=self.folder, env=self.environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    @property
    def figures(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.folder / "metrics" / "official.json").read_bytes())
        return found


@pytest.fixture(scope="module")
def clone(dataset_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Clone]:
    if subprocess.run(["git", "-C", ROOT, "rev-parse", "HEAD"], capture_output=True).returncode:
        pytest.skip("not in a git repository: nothing to clone")
    folder = tmp_path_factory.mktemp("official")
    yield Clone(folder, dataset_path)
    shutil.rmtree(folder)


def test_make_repro_in_a_fresh_clone_keeps_the_committed_figures(clone: Clone) -> None:
    lock = Path(sys.prefix, "requirements.lock")
    if not lock.exists() or lock.read_bytes() != (ROOT / "requirements.lock").read_bytes():
        pytest.skip(f"{sys.prefix} was not made by make env: make would change it")
    output = clone.run("make", "repro", f"VENV={sys.prefix}")
    assert KEPT in output and clone.figures["available"] is True
    assert clone.run("git", "status", "--porcelain") == ""


def test_an_experiment_does_not_pretend(clone: Clone) -> None:
    output = clone.run("dvc", "exp", "run", "-S", "floor=0.4")
    assert GONE in output
    assert clone.figures["available"] is False and set(clone.figures) == {"available", "sha256"}
    clone.run("git", "checkout", "--quiet", ".")


def test_dvc_repro_does_not_pretend_either(clone: Clone) -> None:
    (clone.folder / "metrics" / "official.json").unlink()
    output = clone.run("dvc", "repro")
    assert GONE in output and clone.figures["available"] is False

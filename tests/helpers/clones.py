"""Clones of the working tree, where git and DVC work together, and one of them after a whole run.

That run is over the demonstration set. All test processes share it.
"""

import fcntl
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from helpers.shared import ROOT
from locomo.core import paths

PIPELINE = yaml.safe_load(ROOT.joinpath("dvc.yaml").read_text(encoding="utf-8"))["stages"]
NOWHERE = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), "http://127.0.0.1:9") | {
    "no_proxy": "",
    "NO_PROXY": "",
}
"""Proxies at which nobody answers: a download fails."""


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

    def within(self, **environment: str) -> "Clone":
        """The same repository with other variables around it."""
        return replace(self, environment=self.environment | environment)

    def copy(self, folder: Path) -> "Clone":
        shutil.copytree(self.folder, folder, symlinks=True)
        return replace(self, folder=folder)

    def edit(self, path: str, old: str, new: str) -> None:
        text = (self / path).read_text(encoding="utf-8")
        assert old in text
        (self / path).write_text(text.replace(old, new, 1), encoding="utf-8")

    def json(self, path: str) -> Any:
        return json.loads((self / path).read_bytes())

    def table(self, measure: str) -> dict[str, dict[str, float]]:
        """The rows of a measure, by arm."""
        return {file.stem: json.loads(file.read_bytes()) for file in (self / f"metrics/{measure}").iterdir()}

    def commit(self, message: str) -> None:
        self.run("git", "add", "--all")
        self.run("git", "commit", "--quiet", "--allow-empty", "--message", message)

    def changes(self) -> list[str]:
        """What `git status` finds."""
        return self.run("git", "status", "--porcelain").splitlines()

    def assert_as_committed(self) -> None:
        assert self.changes() == []
        assert self.run("dvc", "status", "--json").splitlines()[-1] == "{}"


def ran(output: str) -> list[str]:
    """The stages that DVC says it ran."""
    return re.findall(r"^Running stage '(.+)':$", output, re.M)


def surroundings(work: Path) -> dict[str, str]:
    """The environment for commands of a repository in this folder: DVC keeps its notes there, too."""
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("GIT_", "DVC_", "MAKE", "MFLAGS"))}
    return inherited | {
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        "DVC_SITE_CACHE_DIR": str(work / "site"),
    }


def repository(folder: Path) -> Clone:
    """A new repository with nothing in it."""
    folder.mkdir(parents=True)
    made = Clone(folder, surroundings(folder.parent))
    made.run("git", "init", "--quiet")
    made.run("git", "config", "user.name", "Test")
    made.run("git", "config", "user.email", "test@example.org")
    return made


def clone_of_the_working_tree(folder: Path) -> Clone:
    """The files that git has or would take, committed."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    clone = repository(folder)
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).exists():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    clone.commit("as it stands")
    return clone


def environment_as_made(folder: Path) -> Path:
    """The running environment under another name, marked as make marks its own: it installs nothing."""
    folder.mkdir()
    for name in ("bin", "lib", "pyvenv.cfg"):
        if Path(sys.prefix, name).exists():
            (folder / name).symlink_to(Path(sys.prefix, name))
    shutil.copy(ROOT / "requirements.lock", folder)
    return folder


# "No information available" shares one of its three words with one of the two of "Likely no", the answer to
# four questions: precision 1/3, recall 1/2. Of all 120 questions 21 are adversarial and 12 open-domain.
LIKELY_NO = 2 * (1 / 3) * (1 / 2) / (1 / 3 + 1 / 2)
ALWAYS_ABSTAINS = {
    "single_hop": 0.0,
    "multi_hop": 0.0,
    "temporal": 0.0,
    "open_domain": round(4 * LIKELY_NO / 12, 6),
    "adversarial": 1.0,
    "answerable": round(4 * LIKELY_NO / 99, 6),
    "overall": round((4 * LIKELY_NO + 21) / 120, 6),
}
"""The F1 of a program that always abstains, over the demonstration set."""


@dataclass(frozen=True)
class DemoRun(Clone):
    """A clone with the demonstration set as its dataset, after a run of all stages, committed.

    Read it, or change a copy: that is what fixture `demo` is.
    """

    said: str
    """What `make demo` printed, in a clone of the working tree."""
    left: str
    """What `git status` found there afterwards."""


@pytest.fixture(scope="session")
def demo_run(tmp_path_factory: pytest.TempPathFactory) -> DemoRun:
    """The demonstration set run by `make demo`, once for all test processes."""
    work = made_once(tmp_path_factory, "demo", _make_demo)
    return DemoRun(work / "clone", _offline(work), *json.loads((work / "said.json").read_bytes()))


@pytest.fixture
def demo(demo_run: DemoRun, tmp_path: Path) -> Clone:
    """A copy of that run to change at will."""
    return Clone(demo_run.folder, demo_run.environment).copy(tmp_path / "clone")


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], None]) -> Path:
    """A folder that the first test process to need it makes for all."""
    base = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent  # the processes' own folders lie in it
    folder = base / name
    with base.joinpath(f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "done").exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            make(folder)
            (folder / "done").touch()
    return folder


def _make_demo(work: Path) -> None:
    """Run `make demo` where there is no home, no cache and no network; then put what it made into git."""
    clone = replace(clone_of_the_working_tree(work / "clone"), environment=_offline(work))
    venv = environment_as_made(work / "venv")
    said = clone.within(HOME=str(work / "home"), LOCOMO_CACHE="").run("make", "demo", f"VENV={venv}")
    (work / "said.json").write_text(json.dumps([said, clone.run("git", "status", "--porcelain")]))
    folder = clone / "demo/run"
    for name in ("src", "metrics", "reports", "data", ".dvc/cache"):  # "src" for its byte code
        shutil.copytree(folder / name, clone / name, dirs_exist_ok=True)
    for path in (paths.PARAMS.name, "dvc.lock"):
        shutil.copy2(folder / path, clone / path)
    shutil.rmtree(folder)
    clone.commit("as it came out")


def _offline(work: Path) -> dict[str, str]:
    """Surroundings in which nothing but the demonstration set can be fetched."""
    nothing = {"LOCOMO_OFFLINE": "1", "XDG_CACHE_HOME": str(work / "cache")}
    return surroundings(work) | NOWHERE | nothing | {"LOCOMO_CACHE": str(work / "clone")}

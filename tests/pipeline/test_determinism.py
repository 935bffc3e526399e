"""The same bytes of every output, whatever the machine is set to and whichever Python runs the stages.

`dvc.lock` says which bytes: it was committed from another run, so each of these runs is held to it.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from helpers.clones import PIPELINE, DemoRun
from helpers.environments import environment
from helpers.shared import ROOT

IMPORTED = {
    *("nltk", "numpy", "pandas", "pooch", "regex", "tabulate", "tqdm"),
    *("jinja2", "joblib", "markupsafe", "matplotlib", "networkx", "pydantic", "pyyaml"),
}
"""The packages without which no stage starts."""


def locked_outputs(folder: Path) -> dict[str, str]:
    """The MD5 that `dvc.lock` has of each output."""
    lock: Any = yaml.safe_load(folder.joinpath("dvc.lock").read_text(encoding="utf-8"))
    return {out["path"]: out["md5"] for stage in lock["stages"].values() for out in stage["outs"]}


def md5(path: Path) -> str:
    """The hash of a file or folder as DVC has it: a folder's is that of its sorted list of files, as JSON."""
    if path.is_file():
        return hashlib.md5(path.read_bytes()).hexdigest()
    files = sorted(file.relative_to(path).as_posix() for file in path.rglob("*") if file.is_file())
    listing = json.dumps([{"md5": md5(path / name), "relpath": name} for name in files])
    return hashlib.md5(listing.encode()).hexdigest() + ".dir"


ALL_STAGES = "import runpy, sys\nfor stage in sys.argv[1:]: runpy.run_path(stage, run_name='__main__')"


def outputs(of: Path, folder: Path, cache: Path, python: str, **environment: str) -> dict[str, str]:
    """Run all stages of a project in a copy of its sources, in one process; the MD5 of each output.

    There is no scorer, so that stage `official` keeps the figures of the project.
    """
    shutil.copytree(of / "src", folder / "src", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("demo", "metrics"):
        folder.joinpath(name).mkdir()
    shutil.copy(of / "params.yaml", folder)
    shutil.copy(of / "demo" / "conversations.json", folder / "demo")
    shutil.copy(of / "metrics" / "official.json", folder / "metrics")
    unset = ("PYTHONHASHSEED", "LC_ALL", "TZ")
    inherited = {name: value for name, value in os.environ.items() if name not in unset}
    environment |= {
        "LOCOMO_CACHE": str(cache),
        "LOCOMO_OFFLINE": "1",
        "PYTHONPATH": "src",
        "XDG_CACHE_HOME": str(folder / "cache"),
    }
    command = [python, "-c", ALL_STAGES, *(stage["cmd"].split()[1] for stage in PIPELINE.values())]
    done = subprocess.run(command, cwd=folder, env=inherited | environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return {path: md5(folder / path) for path in locked_outputs(of)}


def threads(count: int) -> dict[str, str]:
    return {f"{name}_NUM_THREADS": str(count) for name in ("OMP", "OPENBLAS", "MKL", "NUMEXPR")}


PLAIN_ASCII = {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
# Other instructions give another last bit where a result depends on them.
NO_SIMD = {
    "NPY_DISABLE_CPU_FEATURES": " ".join(np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])),
    "OPENBLAS_CORETYPE": "Prescott",
}


def test_the_real_data_gives_what_is_committed_also_in_another_environment(
    tmp_path: Path, dataset_path: Path
) -> None:
    """The one run of all stages over the real data among these tests."""
    other = {"PYTHONHASHSEED": "1", "TZ": "Pacific/Kiritimati", **threads(1), **PLAIN_ASCII, **NO_SIMD}
    cache = dataset_path.parent.parent
    assert outputs(ROOT, tmp_path, cache, sys.executable, **other) == locked_outputs(ROOT)


def supported() -> list[int]:
    """The minor versions of Python 3 that `pyproject.toml` names."""
    project = tomllib.loads(ROOT.joinpath("pyproject.toml").read_text(encoding="utf-8"))["project"]
    versions = [re.search(r":: Python :: 3\.(\d+)$", classifier) for classifier in project["classifiers"]]
    return sorted(int(version[1]) for version in versions if version)


def interpreter(minor: int) -> str | None:
    """A Python 3.`minor` of this machine that can make an environment, on PATH or kept by pyenv."""
    candidates = [f"python3.{minor}"]
    if shutil.which("pyenv"):
        prefix = subprocess.run(["pyenv", "prefix", f"3.{minor}"], capture_output=True, text=True)
        candidates.append(f"{prefix.stdout.strip()}/bin/python")
    check = f"import sys, venv; sys.exit(sys.version_info[:2] != (3, {minor}))"
    for candidate in filter(shutil.which, candidates):
        if subprocess.run([candidate, "-c", check], capture_output=True).returncode == 0:
            return candidate
    return None


@pytest.mark.parametrize("which", ["oldest", "newest"])
def test_the_same_bytes_from_another_python_and_with_more_threads(
    tmp_path: Path, demo_run: DemoRun, which: str
) -> None:
    minors = supported() if which == "oldest" else supported()[::-1]
    found = ((minor, base) for minor in minors if (base := interpreter(minor)))
    minor, base = next(found, (None, ""))
    if minor is None:
        pytest.skip("no supported Python with venv on PATH or kept by pyenv: install a second one")
    if minor == sys.version_info.minor:
        pytest.skip(f"Python 3.{minor}, which runs this test, is the {which} supported one here")
    python = str(environment(tmp_path / "venv", IMPORTED, base))
    other = {"PYTHONHASHSEED": "4294967295", "TZ": "America/Los_Angeles", **threads(7), "LC_ALL": "C.UTF-8"}
    found = outputs(demo_run.folder, tmp_path / "run", demo_run.folder, python, **other)
    assert found == locked_outputs(demo_run.folder)

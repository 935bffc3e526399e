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

import numpy as np
import pytest
import yaml

from helpers.shared import ROOT

PIPELINE = yaml.safe_load(ROOT.joinpath("dvc.yaml").read_text(encoding="utf-8"))["stages"]
STAGES = [stage for stage in PIPELINE if stage != "official"]
"""All but the one that can do without its input; what it wrote is committed, and the report reads that."""
IMPORTED = {
    *("numpy", "nltk", "pydantic", "pyyaml", "regex", "tabulate", "tqdm"),
    *("jinja2", "markupsafe", "matplotlib"),
}
"""What these stages import."""
NO_NETWORK = re.compile(r"connection broken by|HTTPS?ConnectionPool\(|ConnectionError|[Rr]ead timed out")
"""What pip says where an index can't be reached."""


def committed() -> dict[str, str]:
    """The MD5 that `dvc.lock` has of each output."""
    lock = yaml.safe_load(ROOT.joinpath("dvc.lock").read_text(encoding="utf-8"))
    return {out["path"]: out["md5"] for stage in STAGES for out in lock["stages"][stage]["outs"]}


def md5(path: Path) -> str:
    """The hash of a file or folder as DVC has it: a folder's is that of its sorted list of files, as JSON."""
    if path.is_file():
        return hashlib.md5(path.read_bytes()).hexdigest()
    files = sorted(file.relative_to(path).as_posix() for file in path.rglob("*") if file.is_file())
    listing = json.dumps([{"md5": md5(path / name), "relpath": name} for name in files])
    return hashlib.md5(listing.encode()).hexdigest() + ".dir"


def outputs(folder: Path, dataset: Path, python: str, **environment: str) -> dict[str, str]:
    """Run the stages in a copy of the sources; the MD5 of each output."""
    shutil.copytree(ROOT / "src", folder / "src", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "params.yaml", folder)
    folder.joinpath("metrics").mkdir()
    shutil.copy(ROOT / "metrics" / "official.json", folder / "metrics")
    unset = ("PYTHONHASHSEED", "LC_ALL", "TZ")
    inherited = {name: value for name, value in os.environ.items() if name not in unset}
    environment = inherited | {"LOCOMO_CACHE": str(dataset.parent.parent)} | environment
    for stage in STAGES:
        command = [python, *PIPELINE[stage]["cmd"].split()[1:]]
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    return {path: md5(folder / path) for path in committed()}


def threads(count: int) -> dict[str, str]:
    return {f"{name}_NUM_THREADS": str(count) for name in ("OMP", "OPENBLAS", "MKL", "NUMEXPR")}


PLAIN_ASCII = {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
# Other instructions give another last bit where a result hangs on them.
NO_SIMD = {
    "NPY_DISABLE_CPU_FEATURES": " ".join(np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])),
    "OPENBLAS_CORETYPE": "Prescott",
}


def test_the_same_bytes_in_another_environment(tmp_path: Path, dataset_path: Path) -> None:
    other = {"PYTHONHASHSEED": "1", "TZ": "Pacific/Kiritimati", **threads(1), **PLAIN_ASCII, **NO_SIMD}
    assert outputs(tmp_path, dataset_path, sys.executable, **other) == committed()


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
    check = f"import sys, venv, ensurepip; sys.exit(sys.version_info[:2] != (3, {minor}))"
    for candidate in filter(shutil.which, candidates):
        if subprocess.run([candidate, "-c", check], capture_output=True).returncode == 0:
            return candidate
    return None


def locked(names: set[str]) -> str:
    """The part of `requirements.lock` with these packages and all that they need."""
    text = ROOT.joinpath("requirements.lock").read_text(encoding="utf-8")
    blocks = [(block.split("==")[0], block) for block in re.split(r"\n(?=[^\s#])", text)[1:]]
    needed: set[str] = set()
    while names:
        needed |= names
        # Below each package the lock says, as "via", which ones need it.
        names = {
            name for name, block in blocks if needed & set(re.findall(r"# +(?:via +)?(\S+)$", block, re.M))
        } - needed
    return "\n".join(block for name, block in blocks if name in needed)


@pytest.mark.parametrize("which", ["oldest", "newest"])
def test_the_same_bytes_from_another_python_and_with_more_threads(
    tmp_path: Path, dataset_path: Path, which: str
) -> None:
    minors = supported() if which == "oldest" else supported()[::-1]
    found = ((minor, base) for minor in minors if (base := interpreter(minor)))
    minor, base = next(found, (None, ""))
    if minor is None:
        pytest.skip("no supported Python with venv on PATH or kept by pyenv: install a second one")
    if minor == sys.version_info.minor:
        pytest.skip(f"Python 3.{minor}, which runs this test, is the {which} supported one here")
    subprocess.run([base, "-m", "venv", tmp_path / "venv"], check=True)
    python = str(tmp_path / "venv" / "bin" / "python")
    tmp_path.joinpath("lock").write_text(locked(IMPORTED), encoding="utf-8")
    pip = [python, "-m", "pip", "install", "--require-hashes", "-r", str(tmp_path / "lock")]
    installed = subprocess.run(pip, capture_output=True, text=True)
    if installed.returncode and NO_NETWORK.search(installed.stderr):
        pytest.skip(f"no environment for Python 3.{minor}: {installed.stderr.strip().splitlines()[-1]}")
    assert installed.returncode == 0, installed.stderr
    other = {"PYTHONHASHSEED": "4294967295", "TZ": "America/Los_Angeles", **threads(7), "LC_ALL": "C.UTF-8"}
    assert outputs(tmp_path / "run", dataset_path, python, **other) == committed()

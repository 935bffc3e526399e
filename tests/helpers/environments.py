"""New environments with some of the locked packages."""

import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from helpers.shared import ROOT

NO_NETWORK = re.compile(r"connection broken by|HTTPS?ConnectionPool\(|ConnectionError|[Rr]ead timed out")
"""What pip says where an index can't be reached."""


def locked(names: Iterable[str]) -> str:
    """The part of `requirements.lock` with these packages and all that they need."""
    text = ROOT.joinpath("requirements.lock").read_text(encoding="utf-8")
    blocks = [(block.split("==")[0], block) for block in re.split(r"\n(?=[^\s#])", text)[1:]]
    needed: set[str] = set()
    found = set(names)
    while found:
        needed |= found
        # Below each package the lock says, as "via", which ones need it.
        found = {
            name for name, block in blocks if needed & set(re.findall(r"# +(?:via +)?(\S+)$", block, re.M))
        } - needed
    return "\n".join(block for name, block in blocks if name in needed)


def environment(folder: Path, names: Iterable[str], base: str = sys.executable) -> Path:
    """The Python of a new environment with these packages; skips where no index can be reached."""
    subprocess.run([base, "-m", "venv", "--without-pip", folder], check=True)
    python = folder / "bin" / "python"
    folder.joinpath("lock").write_text(locked(names), encoding="utf-8")
    done = pip(python, "--require-hashes", "-r", str(folder / "lock"))
    if done.returncode and NO_NETWORK.search(done.stderr):
        pytest.skip(f"no package index can be reached: {done.stderr.strip().splitlines()[-1]}")
    assert done.returncode == 0, done.stderr
    return python


def pip(python: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Install with the pip at hand into the environment of another Python."""
    # No byte code but of what is imported: that takes a third of the time.
    command = [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-compile", "--no-deps"]
    return subprocess.run([*command, *options], capture_output=True, text=True)

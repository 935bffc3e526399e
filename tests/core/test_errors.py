"""How a stage ends: exit code and what is on stderr."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from helpers.shared import ROOT


def stage(
    body: str, stdout: int = subprocess.PIPE, around: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    script = f"from locomo.core.errors import LocomoError, run\ndef main():\n    {body}\nrun(main)\n"
    environment = {"PYTHONPATH": str(ROOT / "src"), **(around or {})}
    command = [sys.executable, "-c", script]
    return subprocess.run(command, stdout=stdout, stderr=subprocess.PIPE, text=True, env=environment)


@pytest.mark.parametrize(
    ("body", "code", "stderr"),
    [
        ("pass", 0, ""),
        ("raise LocomoError('params.yaml: floor')", 1, "error: params.yaml: floor\n"),
        ("raise KeyboardInterrupt", 130, ""),
    ],
)
def test_a_stage_ends_without_a_traceback(body: str, code: int, stderr: str) -> None:
    done = stage(body)
    assert (done.returncode, done.stderr) == (code, stderr)


def test_a_file_that_cannot_be_opened_is_named(tmp_path: Path) -> None:
    done = stage(f"open({str(tmp_path / 'gone')!r})")
    assert done.returncode == 1
    assert done.stderr.startswith("error: ") and str(tmp_path / "gone") in done.stderr
    assert "Traceback" not in done.stderr


def test_a_terminal_that_lacks_a_character_gets_another() -> None:
    ascii_only = {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = stage("print('Ada\\u2019s'); raise LocomoError('Bob\\u2019s')", around=ascii_only)
    assert (done.returncode, done.stdout, done.stderr) == (1, "Ada?s\n", "error: Bob?s\n")


def test_a_bug_keeps_its_traceback() -> None:
    done = stage("1 / 0")
    assert done.returncode == 1
    assert "Traceback" in done.stderr and "ZeroDivisionError" in done.stderr


@pytest.mark.parametrize("lines", [1, 100_000], ids=["flushed at the end", "flushed while it prints"])
def test_a_closed_pipe_is_no_error(lines: int) -> None:
    """As behind `| head -1`, which may have gone before anything is written."""
    reads, writes = os.pipe()
    os.close(reads)
    done = stage(f"print('a line\\n' * {lines}, end='')", stdout=writes)
    os.close(writes)
    # What a shell says of a program that SIGPIPE (13) ended: 128 + 13.
    assert (done.returncode, done.stderr) == (141, "")


def test_an_error_behind_a_closed_pipe_is_told() -> None:
    reads, writes = os.pipe()
    os.close(reads)
    done = stage("print('a line'); raise LocomoError('params.yaml: floor')", stdout=writes)
    os.close(writes)
    assert (done.returncode, done.stderr) == (1, "error: params.yaml: floor\n")

"""How a stage ends: exit code and what is on stderr."""

import subprocess
import sys
from pathlib import Path

import pytest

from helpers.shared import ROOT


def stage(body: str, **environment: str) -> subprocess.CompletedProcess[str]:
    script = f"from locomo.core.errors import LocomoError, run\ndef main():\n    {body}\nrun(main)\n"
    environment = {"PYTHONPATH": str(ROOT / "src"), **environment}
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment)


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
    done = stage("print('Ada\\u2019s'); raise LocomoError('Bob\\u2019s')", **ascii_only)
    assert (done.returncode, done.stdout, done.stderr) == (1, "Ada?s\n", "error: Bob?s\n")


def test_a_bug_keeps_its_traceback() -> None:
    done = stage("1 / 0")
    assert done.returncode == 1
    assert "Traceback" in done.stderr and "ZeroDivisionError" in done.stderr

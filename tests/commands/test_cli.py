"""`locomo` itself: its help, and where it can be called."""

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from helpers.shared import ROOT
from locomo import __version__
from locomo.cli import COMMANDS, main


def python(code: str) -> subprocess.CompletedProcess[str]:
    environment = {"PYTHONPATH": str(ROOT / "src")}
    return subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)


def test_help_has_a_line_on_each_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["--help"])
    said = " ".join(capsys.readouterr().out.split())
    assert stop.value.code == 0
    assert all(f"{name} {summary}" in said for name, summary in COMMANDS.items())


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_has_its_module(name: str) -> None:
    command = import_module(f"locomo.commands.{name}")
    assert callable(command.add_arguments) and callable(command.run)


@pytest.mark.parametrize("words", [[], ["--json"], ["nothing"], ["--", "show"]])
def test_other_words_are_refused(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(words)
    assert stop.value.code == 2
    assert capsys.readouterr().err.startswith("usage: locomo")


def test_help_imports_no_command_and_a_command_no_other() -> None:
    code = "import sys; from locomo.cli import parser; parser(%r)\nprint(sorted(sys.modules))"
    imported = python(code % ["--help"]).stdout
    assert "'locomo.cli'" in imported and "locomo.commands" not in imported and "numpy" not in imported
    imported = python(code % ["score", "show"]).stdout
    assert "'locomo.commands.score'" in imported and "'locomo.commands.show'" not in imported


@pytest.mark.parametrize("module", ["locomo.core.settings", "locomo.commands.explore"])
def test_a_clone_without_the_packages_says_how_to_get_them(module: str) -> None:
    done = python(f"import sys; sys.modules['pydantic'] = sys.modules['yaml'] = None; import {module}")
    assert done.returncode == 1
    lacks = (
        f"error: {sys.executable} lacks packages of this project (pydantic, yaml). Activate the environment"
    )
    assert done.stderr.startswith(lacks) and "Traceback" not in done.stderr


@pytest.fixture
def command() -> Path:
    found = Path(sys.executable).parent / "locomo"
    if not found.exists() or not found.read_text(encoding="utf-8").startswith("#!/bin/sh"):
        pytest.skip("the environment has no `locomo` of `make env`")
    return found


def test_the_command_of_make_runs_the_package_of_its_folder_and_anywhere_else_this_one(
    command: Path, tmp_path: Path
) -> None:
    def called() -> str:
        return subprocess.check_output([command, "--version"], cwd=tmp_path, text=True)

    tmp_path.joinpath("argparse.py").write_text("a file of the user's, and no module")
    assert called() == f"locomo {__version__}\n"
    package = tmp_path / "src" / "locomo"
    package.mkdir(parents=True)
    package.joinpath("__init__.py").touch()
    package.joinpath("__main__.py").write_text("print('another')")
    assert called() == "another\n"

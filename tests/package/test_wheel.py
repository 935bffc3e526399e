"""The wheel, installed with the packages it asks for and no others, and called in an empty folder."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from helpers.clones import made_once
from helpers.environments import environment, pip
from helpers.shared import ROOT
from locomo import __version__
from locomo.core import paths

PROJECT = tomllib.loads(ROOT.joinpath("pyproject.toml").read_text(encoding="utf-8"))["project"]


def names(requirements: list[str]) -> list[str]:
    """The names of packages, without the versions."""
    return [re.split(r"[^\w.-]", requirement)[0] for requirement in requirements]


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    def make(folder: Path) -> None:
        command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation"]
        done = subprocess.run([*command, "--wheel-dir", folder, ROOT], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr

    (found,) = made_once(tmp_path_factory, "wheel", make).glob("*.whl")
    return found


@pytest.fixture(scope="session")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment with the wheel and the packages it asks for."""

    def make(folder: Path) -> None:
        made = environment(folder / "venv", names(PROJECT["dependencies"]))
        done = pip(made, "--no-index", str(wheel))
        assert done.returncode == 0, done.stderr

    return made_once(tmp_path_factory, "installed", make) / "venv" / "bin" / "python"


def called(
    folder: Path, *command: str | Path, code: int = 0, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run a command that has to end with `code`, without this project on its path."""
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        command, cwd=folder, env=inherited | environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == code, done.stderr
    return done


def test_the_wheel_holds_the_package_and_nothing_else(wheel: Path) -> None:
    held = zipfile.ZipFile(wheel).namelist()
    assert {Path(name).parts[0] for name in held} == {"locomo", f"locomo_bench-{__version__}.dist-info"}
    shipped = {f"locomo/published/{name}" for name in ("published.csv.gz", "audited.csv.gz", "run.json")}
    assert shipped | {"locomo/py.typed"} <= set(held)
    assert "locomo/commands/memory_template.txt" in held
    assert wheel.stat().st_size < 500_000


def test_nothing_is_missing_and_nothing_is_of_the_pipeline(python: Path) -> None:
    done = subprocess.run([sys.executable, "-m", "pip", "--python", python, "check"], capture_output=True)
    assert done.returncode == 0, done.stdout
    listed = [sys.executable, "-m", "pip", "--python", python, "list", "--format", "json"]
    installed = {one["name"].lower() for one in json.loads(subprocess.check_output(listed))}
    assert "locomo-bench" in installed
    # NLTK needs joblib too.
    assert installed & {*names(PROJECT["optional-dependencies"]["pipeline"])} <= {"joblib"}


def test_an_empty_folder_gives_the_figures_of_a_clone(
    python: Path, ran: Path, dataset_path: Path, tmp_path: Path
) -> None:
    clone, empty = tmp_path / "clone", tmp_path / "empty"
    shutil.copytree(ran, clone)
    empty.mkdir()
    for folder in (clone, empty):
        with folder.joinpath("mine.jsonl").open("w", encoding="utf-8") as file:
            for sample in json.loads((ran / paths.PREDICTIONS).read_bytes()):
                for question in sample["qa"]:
                    said = {"prediction": question["graph_prediction"]}
                    said |= {key: question[f"graph_prediction_{key}"] for key in ("context", "confidence")}
                    asked = {"sample_id": sample["sample_id"], "question": question["question"]}
                    file.write(json.dumps(asked | said) + "\n")
    cache = str(dataset_path.parent.parent)
    there = called(clone, sys.executable, "-m", "locomo", "score", "mine.jsonl", PYTHONPATH=str(ROOT / "src"))
    here = called(empty, python.parent / "locomo", "score", "mine.jsonl", LOCOMO_CACHE=cache)
    published = f"the published arms (locomo-bench {__version__})"
    assert here.stdout.replace(published, str(paths.SCORES)) == there.stdout
    assert f"locomo-bench:{__version__}|data:79fa87e90f04|" in here.stdout
    assert here.stderr == ""
    assert [path.name for path in empty.iterdir()] == ["mine.jsonl"]


def test_the_python_api(python: Path, tmp_path: Path) -> None:
    code = f"""
import locomo
talks = locomo.load_dataset({str(ROOT / "demo/conversations.json")!r})
asked = {{"sample_id": "demo-1", "question": "What is the name of Ines's dog?"}}
answers = [asked | {{"prediction": "Biscuit", "arm": "a"}}, asked | {{"prediction": "a cat", "arm": "b"}}]
table = locomo.score_answers(answers, talks)
print(locomo.f1("a red kayak", "the kayak"), locomo.compare(table, "a", "b").difference["answerable"])
"""
    assert called(tmp_path, python, "-c", code).stdout == "0.6666666666666666 1.0\n"


def test_a_command_that_needs_more_says_how_to_get_it(python: Path, tmp_path: Path) -> None:
    assert "explore" in called(tmp_path, python.parent / "locomo", "--help").stdout
    said = called(tmp_path, python.parent / "locomo", "explore", code=1).stderr
    lacks = "jinja2, markupsafe, matplotlib, networkx, pydantic, yaml"
    assert said == (
        f"error: {python} lacks packages of this project ({lacks})."
        " `pip install 'locomo-bench[pipeline]'` brings them.\n"
    )

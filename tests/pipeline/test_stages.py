"""What dvc.yaml declares of each stage is what the stage reads and writes.

Something undeclared would leave DVC with stale results; something declared in vain would run a stage again
for nothing.
"""

import json
import os
import runpy
import subprocess
import sys
from collections.abc import Iterable
from modulefinder import ModuleFinder
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import pytest
import yaml

from helpers.clones import PIPELINE
from helpers.shared import ROOT
from locomo.core import settings
from locomo.results import published
from locomo.score import measures

PACKAGE = ROOT / "src/locomo"
MINE = """
class Memory:
    def __init__(self, conversation, vocabulary):
        self.cites = [(turn.id, 1) for turn in conversation.turns]

    def ask(self, question, k):
        return self.cites[:k]
"""


def script(stage: str) -> Path:
    python, path = PIPELINE[stage]["cmd"].split()
    assert python == "python"
    return ROOT / path


@pytest.mark.parametrize("stage", PIPELINE)
def test_a_stage_depends_on_just_the_rooms_it_imports(stage: str) -> None:
    finder = ModuleFinder(path=[str(ROOT / "src")])
    finder.run_script(str(script(stage)))
    if measures.__name__ in finder.modules:  # which finds its files by itself
        for module in iter_modules(measures.__path__, f"{measures.__name__}."):
            finder.import_hook(module.name)
    files = {Path(module.__file__) for module in finder.modules.values() if module.__file__}
    of_package = {file.relative_to(PACKAGE) for file in files if file.is_relative_to(PACKAGE)}
    rooms = {f"src/locomo/{path.parts[0]}" for path in of_package if len(path.parts) > 1}
    if published.__name__ in finder.modules:  # which reads its files
        rooms.add("src/locomo/published")
    # Beside the rooms there lie the API and the commands, which no stage reads.
    assert {path for path in of_package if len(path.parts) == 1} <= {Path("__init__.py")}
    expected = {script(stage).relative_to(ROOT).as_posix(), *rooms}
    assert {path for path in PIPELINE[stage]["deps"] if path.startswith("src/")} == expected


def test_no_stage_imports_what_takes_long_and_is_not_needed() -> None:
    """All of them in one process; the figures need matplotlib, and none needs pandas or the network."""
    code = "import runpy, sys\nfor script in sys.argv[1:]: runpy.run_path(script)\nprint(*sys.modules)"
    command = [sys.executable, "-c", code, *(str(script(stage)) for stage in PIPELINE)]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    loaded = done.stdout.split()
    assert {"numpy", "matplotlib", "locomo.report.page"} <= set(loaded)
    assert not {"pandas", "locomo.api", "joblib", "distributed", "requests"}.intersection(loaded)


@pytest.fixture
def read_settings(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The names of the settings that were read so far."""
    read: set[str] = set()

    class Watched(settings.Settings):
        def __getattribute__(self, name: str) -> Any:
            if name in settings.Settings.model_fields:
                read.add(name)
            return super().__getattribute__(name)

    load = settings.load
    monkeypatch.setattr(settings, "load", lambda: Watched.model_validate(load().model_dump()))
    return read


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The files that were opened so far."""
    files: set[str] = set()

    def noting(file: Any, *arguments: Any, really_open: Any = open, **keywords: Any) -> Any:
        files.add(str(file))
        return really_open(file, *arguments, **keywords)

    monkeypatch.setattr("builtins.open", noting)
    monkeypatch.setattr("io.open", noting)
    return files


def declared(stage: str, *keys: str) -> set[str]:
    """The paths under some keys of a stage, sources apart."""
    listed = [entry for key in keys for entry in PIPELINE[stage].get(key, [])]
    paths = {path for entry in listed for path in ([entry] if isinstance(entry, str) else entry)}
    return {path.replace("${dataset.file}", "talks.json") for path in paths if not path.startswith("src/")}


def holders(files: Iterable[str], paths: set[str]) -> set[str]:
    """Of each file the path that is it or a folder it is in; the file itself if there is none."""
    return {next((path for path in paths if Path(file).is_relative_to(path)), file) for file in files}


@pytest.mark.filterwarnings("ignore:constrained_layout not applied")  # so little to draw
@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"blind": True},
        {"k": 2000},
        {"arms": ["vector", "graph"]},
        {"arms": ["oracle"]},
        {"arms": ["vector", "mine", "mine+set"], "may_fail": ["mine"]},
    ],
    ids=["as-it-is", "blind", "k", "two-arms", "one-arm", "an-external-memory"],
)
def test_a_stage_reads_and_writes_just_what_it_declares(
    changes: dict[str, Any],
    tmp_path: Path,
    tiny: list[dict[str, Any]],
    monkeypatch: pytest.MonkeyPatch,
    read_settings: set[str],
    opened: set[str],
) -> None:
    """All stages one after the other on the tiny dataset, in a folder of their own, at any settings."""
    monkeypatch.chdir(tmp_path)
    Path("talks.json").write_text(json.dumps(tiny), encoding="utf-8")
    params = yaml.safe_load(ROOT.joinpath("params.yaml").read_bytes()) | {"dataset": {"file": "talks.json"}}
    assert changes.keys() <= params.keys()
    Path("params.yaml").write_text(yaml.safe_dump(params | changes), encoding="utf-8")
    Path("memories").mkdir()
    Path("memories/mine.py").write_text(MINE, encoding="utf-8")
    before = {"params.yaml", "memories/mine.py", "talks.json"}
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path.parent / "cache"))
    external = "mine" in changes.get("arms", ())
    # Only read where an arm is none of ours.
    of_external = {"memories", "data/cites"}
    of_asking = {"data/locomo10.json", "data/key.json", "data/memories"}
    for stage in PIPELINE:
        read_settings.clear()
        opened.clear()
        runpy.run_path(str(script(stage)))["main"]()
        named = {name.partition(".")[0] for name in PIPELINE[stage].get("params", [])}
        assert read_settings == (named if external else named - {"failures_in_a_row"}), stage
        deps, outs = declared(stage, "deps"), declared(stage, "outs", "metrics")
        if not external:
            deps -= of_external | (of_asking if stage == "ask" else set())
        elif "data/arms.json" in deps:
            deps |= {"memories"}  # whose hashes stand in that file
        assert holders(opened & before - {"params.yaml"}, deps) == deps, stage
        after = {path.as_posix() for path in Path().rglob("*") if path.is_file()}
        assert holders(after - before, outs) == outs, stage
        before = after

"""What dvc.yaml declares of each stage is what the stage reads and writes.

Something undeclared would leave DVC with stale results; something declared in vain would run a stage again
for nothing.
"""

import os
import runpy
from collections.abc import Iterable
from modulefinder import ModuleFinder
from pathlib import Path
from typing import Any

import pytest
import yaml

from helpers.shared import ROOT
from locomo.core import settings

PIPELINE = yaml.safe_load(ROOT.joinpath("dvc.yaml").read_text(encoding="utf-8"))["stages"]
DATA_OF = {
    "src/locomo/lexicon.py": "src/locomo/lexicon.yaml",
    "src/locomo/report/page.py": "src/locomo/report/page.html.j2",
}
"""Which module reads what else there is in the package."""
OF_NO_STAGE = "src/locomo/explorer/"
"""What a command of the package reads, and no stage."""

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
def test_a_stage_depends_on_just_the_modules_it_imports(stage: str) -> None:
    finder = ModuleFinder(path=[str(ROOT / "src")])
    finder.run_script(str(script(stage)))
    files = (Path(module.__file__) for module in finder.modules.values() if module.__file__)
    imported = {file.relative_to(ROOT).as_posix() for file in files}
    imported |= {data for module, data in DATA_OF.items() if module in imported}
    assert {path for path in PIPELINE[stage]["deps"] if path.startswith(("src/", "scripts/"))} == imported


def test_there_is_no_other_data_in_the_package() -> None:
    files = (path for path in ROOT.joinpath("src").rglob("*") if path.is_file())
    others = {path.relative_to(ROOT).as_posix() for path in files if path.suffix not in (".py", ".pyc")}
    assert {path for path in others if not path.startswith(OF_NO_STAGE)} == set(DATA_OF.values())


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
    return {path for path in paths if not path.startswith(("src/", "scripts/"))}


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
    ids=["as-it-is", "blind", "k", "two-arms", "one-arm", "a-memory-of-yours"],
)
def test_a_stage_reads_and_writes_just_what_it_declares(
    changes: dict[str, Any],
    tmp_path: Path,
    tiny_file: Path,
    tiny_params: str,
    monkeypatch: pytest.MonkeyPatch,
    read_settings: set[str],
    opened: set[str],
) -> None:
    """All stages one after the other on the tiny dataset, in a folder of their own, at any settings."""
    monkeypatch.chdir(tmp_path)
    folders = [str(tiny_file.parent.parent), *filter(None, [os.environ.get("LOCOMO_CACHE")])]
    monkeypatch.setenv("LOCOMO_CACHE", os.pathsep.join(folders))
    params = yaml.safe_load(tiny_params)
    assert changes.keys() <= params.keys()
    Path("params.yaml").write_text(yaml.safe_dump(params | changes), encoding="utf-8")
    Path("memories").mkdir()
    Path("memories/mine.py").write_text(MINE, encoding="utf-8")
    before = {"params.yaml", "memories/mine.py"}
    for stage in PIPELINE:
        read_settings.clear()
        opened.clear()
        runpy.run_path(str(script(stage)))["main"]()
        assert read_settings == {name.partition(".")[0] for name in PIPELINE[stage].get("params", [])}, stage
        deps, outs = declared(stage, "deps"), declared(stage, "outs", "metrics")
        if "mine" not in changes.get("arms", ()):
            deps -= {"memories"}  # only read where an arm is none of ours
        assert holders(opened & before - {"params.yaml"}, deps) == deps, stage
        after = {path.as_posix() for path in Path().rglob("*") if path.is_file()}
        assert holders(after - before, outs) == outs, stage
        before = after

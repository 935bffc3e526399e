"""`locomo new`: what it writes runs as it is, and so does every optional part of it."""

import ast
import json
import shutil
import textwrap
from pathlib import Path
from typing import Any

import pytest

from helpers.shared import ROOT
from locomo.cli import main
from locomo.commands.new import TEMPLATE
from locomo.core import paths

TEXT = TEMPLATE.read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def here(own_folder: Path) -> Path:
    """A folder with settings and the demonstration set; its cache."""
    shutil.copy(ROOT / "params.yaml", paths.PARAMS)
    shutil.copy(ROOT / "demo/conversations.json", paths.DATASET)
    return own_folder.with_name("cache")


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    with pytest.raises(SystemExit) as stop:
        main(["new", *words])
    assert capsys.readouterr().out == ""
    return str(stop.value)


def tried(capsys: pytest.CaptureFixture[str]) -> Any:
    """What `locomo run` says of memories/mine.py; it would end with an error if the contract were broken."""
    capsys.readouterr()
    main(["run", "mine", "--json", "--against", "vector"])
    return json.loads(capsys.readouterr().out)


def test_it_writes_a_memory_and_says_how_to_go_on(capsys: pytest.CaptureFixture[str]) -> None:
    main(["new", "mine"])
    first, *commands = capsys.readouterr().out.splitlines()
    assert first.startswith("memories/mine.py: a memory that runs as it is.")
    assert commands == [
        "  locomo run memories/mine.py --questions 20",
        "  dvc exp run -S 'arms=[vector,mine]'",
    ]
    main(commands[0].split()[1:])
    assert "memories/mine.py: 20 questions about all conversations" in capsys.readouterr().out
    message = "error: memories/mine.py: is there already; choose another name"
    assert refused(capsys, "mine") == message


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("path2", "error: memory path2: memories/path2.py has the name of one of our memories; rename it"),
        ("Mine", "error: memories/Mine.py: cannot hold a memory; expected a name such as memories/mine.py"),
        ("../mine", "error: memories/../mine.py: cannot hold a memory; "),
        ("mine.py", "error: memories/mine.py.py: cannot hold a memory; "),
    ],
)
def test_wrong_names(name: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert refused(capsys, name).startswith(message)
    assert not paths.PLUGINS.exists()


def test_in_another_folder(capsys: pytest.CaptureFixture[str]) -> None:
    paths.PARAMS.unlink()
    assert refused(capsys, "mine") == "error: params.yaml: is not here; run in the project's own folder"


# ---- the optional parts


def parts() -> dict[str, str]:
    """The code of each optional part, by the comment above it."""
    found: dict[str, str] = {}
    about = ""
    _, _, optional = TEXT.partition("# ---- ")
    for block in optional.split("\n\n")[1:]:
        lines = [line.removeprefix("    #").removeprefix(" ") for line in block.rstrip().splitlines()]
        code = "\n".join(lines)
        try:
            ast.parse(code)
        except SyntaxError:
            about = " ".join(lines)
        else:
            found[about] = code
    return found


PARTS = parts()


def part(words: str) -> str:
    (code,) = (code for about, code in PARTS.items() if words in about)
    return code


def with_part(words: str) -> None:
    """Write the memory with an optional part taken out of its comment."""
    paths.PLUGINS.mkdir(exist_ok=True)
    code = textwrap.indent(part(words), "    ")
    paths.PLUGINS.joinpath("mine.py").write_text(f"{TEXT}\n{code}\n", encoding="utf-8")


@pytest.fixture
def plain(capsys: pytest.CaptureFixture[str]) -> Any:
    """What is said of the memory as it is."""
    main(["new", "mine"])
    return tried(capsys)


def test_there_are_no_other_parts() -> None:
    assert len(PARTS) == 10


def test_it_finds_most_evidence_of_the_demonstration(plain: Any) -> None:
    # By chance, 5 of the 60 and more turns of a conversation hold less than a tenth of the evidence.
    assert plain["recall"]["mine"]["overall"] > 0.5
    assert plain["cost"]["constructed"] == 3 and plain["check"]["questions"] == 20


@pytest.mark.parametrize("words", ["distances", "wait at once", "All questions", "Learn", "Keep"])
def test_parts_that_cite_the_same(words: str, plain: Any, capsys: pytest.CaptureFixture[str]) -> None:
    with_part(words)
    found = tried(capsys)
    assert found["recall"] == plain["recall"] and found["retrieval"] == plain["retrieval"]
    calls = 3 if words == "All questions" else plain["cost"]["calls"]
    assert found["cost"]["calls"] == calls and found["cost"]["kept"] == 0


def test_what_was_built_is_loaded(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with_part("Keep")
    first = tried(capsys)
    folder = here / "locomo-bench/cites"
    for database in folder.glob("mine-*.sqlite*"):
        database.unlink()  # so that it is asked again
    (kept,) = (path for path in folder.iterdir() if path.is_dir())
    assert len(list(kept.iterdir())) == 3
    assert tried(capsys)["recall"] == first["recall"]


def test_parts_that_cite_otherwise(plain: Any, capsys: pytest.CaptureFixture[str]) -> None:
    with_part("Cite only what is found")
    assert tried(capsys)["recall"]["mine"]["overall"] <= plain["recall"]["mine"]["overall"]
    with_part("the phrase that fits")
    phrases = tried(capsys)
    assert phrases["recall"] == plain["recall"] and phrases["f1"]["mine"] == plain["f1"]["mine"]
    assert phrases["f1"]["mine+set"] != plain["f1"]["mine+set"]
    with_part("Sessions")
    sessions = tried(capsys)
    assert sessions["cites_sessions"] and sessions["recall"]["mine"]["overall"] > 0.5
    with_part("Texts of your own")
    texts = tried(capsys)
    assert texts["recall"]["mine"]["overall"] is None and texts["cost"]["texts"] == texts["cost"]["questions"]
    with_part("A confidence of your own")
    confident = tried(capsys)
    assert confident["cost"]["own_confidence"] == confident["cost"]["questions"] > 0
    assert 0 < confident["abstained"]["mine"]["overall"] < 1

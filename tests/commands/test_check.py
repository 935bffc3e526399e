"""`locomo check`: what is printed, and how it ends."""

import json
from pathlib import Path
from typing import Any

import pytest

from locomo.cli import main

Data = list[dict[str, Any]]


@pytest.fixture
def path(own_folder: Path, tiny: Data) -> Path:
    path = own_folder / "talks.json"
    path.write_text(json.dumps(tiny), encoding="utf-8")
    return path


def test_a_file_with_something_odd_ends_well(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["check", str(path)])
    first, *others = capsys.readouterr().out.splitlines()
    assert first.startswith(f"{path}: 2 conversations, 3 sessions, 4 turns, 2 questions; SHA-256 ")
    assert others == [
        "",
        "odd:",
        "* speakers who never speak: 1. Perhaps a name is spelt in two ways.",
        "  conv-2 'Dan'",
        "",
        "Nothing is wrong: the stages read this file. What is odd is up to you.",
    ]


def test_a_file_with_a_fault_ends_with_1(path: Path, tiny: Data, capsys: pytest.CaptureFixture[str]) -> None:
    tiny[0]["qa"] = [tiny[0]["qa"][0] | {"category": 0}] * 12
    path.write_text(json.dumps(tiny), encoding="utf-8")
    with pytest.raises(SystemExit) as stop:
        main(["check", str(path)])
    assert stop.value.code == f"error: {path}: 12 to correct; no stage reads this file until then"
    said = capsys.readouterr().out.splitlines()
    assert said[1:3] == ["", "wrong:"]
    assert said[3].startswith("* conversation[0] (conv-1), qa[0], category: is 0, allowed: 1 (multi_hop), ")
    assert said[12].startswith("* conversation[0] (conv-1), qa[9], category: is 0, ")
    assert said[13] == "* and 2 more"


def test_a_file_that_is_not_there(own_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["check", "nothing.json"])
    assert stop.value.code == "error: nothing.json: cannot be read (No such file or directory)"
    assert capsys.readouterr().out == ""

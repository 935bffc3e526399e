"""The examples of README and docs print what is shown."""

import doctest
import json
import re
from pathlib import Path
from typing import Any

import pytest

import score_official
from helpers.clones import DemoRun
from helpers.shared import ROOT
from locomo.cli import main
from locomo.core import paths

ANSWERS = ROOT.joinpath("docs/answers.md").read_text(encoding="utf-8")


def example(page: str, command: str) -> str:
    """What a page says that a command prints."""
    _, found, behind = page.partition(f"\n$ {command}\n")
    assert found, command
    return behind.partition("```")[0]


def assert_prints(shown: str, printed: str) -> None:
    """Line by line; where dots stand alone, lines are left out."""
    lines = iter(printed.splitlines())
    for part in re.split(r"^\.\.\.\n", shown, flags=re.M):
        if not part:
            continue
        first, *rest = part.splitlines()
        assert first in lines, first  # looks on until it is found
        for expected in rest:
            assert next(lines) == expected


def test_the_official_scorer(
    ran: Path, official_code: object, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ran)
    command = "data/predictions.json --arms vector path"
    # Named, because the script looks for them in its own tree.
    score_official.main([*command.split(), "--scores", str(paths.SCORES)])
    page = ROOT.joinpath("docs/reading.md").read_text(encoding="utf-8")
    assert_prints(example(page, f"python scripts/score_official.py {command}"), capsys.readouterr().out)


CONVERSATIONS = ROOT.joinpath("docs/conversations.md").read_text(encoding="utf-8")


def test_what_the_check_says_of_the_dataset(
    ran: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ran)
    main(["check", str(paths.DATASET)])
    assert example(CONVERSATIONS, f"locomo check {paths.DATASET}") == capsys.readouterr().out


def test_the_example_of_the_format_is_right(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (talks,) = re.findall(r"^```json\n(.*?)^```$", CONVERSATIONS, re.M | re.S)
    path = tmp_path / "talks.json"
    path.write_text(talks, encoding="utf-8")
    main(["check", str(path)])
    assert "1 conversation, 1 session, 2 turns, 2 questions" in (said := capsys.readouterr().out)
    assert said.endswith("Nothing is wrong: the stages read this file.\n")


EXAMPLES = [("mine.csv", "csv"), ("mem0.json", "json")]
"""The files of the page, and in which block it shows them."""


@pytest.mark.parametrize(
    ("name", "kind", "command"),
    [
        (name, kind, command)
        for name, kind in EXAMPLES
        for command in re.findall(rf"^\$ (locomo score {re.escape(name)} .*)$", ANSWERS, re.M)
    ],
)
def test_the_files_of_three_answers(
    name: str,
    kind: str,
    command: str,
    demo_run: DemoRun,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (answers,) = re.findall(rf"^```{kind}\n(.*?)^```$", ANSWERS, re.M | re.S)
    path = tmp_path / name
    path.write_text(answers, encoding="utf-8")
    monkeypatch.chdir(demo_run.folder)
    _, score, _, *options = command.split()
    main([score, str(path), *options])
    assert_prints(example(ANSWERS, command), capsys.readouterr().out.replace(str(path), name))


def test_a_file_with_three_faults(
    ran: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What `graph` answered: no adversarial question, one failed call, two categories exchanged."""
    records: list[dict[str, Any]] = [
        {
            "sample_id": sample["sample_id"],
            "question": asked["question"],
            "category": {1: 4, 4: 1}.get(asked["category"], asked["category"]),
            "prediction": asked["graph_prediction"],
            "context": asked["graph_prediction_context"],
        }
        for sample in json.loads((ran / paths.PREDICTIONS).read_bytes())
        for asked in sample["qa"]
        if asked["category"] != 5
    ]
    records[0] |= {"prediction": None, "error": "timeout"}
    path = tmp_path / "mine.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    monkeypatch.chdir(ran)
    main(["score", str(path), "--against", "vector", "graph"])
    printed = capsys.readouterr().out.replace(str(path), path.name)
    assert_prints(example(ANSWERS, "locomo score mine.jsonl --against vector graph"), printed)


def test_the_api(demo_run: DemoRun, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(demo_run.folder)
    found = doctest.testfile(str(ROOT / "docs/api.md"), module_relative=False, encoding="utf-8")
    assert found.attempted and not found.failed


# ---- the notebook


@pytest.fixture(scope="module")
def notebook() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(ROOT.joinpath("docs/notebook.ipynb").read_bytes())
    return found


def test_the_notebook_is_one_and_has_no_outputs(notebook: dict[str, Any]) -> None:
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    assert notebook["metadata"]["kernelspec"]["language"] == "python"
    assert len({cell["id"] for cell in notebook["cells"]}) == len(notebook["cells"])
    for cell in notebook["cells"]:
        wanted = {"cell_type", "id", "metadata", "source"}
        if cell["cell_type"] == "code":
            wanted |= {"execution_count", "outputs"}
            assert cell["outputs"] == [] and cell["execution_count"] is None
        assert cell.keys() == wanted


def test_the_cells_of_the_notebook_run_in_order(
    notebook: dict[str, Any], demo_run: DemoRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(demo_run.folder)
    monkeypatch.syspath_prepend(demo_run.folder / "src")  # so that what a cell puts there goes again
    names: dict[str, Any] = {}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), cell["id"], "exec"), names)
    assert len(names["differ"]) and set(names["scored"].status) == {"scored"}

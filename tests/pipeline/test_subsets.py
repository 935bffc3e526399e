"""Any arms run alone through all stages, over any questions, and the report speaks of nothing else."""

import json
import re
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from helpers.shared import ROOT
from helpers.stages import BESIDE, change, project, run
from locomo.answer.arms import ARMS, MEMORIES
from locomo.report import results

WORDS = {"graph", "path", "span"}
"""Names of arms that the report also uses as words, the last as the name of a setting."""


@pytest.fixture(scope="module")
def demonstration() -> list[dict[str, Any]]:
    samples: list[dict[str, Any]] = json.loads((ROOT / "demo/conversations.json").read_bytes())
    return samples


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, demonstration: list[dict[str, Any]]) -> Path:
    """The demonstration set after stages fetch and build; copy it."""
    return project(tmp_path_factory.mktemp("made"), demonstration)


@pytest.fixture(autouse=True)
def _with_an_example(monkeypatch: pytest.MonkeyPatch, demonstration: list[dict[str, Any]]) -> None:
    """The demonstration set does not have the question that the report shows."""
    example = next(question for question in demonstration[0]["qa"] if question["category"] == 5)
    monkeypatch.setattr(results, "EXAMPLE", example["question"])


@pytest.mark.parametrize("arm", [*ARMS, "bm25"])
def test_every_arm_alone(made: Path, tmp_path: Path, arm: str) -> None:
    if arm == "bm25":
        pytest.importorskip("bm25s")
    folder = shutil.copytree(made, tmp_path / "project")
    assert "## One question" in assert_speaks_of(folder, [arm])
    assert not (folder / "reports/figures/paired.svg").exists()


@pytest.mark.parametrize(
    "arms",
    [
        ["vector", "span"],  # of the four cells only two, which share a row
        ["scoped", "span"],  # two that differ in both factors: no effect
        ["oracle", "bm25"],
        ["vector", "oracle", "walk2", "bm25+edge"],
        ["graph+set", "path3"],
    ],
    ids=" ".join,
)
def test_some_arms(made: Path, tmp_path: Path, arms: list[str]) -> None:
    pytest.importorskip("bm25s")
    assert_speaks_of(shutil.copytree(made, tmp_path / "project"), arms)


@pytest.mark.parametrize("asked", [{1, 2, 3, 4}, {5}], ids=["answerable", "adversarial"])
def test_one_half_of_the_questions_of_one_conversation(
    tmp_path: Path, demonstration: list[dict[str, Any]], asked: set[int]
) -> None:
    pytest.importorskip("bm25s")
    sample = demonstration[0]
    questions = [question for question in sample["qa"] if question["category"] in asked]
    text = assert_speaks_of(project(tmp_path, [sample | {"qa": questions}]), ["graph", "path", "bm25"])
    assert "95% interval −" not in text and "95% interval +" not in text
    assert "## Separating answerable" not in text


def assert_speaks_of(folder: Path, arms: list[str]) -> str:
    """Run the arms, and check that report and page name each of them and no other; the report."""
    change(folder, arms=arms)
    run(folder, *BESIDE)
    text = (folder / "reports/report.md").read_text(encoding="utf-8")
    page = (folder / "reports/index.html").read_text(encoding="utf-8")
    tables = re.findall(r"(?:^\|.*\n)+", text, re.M)
    assert all(table.count("\n") > 2 for table in tables), "a table without rows"
    assert "<tbody>\n</tbody>" not in page

    first_cells = [line.split("|")[1].strip() for table in tables for line in table.splitlines()[2:]]
    quoted = re.findall(r"`([^`]+)`", text) + re.findall(r"<code>([^<]+)</code>", page)
    drawn = re.findall(r'id="arm:\w+(?:-\w+)?:([^:]+):', page) + re.findall(r'data-arms="([^"]+)"', page)
    named = set(parts(first_cells)) | set(parts(quoted)) | set(parts(drawn))
    may = {*arms, *(arm.partition("+")[0] for arm in arms)}
    assert set(arms) <= named
    assert not named & {*ARMS, *MEMORIES, "bm25"} - may
    for arm in {*ARMS, "bm25"} - WORDS - may:
        for written in (text, page):
            # A word of its own, and not the start of an arm with a reader or the end of a file's name.
            assert not re.search(rf"(?<![\w/-]){re.escape(arm)}(?![\w+-])", written), arm
    return text


def parts(names: Iterable[str]) -> list[str]:
    """The arms in "a - b", "a,b" and "a b"."""
    return [part for name in names for part in re.split(r" - |, ?| ", name)]

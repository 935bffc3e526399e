"""The report: it shows the published figures, and is the same each time."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

from helpers.shared import FIGURES, ROOT
from locomo.answer.arms import ARMS

REPORT = ROOT / "reports" / "report.md"
FIGURE_FILES = ("categories.svg", "paired.svg", "roc.svg", "trade-off.svg")


@pytest.fixture(scope="module")
def text() -> str:
    return REPORT.read_text(encoding="utf-8")


def table(text: str, caption: str) -> dict[str, list[str]]:
    """The rows of the Markdown table under a caption, by their first cell; the header under ""."""
    _, _, behind = text.partition(caption)
    assert behind, caption
    lines = re.search(r"(?:^\|.*\n)+", behind, re.M)
    assert lines
    header, _, *body = (
        [cell.strip() for cell in line.strip("|").split("|")] for line in lines[0].splitlines()
    )
    return {"": header[1:]} | {row[0]: row[1:] for row in body}


@pytest.mark.parametrize(
    ("caption", "measure"),
    [("**F1:", "f1"), ("**Recall:", "recall"), ("**Quiet:", "quiet")],
)
def test_the_main_table_is_the_published_one(text: str, caption: str, measure: str) -> None:
    rows = table(text, caption)
    columns = [name.removesuffix(" (arithmetic)").replace(" ", "_") for name in rows[""]]
    # Silence was published in whole percent.
    within = 0.0055 if measure == "quiet" else 0
    for arm, published in FIGURES["tables"]["main"].items():
        found = dict(zip(columns, rows[arm], strict=True))
        for column, figures in published.items():
            assert abs(float(found[column]) - figures[measure]) <= within, (arm, column)
    assert [arm for arm in rows if arm in ARMS] == list(ARMS)


def test_the_abstention_row_stands_in_the_main_table(text: str) -> None:
    rows = table(text, "**F1:")
    columns = [name.removesuffix(" (arithmetic)").replace(" ", "_") for name in rows[""]]
    found = dict(zip(columns, map(float, rows["always declines"]), strict=True))
    assert found == FIGURES["constant_abstention"]
    assert rows[""][-1] == "overall (arithmetic)"


def test_the_effects_of_the_two_factors(text: str) -> None:
    rows = table(text, "**Effects on F1")
    found = {name.replace(" ", "_"): float(cells[0]) for name, cells in rows.items() if name}
    assert found == FIGURES["factor_effects_on_adversarial_f1"]


def test_paired_differences(text: str) -> None:
    rows = table(text, "<summary>Every two arms")
    for pair, halves in FIGURES["paired"].items():
        assert [float(cell) for cell in rows[pair]] == [*halves["answerable"], *halves["adversarial"]], pair


def test_the_worked_example(text: str) -> None:
    """What tables.json says of its example: the only text of the dataset that may stand here."""
    rows = table(text, "**Replies and cited turns**")
    assert rows["vector"] == ["yoga get little extra", "D20:2, D20:4, D7:16, D19:1, D19:6"]
    assert rows["graph"] == ["No information available", "D7:16, D9:9, D18:9, D6:4, D18:13"]
    assert rows["oracle"] == ["yoga get little extra", "D20:2"]
    assert "conv-43: “What is Tim trying out to improve his strength and flexibility after" in text


def test_signature_hash_and_a_command_behind_every_table(text: str) -> None:
    assert "79fa87e90f04081343b8c8debecb80a9a6842b76a7aa537dc9fdf651ea698ff4" in text
    tables = re.findall(r"(?:^\|.*\n)+", text, re.M)
    sources = re.findall(r"^`dvc ([^`]+)`, `locomo-bench:[^`]+`$", text, re.M)
    assert len(sources) == len(tables) + len(FIGURE_FILES) > 20
    stages = yaml.safe_load((ROOT / "dvc.yaml").read_text(encoding="utf-8"))["stages"]
    for source in set(sources):
        action, *targets = source.split()
        assert (action == "repro" and set(targets) <= set(stages)) or (
            action == "metrics"
            and targets[0] == "show"
            and all((ROOT / path).is_dir() for path in targets[1:])
        ), source


def test_a_sweep_is_signed_with_its_own_settings(text: str) -> None:
    folded = re.findall(r"<summary>(\w+): .*?</details>", text, re.S)
    assert set(folded) == {"floor", "k", "span", "band", "parts"}
    for setting in folded:
        (signature,) = set(re.findall(rf"<summary>{setting}: .*?, `(locomo-bench[^`]+)`", text, re.S))
        assert f"|{setting}:*|" in signature


def test_floors_of_matched_silence_that_are_no_swept_floor_are_marked(text: str) -> None:
    swept = {float(value) for value in FIGURES["sweep_floor"]["graph"]}
    floors = [cells[0] for arm, cells in table(text, "**Every arm, equally quiet**").items() if arm]
    assert "0.300" in floors  # the arm the others are matched with, at the base's floor
    for floor in floors:
        assert floor.endswith("*") == (float(floor.rstrip("*")) not in swept)


@pytest.mark.parametrize("name", FIGURE_FILES)
def test_figures_are_drawings_with_a_size_and_nothing_from_elsewhere(name: str) -> None:
    path = ROOT / "reports" / "figures" / name
    root = ElementTree.parse(path).getroot()
    assert root.tag.endswith("svg")
    assert all(float(root.attrib[side].removesuffix("pt")) > 200 for side in ("width", "height"))
    references = re.findall(r'(?:href|src)="([^"]+)"', path.read_text(encoding="utf-8"))
    assert all(reference.startswith("#") for reference in references)


@pytest.fixture(scope="module")
def made(dataset_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with the committed metrics and sweeps, and the data that the last `dvc repro` made."""
    needed = ("data/predictions.json", "data/marks.csv")
    if missing := [name for name in needed if not (ROOT / name).exists()]:
        pytest.skip(f"no {' and no '.join(missing)}: `dvc repro` makes them")
    folder = tmp_path_factory.mktemp("report")
    shutil.copytree(ROOT / "metrics", folder / "metrics")
    shutil.copytree(ROOT / "reports/sweeps", folder / "reports/sweeps")
    shutil.copy2(ROOT / "params.yaml", folder)
    (folder / "data").mkdir()
    shutil.copy2(dataset_path, folder / "data/locomo10.json")
    for name in needed:
        shutil.copy2(ROOT / name, folder / name)
    yield folder


def make_report(folder: Path, **environment: str) -> None:
    command = [sys.executable, str(ROOT / "src/report.py")]
    subprocess.run(command, cwd=folder, env=os.environ | environment, check=True)


def test_the_same_bytes_as_committed_whatever_the_environment(made: Path) -> None:
    make_report(made, PYTHONHASHSEED="7", TZ="Asia/Tokyo", LC_ALL="C")
    names = [
        "report.md",
        "index.html",
        "categories.csv",
        "matched.csv",
        *(f"figures/{name}" for name in FIGURE_FILES),
    ]
    for name in names:
        assert (made / "reports" / name).read_bytes() == (ROOT / "reports" / name).read_bytes(), name

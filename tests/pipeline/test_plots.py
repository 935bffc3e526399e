"""The plots that DVC draws itself: a series an arm, from the published figures, in the arm's own colour."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from helpers.shared import FIGURES, ROOT
from locomo.answer.arms import ARMS
from locomo.report.style import style


def dvc(*arguments: str) -> str:
    command = [str(Path(sys.executable).parent / "dvc"), *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


@pytest.fixture(scope="module")
def plots() -> dict[str, Any]:
    found = json.loads(dvc("plots", "show", "--json"))
    assert not found.get("errors")
    return {name: plot[0]["content"] for name, plot in found["data"].items()}


@pytest.mark.parametrize("name", ["trade-off", "categories"])
def test_a_series_an_arm(plots: dict[str, Any], name: str) -> None:
    content = plots[name]
    assert content["encoding"]["color"]["field"] == "arm"
    assert {row["arm"] for row in content["data"]["values"]} == set(ARMS)
    assert "<DVC" not in json.dumps(content)


def test_the_trade_off_is_drawn_from_the_published_sweep(plots: dict[str, Any]) -> None:
    encoding = plots["trade-off"]["encoding"]
    x, y = encoding["x"]["field"], encoding["y"]["field"]
    assert (x, y) == ("answerable", "adversarial")
    assert plots["trade-off"]["layer"][0]["encoding"]["order"]["field"] == "floor"
    found = {(row["arm"], float(row["floor"])): row for row in plots["trade-off"]["data"]["values"]}
    for arm, values in FIGURES["sweep_floor"].items():
        for floor, figures in values.items():
            row = found[arm, float(floor)]
            assert round(float(row[x]), 3) == figures["answerable"]
            assert round(float(row[y]), 3) == figures["adversarial"]


def test_categories_are_drawn_from_the_published_table(plots: dict[str, Any]) -> None:
    found = {(row["arm"], row["category"]): row for row in plots["categories"]["data"]["values"]}
    for arm, columns in FIGURES["tables"]["main"].items():
        for column, figures in columns.items():
            assert round(float(found[arm, column]["f1"]), 3) == figures["f1"]


@pytest.mark.parametrize("name", ["trade-off", "categories"])
def test_an_arm_has_the_colour_it_has_everywhere(plots: dict[str, Any], name: str) -> None:
    scale = plots[name]["encoding"]["color"]["scale"]
    colours = dict(zip(scale["domain"], scale["range"], strict=True))
    assert len(colours) == 15
    assert colours == {arm: style(arm).colour for arm in colours}


def test_two_revisions_in_one_plot() -> None:
    found = json.loads(dvc("plots", "diff", "HEAD", "--json"))
    plot = found["data"]["trade-off"][0]
    assert plot["content"]["layer"][0]["encoding"]["strokeDash"]["field"] == "rev"
    rows = plot["content"]["data"]["values"]
    assert {row["rev"] for row in rows} == set(plot["revisions"]) == {"workspace", "HEAD"}
    assert {row["arm"] for row in rows if row["rev"] == "HEAD"} == set(ARMS)

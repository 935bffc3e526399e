"""The plots that DVC draws itself: a series an arm, in the arm's own colour, from the run's own tables."""

import json
from typing import Any

import pytest

from helpers.clones import DemoRun
from locomo.answer.arms import ARMS
from locomo.report.style import style


@pytest.fixture(scope="module")
def plots(demo_run: DemoRun) -> dict[str, Any]:
    """Both plots, with two revisions in each, of which the older is the working tree before its run."""
    found = json.loads(demo_run.run("dvc", "plots", "diff", "HEAD~1", "--json"))
    assert not found.get("errors")
    return {name: plot[0] for name, plot in found["data"].items()}


def drawn(plots: dict[str, Any], name: str) -> list[dict[str, str]]:
    """The rows of the demonstration set."""
    return [row for row in plots[name]["content"]["data"]["values"] if row["rev"] == "workspace"]


@pytest.mark.parametrize("name", ["trade-off", "categories"])
def test_a_series_an_arm(plots: dict[str, Any], name: str) -> None:
    content = plots[name]["content"]
    assert content["encoding"]["color"]["field"] == "arm"
    assert {row["arm"] for row in drawn(plots, name)} == set(ARMS)
    assert "<DVC" not in json.dumps(content)


def test_the_trade_off_runs_along_the_floor(plots: dict[str, Any], demo_run: DemoRun) -> None:
    encoding = plots["trade-off"]["content"]["encoding"]
    x, y = encoding["x"]["field"], encoding["y"]["field"]
    assert (x, y) == ("answerable", "adversarial")
    assert plots["trade-off"]["content"]["layer"][0]["encoding"]["order"]["field"] == "floor"
    points = {(row["arm"], float(row["floor"])): row for row in drawn(plots, "trade-off")}
    assert len(points) == 15 * 8
    for arm, row in demo_run.table("f1").items():
        point = points[arm, 0.3]  # the floor of the run
        assert (float(point[x]), float(point[y])) == (row["answerable"], row["adversarial"])


def test_categories_are_drawn_from_the_tables(plots: dict[str, Any], demo_run: DemoRun) -> None:
    found = {(row["arm"], row["category"]): float(row["f1"]) for row in drawn(plots, "categories")}
    table = demo_run.table("f1")
    assert found == {(arm, column): figure for arm in table for column, figure in table[arm].items()}


@pytest.mark.parametrize("name", ["trade-off", "categories"])
def test_an_arm_has_the_colour_it_has_everywhere(plots: dict[str, Any], name: str) -> None:
    scale = plots[name]["content"]["encoding"]["color"]["scale"]
    colours = dict(zip(scale["domain"], scale["range"], strict=True))
    assert colours == {arm: style(arm).colour for arm in ARMS}


def test_two_revisions_in_one_plot(plots: dict[str, Any]) -> None:
    plot = plots["trade-off"]
    assert plot["content"]["layer"][0]["encoding"]["strokeDash"]["field"] == "rev"
    revisions = {row["rev"] for row in plot["content"]["data"]["values"]}
    assert revisions == set(plot["revisions"]) == {"workspace", "HEAD~1"}

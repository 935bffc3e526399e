"""The sweeps: every published cell, and that a point of a sweep is the same point run alone."""

from typing import Any

import pytest

from helpers.shared import FIGURES, ROOT, Benchmark
from locomo.answer.arms import ARMS
from locomo.core.settings import load
from locomo.study.sweep import Point, points, rows, sweep

SETTINGS = ("floor", "k", "span", "band", "parts")
DECIMALS = {"answerable": 3, "adversarial": 3, "overall": 3, "abstained": 2}
# Arms, values and columns of each published sweep, counted by hand in the tables.
CELLS = {"floor": 4 * 8 * 4, "k": 4 * 6 * 4, "span": 4 * 7 * 4, "band": 4 * 6 * 4, "parts": 4 * 4 * 4}
Means = dict[str, float | None]


@pytest.fixture(scope="module")
def every_point() -> list[Point]:
    sweeps = load(ROOT / "params.yaml").sweep
    return points(sweeps.base, sweeps.values)


@pytest.fixture(scope="module")
def swept(benchmark: Benchmark, every_point: list[Point]) -> dict[tuple[str, float, str], Means]:
    """The means by setting, value and arm."""
    pairs = zip(benchmark.conversations, benchmark.stores, strict=True)
    table = rows(every_point, ARMS, (sweep(*pair, ARMS, every_point) for pair in pairs))
    return {(point.setting, point.value, arm): means for point, arm, means in table}


@pytest.mark.parametrize("setting", SETTINGS)
def test_every_cell_of_the_published_sweeps(swept: dict[tuple[str, float, str], Means], setting: str) -> None:
    published = {
        (arm, value, column.replace("quiet", "abstained")): figure
        for arm, values in FIGURES[f"sweep_{setting}"].items()
        for value, columns in values.items()
        for column, figure in columns.items()
    }
    assert len(published) == CELLS[setting]
    found = {
        (arm, value, column): _rounded(swept[setting, float(value), arm], column)
        for arm, value, column in published
    }
    assert found == published


def test_how_little_reading_changes_the_overall_mean_of_graph(
    swept: dict[tuple[str, float, str], Means],
) -> None:
    for setting, published in FIGURES["sweep_ranges_graph_overall"].items():
        found = [
            _rounded(means, "overall")
            for (s, _, arm), means in swept.items()
            if (s, arm) == (setting, "graph")
        ]
        assert [min(found), max(found)] == published


@pytest.mark.parametrize("changed", [{"floor": 0.4}, {"k": 20}, {"band": 0.5}, {"parts": 4}, {"k": 1}])
def test_a_point_of_a_sweep_is_that_point_run_alone(
    swept: dict[tuple[str, float, str], Means], benchmark: Benchmark, changed: dict[str, Any]
) -> None:
    ((setting, value),) = changed.items()
    alone = benchmark.tables(benchmark.answers(**changed))
    for arm in ARMS:
        expected = {column: alone["f1"][arm][column] for column in ("answerable", "adversarial", "overall")}
        expected["abstained"] = alone["abstained"][arm]["overall"]
        assert swept[setting, value, arm] == expected, arm


def _rounded(means: Means, column: str) -> float:
    figure = means[column]
    assert figure is not None
    return round(figure, DECIMALS[column])

"""Figures, as SVG: what people would rather look at than read."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from locomo.dataset import REPORT_ORDER
from locomo.report.style import style
from locomo.score import Table

# Nothing of the day or of chance in the file; text as shapes, so that it looks alike everywhere.
_LOOKS: dict[Any, object] = {
    "svg.hashsalt": "locomo-bench",
    "svg.fonttype": "path",
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e5e5e5",
    "legend.frameon": False,
}


@contextmanager
def _drawing(path: Path, width: float, height: float) -> Iterator[Figure]:
    """A figure of so many inches, written to `path` at the end."""
    with mpl.rc_context(_LOOKS):
        figure = Figure(figsize=(width, height), layout="constrained")
        yield figure
        figure.savefig(path, metadata={"Date": None, "Creator": None})


def trade_off(path: Path, floors: Sequence[Mapping[str, Any]], abstention: Mapping[str, float]) -> None:
    """F1 on adversarial against F1 on answerable questions along the floor, one curve an arm.

    `floors` are the rows of the floor's sweep, `abstention` the marks of a program that always declines.
    """
    with _drawing(path, 8, 5.5) as figure:
        axes = figure.subplots()
        for arm in dict.fromkeys(row["arm"] for row in floors):
            curve = [row for row in floors if row["arm"] == arm]
            looks = style(arm)
            axes.plot(
                [row["answerable"] for row in curve],
                [row["adversarial"] for row in curve],
                color=looks.colour,
                linestyle=looks.line,
                marker=looks.marker,
                markersize=4,
                label=arm,
            )
        axes.plot(
            abstention["answerable"], abstention["adversarial"], "k*", markersize=11, label="always declines"
        )
        axes.set(
            title="What declining more often buys, and what it costs",
            xlabel="mean F1 on answerable questions (0 to 1)",
            ylabel="mean F1 on adversarial questions (0 to 1)",
            xlim=(0, None),
            ylim=(0, 1.03),
        )
        figure.legend(loc="outside right upper", title="arm")


def categories(path: Path, f1: Table, recall: Table) -> None:
    """F1 (filled) and recall (hollow) of each arm, a panel a category."""
    arms = list(f1)
    with _drawing(path, 11, 1.2 + 0.24 * len(arms)) as figure:
        panels = figure.subplots(1, len(REPORT_ORDER), sharex=True, sharey=True)
        for axes, category in zip(panels, REPORT_ORDER, strict=True):
            for place, arm in enumerate(arms):
                looks = style(arm)
                mark, found = f1[arm][category.label], recall[arm][category.label]
                axes.plot(
                    found, place, looks.marker, color=looks.colour, markerfacecolor="white", markersize=6
                )
                axes.plot(mark, place, looks.marker, color=looks.colour, markersize=6)
            axes.set(title=category.label.replace("_", " "), xlim=(-0.04, 1.04), xlabel="mean (0 to 1)")
        panels[0].set(yticks=range(len(arms)), yticklabels=arms)
        panels[0].invert_yaxis()
        figure.suptitle("F1 (filled) and recall of the evidence (hollow), by category")

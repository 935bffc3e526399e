"""The figures of the report, as SVG."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from textwrap import fill
from typing import Any

import matplotlib as mpl
from matplotlib.artist import Artist
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Text

from locomo.answer.arms import ordered
from locomo.formats.dataset import REPORT_ORDER
from locomo.report.style import style
from locomo.score.averages import Table
from locomo.statistics.halves import HALVES
from locomo.statistics.separation import roc_curve

# No dates or random ids in the file; text as shapes, so that it looks the same everywhere.
LOOKS: dict[Any, object] = {
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
def _drawing(path: Path, width: float, height: float, arms: Iterable[str]) -> Iterator[Figure]:
    """A figure about these arms, `width` by `height` inches, written to `path` at the end."""
    with mpl.rc_context(LOOKS):
        figure = Figure(figsize=(width, height), layout="constrained")
        yield figure
        figure.draw_without_rendering()
        figure.set_layout_engine("none")  # the layout is done; a second one takes most of the time
        _name_arms(figure, path.stem, frozenset(arms))
        figure.savefig(path, metadata={"Date": None, "Creator": None})


def _name_arms(figure: Figure, name: str, known: frozenset[str]) -> None:
    """Give each element of an arm the id `arm:<figure>:<arm>:<number>`, with which the page can hide it.

    Lines are found by their label, texts (of ticks and legends) by their content; several arms that share a
    line are separated by commas.
    """
    labelled: list[tuple[Artist, str]] = [(line, str(line.get_label())) for line in figure.findobj(Line2D)]
    labelled += [(text, text.get_text()) for text in figure.findobj(Text)]
    for legend in figure.legends:
        for handle, text in zip(legend.legend_handles, legend.get_texts(), strict=True):
            if handle is not None:
                labelled.append((handle, text.get_text()))
    for number, (artist, label) in enumerate(labelled):
        arms = label.replace("\n", " ").split(" − ")[0].split(", ")
        if known.issuperset(arms):
            artist.set_gid(f"arm:{name}:{','.join(arms)}:{number}")


def trade_off(
    path: Path, floors: Sequence[Mapping[str, Any]], abstention: Mapping[str, float | None]
) -> None:
    """F1 on adversarial against F1 on answerable questions along the floor, one curve an arm.

    `floors` are the rows of the floor's sweep, `abstention` the F1 of a program that always abstains.
    """
    arms = dict.fromkeys(row["arm"] for row in floors)
    with _drawing(path, 8, 5.5, arms) as figure:
        axes = figure.subplots()
        for arm in arms:
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
        abstaining: list[Any] = [[abstention[half]] for half in HALVES]
        axes.plot(*abstaining, "k*", markersize=11, label="always abstains")
        axes.set(
            title="What abstaining more often buys, and what it costs",
            xlabel="mean F1 on answerable questions (0 to 1)",
            ylabel="mean F1 on adversarial questions (0 to 1)",
            xlim=(0, None),
            ylim=(0, 1.03),
        )
        figure.legend(loc="outside right upper", title="arm")


def categories(path: Path, f1: Table, recall: Table) -> None:
    """F1 (filled) and recall (hollow) of each arm, one panel per category."""
    arms = list(f1)
    with _drawing(path, 11, 1.2 + 0.24 * len(arms), arms) as figure:
        panels = figure.subplots(1, len(REPORT_ORDER), sharex=True, sharey=True)
        for axes, category in zip(panels, REPORT_ORDER, strict=True):
            for place, arm in enumerate(arms):
                looks = style(arm)
                # Lists, because matplotlib leaves out a None in a list.
                scored, found = [f1[arm][category.label]], [recall[arm][category.label]]
                dot = {"color": looks.colour, "markersize": 6, "label": arm}
                axes.plot(found, [place], looks.marker, markerfacecolor="white", **dot)
                axes.plot(scored, [place], looks.marker, **dot)
            axes.set(title=category.label.replace("_", " "), xlim=(-0.04, 1.04), xlabel="mean (0 to 1)")
        panels[0].set(yticks=range(len(arms)), yticklabels=arms)
        panels[0].invert_yaxis()
        figure.suptitle("F1 (filled) and recall of the evidence (hollow), by category")


def roc(path: Path, confidences: Mapping[str, tuple[Sequence[float], Sequence[float]]]) -> None:
    """The ROC of the confidence, answerable questions as positives; arms of one memory share a curve."""
    shared: dict[tuple[tuple[float, ...], ...], list[str]] = {}
    for arm, halves in confidences.items():
        shared.setdefault(tuple(map(tuple, halves)), []).append(arm)
    with _drawing(path, 8, 5.5, confidences) as figure:
        axes = figure.subplots()
        axes.plot([0, 1], [0, 1], color="#999999", linewidth=0.8, label="chance")
        for (answerable, adversarial), arms in shared.items():
            if answerable and adversarial:
                adversarial_share, answerable_share = roc_curve(answerable, adversarial)
                label = fill(", ".join(arms), 40, break_long_words=False, break_on_hyphens=False)
                axes.plot(adversarial_share, answerable_share, color=style(arms[0]).colour, label=label)
        axes.set(
            title="Does confidence tell answerable from adversarial?",
            xlabel="adversarial questions at or above a confidence (share)",
            ylabel="answerable questions at or above it (share)",
            xlim=(0, 1),
            ylim=(0, 1),
        )
        figure.legend(loc="outside right upper", title="memory of")


def forest(path: Path, pairs: Mapping[str, Mapping[str, Mapping[str, float | None]]], reference: str) -> None:
    """Each arm less the reference: the paired difference in F1 and its 95% interval, one panel per half."""
    against = _against(pairs, reference)
    with _drawing(path, 9, 1.4 + 0.24 * len(against), [*against, reference]) as figure:
        panels = figure.subplots(1, len(HALVES), sharey=True)
        for axes, half in zip(panels, HALVES, strict=True):
            axes.axvline(0, color="#999999", linewidth=0.8)
            for place, (arm, halves) in enumerate(against.items()):
                found, looks = halves[half], style(arm)
                if found["difference"] is not None:
                    axes.plot(found["difference"], place, looks.marker, color=looks.colour, label=arm)
                if found["low"] is not None:
                    axes.plot([found["low"], found["high"]], [place, place], color=looks.colour, label=arm)
            axes.set(title=half, xlabel="difference in mean F1, 95% interval")
        panels[0].set(yticks=range(len(against)), yticklabels=[f"{arm} − {reference}" for arm in against])
        panels[0].invert_yaxis()
        figure.suptitle(f"Every arm against {reference}, paired by question, resampled by conversation")


def _against(
    pairs: Mapping[str, Mapping[str, Mapping[str, float | None]]], reference: str
) -> dict[str, dict[str, dict[str, float | None]]]:
    """The pairs with the reference, with the sign that subtracts it."""
    found = {}
    for pair, halves in pairs.items():
        first, second = pair.split(" - ")
        if second == reference:
            found[first] = {half: dict(values) for half, values in halves.items()}
        elif first == reference:
            found[second] = {half: _turned(values) for half, values in halves.items()}
    return {arm: found[arm] for arm in ordered(found)}


def _turned(values: Mapping[str, float | None]) -> dict[str, float | None]:
    difference, low, high = (
        None if v is None else -v for v in (values["difference"], values["high"], values["low"])
    )
    return {"difference": difference, "low": low, "high": high}

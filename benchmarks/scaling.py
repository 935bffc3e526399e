"""How cost grows with size: `build` and `answer` on invented conversations, more of them and longer ones.

Writes `scaling.json` and `scaling.svg`, and prints the exponents: doubling the size costs 2 ** exponent
times as much. The least work on the same files is measured too: it separates growth of the files from growth
of the method.

usage: python benchmarks/scaling.py [--conversations 10 40 160] [--turns 600 6000 60000]
"""

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tabulate import tabulate
from tqdm import tqdm

from measure import HERE, Cost, stage_cost

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROOT = HERE.parent
SCRIPTS = {
    "least work": HERE / "least_work.py",
    "build": ROOT / "src/build.py",
    "answer": ROOT / "src/answer.py",
}
# What is drawn and fitted, and for which scripts.
MEASURES = {
    "work": ("CPU seconds of work", tuple(SCRIPTS)),
    "memory": ("peak memory (MiB)", tuple(SCRIPTS)),
    "question": ("CPU µs of work a question", ("answer",)),
}
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Size:
    """The size of a file: conversations, and turns and questions of each; `along` names what varies."""

    along: str
    conversations: int
    turns: int
    questions: int

    @property
    def varied(self) -> int:
        """What the cost is drawn against."""
        return self.conversations if self.along == "conversations" else self.turns


def sizes(conversations: Sequence[int], turns: Sequence[int], questions: int) -> list[Size]:
    """First more conversations, all of the shortest length; then single conversations, ever longer."""
    more = [Size("conversations", number, min(turns), questions) for number in conversations]
    return more + [Size("turns", 1, length, questions) for length in turns]


def measure(size: Size, seed: int) -> dict[str, Cost]:
    """The cost of each script, run in a folder of its own on a file of that size."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        params = (ROOT / "params.yaml").read_text(encoding="utf-8")
        (folder / "params.yaml").write_text(params.replace("data/none", "talks.json"), encoding="utf-8")
        make = [sys.executable, str(HERE / "synthetic.py"), "--seed", str(seed)]
        for option in ("conversations", "turns", "questions"):
            make += [f"--{option}", str(getattr(size, option))]
        # Not in this process: its memory would count for the stages that it starts.
        subprocess.run([*make, str(folder / "talks.json")], check=True)
        for stage in ("fetch", "arms"):
            script = [sys.executable, str(ROOT / f"src/{stage}.py")]
            subprocess.run(script, cwd=folder, stdout=subprocess.DEVNULL, check=True)
        return {script: stage_cost(path, folder, os.environ) for script, path in SCRIPTS.items()}


def row(size: Size, script: str, costs: Sequence[Cost]) -> Row:
    """One point of the curves: the medians of several runs."""
    work = statistics.median(cost.work for cost in costs)
    question = work / (size.conversations * size.questions) * 1e6
    return {
        "along": size.along,
        "size": size.varied,
        "script": script,
        "work": round(work, 3),
        "memory": round(statistics.median(cost.memory for cost in costs), 1),
        "question": round(question, 1),
        "question and turn": round(question / size.turns, 3),
    }


def exponent(points: Sequence[tuple[float, float]]) -> float | None:
    """The p of y = c * x ** p by least squares of the logarithms; None for fewer than two sizes."""
    if len({x for x, _ in points}) < 2:
        return None
    return statistics.linear_regression(
        *([math.log(v) for v in axis] for axis in zip(*points, strict=True))
    ).slope


def fit(rows: Sequence[Row]) -> list[Row]:
    """The exponent of each measure, for every script along what varies."""
    found = []
    for along, script in dict.fromkeys((row["along"], row["script"]) for row in rows):
        slopes = {
            name: exponent([(row["size"], row[name]) for row in curve(rows, along, script)])
            for name, (_, scripts) in MEASURES.items()
            if script in scripts
        }
        rounded = {name: None if slope is None else round(slope, 2) for name, slope in slopes.items()}
        found.append({"along": along, "script": script, **rounded})
    return found


def curve(rows: Sequence[Row], along: str, script: str) -> list[Row]:
    """The rows of one script, along what varies."""
    return [row for row in rows if (row["along"], row["script"]) == (along, script)]


def draw(path: Path, rows: Sequence[Row], fits: Sequence[Row]) -> None:
    """Every measure against size, both axes in powers of ten; a row of panels for what varies."""
    # Imported here, not above: see `measure`.
    import matplotlib as mpl
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    sys.path.insert(0, str(ROOT / "src"))
    from locomo.report.figures import LOOKS

    with mpl.rc_context(LOOKS):
        figure = Figure(figsize=(11, 6.5), layout="constrained")
        for panels, along in zip(figure.subplots(2, len(MEASURES)), ("conversations", "turns"), strict=True):
            for axes, measure in zip(panels, MEASURES, strict=True):
                curves = {script: curve(rows, along, script) for script in MEASURES[measure][1]}
                _panel(axes, measure, curves)
                slopes = {
                    fitted["script"]: fitted.get(measure) for fitted in fits if fitted["along"] == along
                }
                exponents = ", ".join(f"{script} {_shown(slopes[script])}" for script in curves)
                axes.set_title(f"exponents: {exponents}", fontsize="medium")
                axes.set_xlabel(along)
        lines = [Line2D([], [], color=_COLOURS[script], **_MARKS) for script in SCRIPTS]
        figure.legend(lines, list(SCRIPTS), loc="outside upper right", ncols=len(SCRIPTS))
        title = "Cost against size: more conversations (above), one that is longer (below)"
        figure.suptitle(title, x=0.01, ha="left")
        figure.savefig(path, metadata={"Date": None, "Creator": None})


def _panel(axes: "Axes", measure: str, curves: Mapping[str, Sequence[Row]]) -> None:
    for script, points in curves.items():
        sizes = [point["size"] for point in points]
        axes.loglog(sizes, [point[measure] for point in points], color=_COLOURS[script], **_MARKS)
    shown = [point[measure] for points in curves.values() for point in points]
    # Wide limits, so that slow growth looks slow.
    axes.set(ylabel=MEASURES[measure][0], ylim=(min(shown) / 2, max(shown) * 2))


_COLOURS = dict(zip(SCRIPTS, ("#7f7f7f", "#0072b2", "#d55e00"), strict=True))
_MARKS: dict[str, Any] = {"marker": "o", "markersize": 4}


def _shown(slope: float | None) -> str:
    return "-" if slope is None else f"{slope:.2f}"


def main() -> None:
    """Measure every size; write and print the results."""
    parser = argparse.ArgumentParser(description="How the cost of build and answer grows with size.")
    parser.add_argument("--conversations", type=int, nargs="+", default=[10, 40, 160], metavar="N")
    parser.add_argument("--turns", type=int, nargs="+", default=[600, 6000, 60000], metavar="N")
    parser.add_argument("--questions", type=int, default=199, help="about each conversation (default: 199)")
    parser.add_argument("--runs", type=int, default=3, help="give the medians of this many (default: 3)")
    parser.add_argument("--seed", type=int, default=1, help="of the invented text (default: 1)")
    parser.add_argument("--out", type=Path, default=ROOT / "reports", help="a folder (default: reports)")
    chosen = parser.parse_args()
    measured = sizes(chosen.conversations, chosen.turns, chosen.questions)
    costs: dict[tuple[Size, str], list[Cost]] = {}
    for size in (progress := tqdm(measured * chosen.runs, disable=None)):
        progress.set_description(f"{size.conversations} x {size.turns} turns")
        for script, cost in measure(size, chosen.seed).items():
            costs.setdefault((size, script), []).append(cost)
    rows = [row(size, script, each) for (size, script), each in costs.items()]
    fits = fit(rows)
    text = json.dumps({"points": rows, "exponents": fits}, indent=2)
    (chosen.out / "scaling.json").write_text(text + "\n", encoding="utf-8")
    draw(chosen.out / "scaling.svg", rows, fits)
    print(tabulate(rows, "keys"), tabulate(fits, "keys", missingval="-"), sep="\n\nexponents\n")


if __name__ == "__main__":
    main()

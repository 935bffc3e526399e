"""How cost grows with size: `build` and `answer` on invented conversations, more of them and longer ones.

Writes `scaling.json` and `scaling.svg`, and prints the exponents: doubling the size costs 2 ** exponent
times as much. The least work on the same files stands beside, to tell growth of the files from growth of
the method.

usage: python benchmarks/scaling.py [--conversations 10 40 160] [--turns 600 6000 60000]
"""

import argparse
import json
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tabulate import tabulate
from tqdm import tqdm

from measure import HERE, Cost, stage_cost

ROOT = HERE.parent
SCRIPTS = {
    "least work": HERE / "least_work.py",
    "build": ROOT / "src/build.py",
    "answer": ROOT / "src/answer.py",
}
# What is told of each point, with its unit.
MEASURES = {
    "work": "CPU seconds of work",
    "memory": "peak memory (MiB)",
    "question": "work a question (µs)",
}


@dataclass(frozen=True, slots=True)
class Size:
    """A file: how many conversations of how many turns and questions each; `along` names what varies."""

    along: str
    conversations: int
    turns: int
    questions: int

    @property
    def varied(self) -> int:
        """What the cost is drawn against."""
        return self.conversations if self.along == "conversations" else self.turns


def sizes(conversations: Sequence[int], turns: Sequence[int], questions: int) -> list[Size]:
    """More conversations, all of the least length; then longer ones, each alone."""
    more = [Size("conversations", number, min(turns), questions) for number in conversations]
    return more + [Size("turns", 1, length, questions) for length in turns]


def measure(size: Size, seed: int) -> Iterator[dict[str, Any]]:
    """A row for each script, run in a folder of its own on a file of that size."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "data").mkdir()
        shutil.copy(ROOT / "params.yaml", folder)
        make = [sys.executable, str(HERE / "synthetic.py"), "--seed", str(seed)]
        for option in ("conversations", "turns", "questions"):
            make += [f"--{option}", str(getattr(size, option))]
        # Not in this process: how much memory it takes would count for the stages that it starts.
        subprocess.run([*make, str(folder / "data/locomo10.json")], check=True)
        for script, path in SCRIPTS.items():
            yield row(size, script, stage_cost(path, folder, os.environ))


def row(size: Size, script: str, cost: Cost) -> dict[str, Any]:
    """One point of one curve."""
    asked = size.conversations * size.questions
    return {
        "along": size.along,
        "size": size.varied,
        "script": script,
        "work": round(cost.work, 3),
        "memory": round(cost.memory, 1),
        "question": round(cost.work / asked * 1e6, 1),
    }


def exponent(points: Sequence[tuple[float, float]]) -> float | None:
    """The p of y = c * x ** p by least squares of the logarithms; None for fewer than two sizes."""
    if len({x for x, _ in points}) < 2:
        return None
    return statistics.linear_regression(
        *([math.log(v) for v in axis] for axis in zip(*points, strict=True))
    ).slope


def fit(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The exponent of each measure, for every script along what varies."""
    found = []
    for along, script in dict.fromkeys((row["along"], row["script"]) for row in rows):
        curve = [row for row in rows if (row["along"], row["script"]) == (along, script)]
        slopes = {name: exponent([(row["size"], row[name]) for row in curve]) for name in MEASURES}
        rounded = {name: None if slope is None else round(slope, 2) for name, slope in slopes.items()}
        found.append({"along": along, "script": script, **rounded})
    return found


def draw(path: Path, rows: Sequence[dict[str, Any]], fits: Sequence[dict[str, Any]]) -> None:
    """Every measure against size, both axes in powers of ten; a row of panels for what varies."""
    # Here, not above: see `measure`.
    import matplotlib as mpl
    from matplotlib.figure import Figure

    colours = dict(zip(SCRIPTS, ("#7f7f7f", "#0072b2", "#d55e00"), strict=True))
    # Nothing of the day or of chance in the file; text as shapes, so that it looks alike everywhere.
    looks: dict[Any, object] = {"svg.hashsalt": "locomo-bench", "svg.fonttype": "path", "font.size": 9}
    looks |= {"axes.spines.top": False, "axes.spines.right": False, "legend.frameon": False}
    looks |= {"axes.grid": True, "grid.color": "#e5e5e5", "font.family": "DejaVu Sans"}
    with mpl.rc_context(looks):
        figure = Figure(figsize=(11, 6.5), layout="constrained")
        panels = figure.subplots(2, len(MEASURES), squeeze=False)
        for line, along in zip(panels, ("conversations", "turns"), strict=True):
            for axes, (measure, unit) in zip(line, MEASURES.items(), strict=True):
                for fitted in (found for found in fits if found["along"] == along):
                    script, slope = fitted["script"], fitted[measure]
                    curve = [row for row in rows if (row["along"], row["script"]) == (along, script)]
                    axes.loglog(
                        [row["size"] for row in curve],
                        [row[measure] for row in curve],
                        marker="o",
                        markersize=4,
                        color=colours[script],
                        label=script if slope is None else f"{script}: exponent {slope:.2f}",
                    )
                axes.set(xlabel=along, ylabel=unit)
                axes.legend()
        figure.suptitle("Cost against size: more conversations (above), one that is longer (below)")
        figure.savefig(path, metadata={"Date": None, "Creator": None})


def main() -> None:
    """Measure every size, and write and print what came out."""
    parser = argparse.ArgumentParser(description="How the cost of build and answer grows with size.")
    parser.add_argument("--conversations", type=int, nargs="+", default=[10, 40, 160], metavar="N")
    parser.add_argument("--turns", type=int, nargs="+", default=[600, 6000, 60000], metavar="N")
    parser.add_argument("--questions", type=int, default=199, help="about each conversation (default: 199)")
    parser.add_argument("--seed", type=int, default=1, help="of what is invented (default: 1)")
    parser.add_argument("--out", type=Path, default=ROOT / "reports", help="a folder (default: reports)")
    asked = parser.parse_args()
    rows: list[dict[str, Any]] = []
    for size in (progress := tqdm(sizes(asked.conversations, asked.turns, asked.questions), disable=None)):
        progress.set_description(f"{size.conversations} x {size.turns} turns")
        rows += measure(size, asked.seed)
    fits = fit(rows)
    text = json.dumps({"points": rows, "exponents": fits}, indent=2)
    (asked.out / "scaling.json").write_text(text + "\n", encoding="utf-8")
    draw(asked.out / "scaling.svg", rows, fits)
    print(tabulate(rows, "keys"), tabulate(fits, "keys", missingval="-"), sep="\n\nexponents\n")


if __name__ == "__main__":
    main()

"""The experiments of DVC as one readable table: the settings that differ, and the figures of some arms.

usage: python scripts/experiments.py [--arms ARM ...]
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from tabulate import tabulate

from locomo.core import paths
from locomo.core.errors import LocomoError, run

FIGURES = {
    "answerable F1": ("f1", "answerable"),
    "adversarial F1": ("f1", "adversarial"),
    "abstained": ("abstained", "overall"),
}
"""What is shown of each arm: a measure and a column of its table."""
LISTED = 4
"""A setting with more values is shown by their number."""


@dataclass(frozen=True)
class Experiment:
    """One run: its name, its settings by their names, and its means by file."""

    name: str
    settings: dict[str, Any]
    means: dict[str, dict[str, float | None]]

    def figure(self, arm: str, measure: str, column: str) -> float | None:
        """One mean; None if the arm did not run."""
        return self.means.get(paths.metric(measure, arm).as_posix(), {}).get(column)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table: one row for each experiment, what is committed first."""
    parser = argparse.ArgumentParser(
        description="DVC's experiments as one table: the settings that differ, and the figures of some arms."
    )
    parser.add_argument("--arms", nargs="+", default=["vector", "graph"], help="default: vector graph")
    asked = parser.parse_args(arguments)
    experiments = list(shown())
    if len(experiments) < 2:
        raise LocomoError("there is no experiment yet; start one with `dvc exp run -S floor=0.4`")
    varied = [name for name in experiments[0].settings if _varies(experiments, name)]
    header = ["experiment", *varied, *(f"{arm}\n{figure}" for arm in asked.arms for figure in FIGURES)]
    rows = [
        [one.name, *(_setting(one.settings.get(name)) for name in varied)]
        + [one.figure(arm, *where) for arm in asked.arms for where in FIGURES.values()]
        for one in experiments
    ]
    plain = list(range(1 + len(varied)))
    print(tabulate(rows, header, floatfmt=".3f", missingval="-", disable_numparse=plain))


def shown() -> Iterator[Experiment]:
    """What is committed, then each experiment on it that has finished, in the order of DVC."""
    command = ["dvc", "exp", "show", "--json"]
    # As a module of this Python: DVC need not be on PATH.
    done = subprocess.run([sys.executable, "-m", *command], capture_output=True, text=True, check=False)
    if done.returncode:
        raise LocomoError(f"{' '.join(command)}: {done.stderr.strip()}")
    _workspace, *revisions = json.loads(done.stdout)
    for committed in revisions[:1]:
        for one in (committed, *(found["revs"][0] for found in committed["experiments"] or [])):
            name = one["name"] or one["rev"][:7]
            if one["data"]:
                yield _experiment(name, one["data"])
            else:
                print(f"left out, because DVC has no results of it: {name}", file=sys.stderr)


def _experiment(name: str, data: dict[str, Any]) -> Experiment:
    settings = data["params"][paths.PARAMS.as_posix()]["data"]
    means = {path: found["data"] for path, found in data["metrics"].items() if "data" in found}
    return Experiment(name, dict(_flat(settings)), means)


def _flat(settings: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in settings.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def _varies(experiments: Sequence[Experiment], name: str) -> bool:
    return any(one.settings.get(name) != experiments[0].settings.get(name) for one in experiments)


def _setting(value: object) -> str:
    if isinstance(value, list):
        return ",".join(map(str, value)) if len(value) <= LISTED else f"{len(value)} of them"
    return str(value)


if __name__ == "__main__":
    run(main)

"""What a change does to the metrics, as Markdown for a pull request: `dvc metrics diff`, sorted and grouped.

usage: python scripts/metrics_diff.py [REVISION]
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from locomo.answer.arms import ARMS
from locomo.core import paths
from locomo.core.errors import LocomoError, run
from locomo.score.averages import COLUMNS
from locomo.score.measures import MEASURES
from locomo.score.tables import markdown

RENAMED = {"quiet": "abstained"}
"""Folders of metrics that had another name in earlier revisions."""


def main() -> None:
    """Print, for each measure, the arms that changed: the new figure and by how much it moved."""
    parser = argparse.ArgumentParser(description="What the working tree changes in the metrics, as Markdown.")
    parser.add_argument(
        "revision", nargs="?", default="HEAD", help="compare with this revision (default: HEAD)"
    )
    revision = parser.parse_args().revision
    changes = metrics_diff(revision)
    print(f"### Metrics against `{revision}`\n")
    if not changes:
        print("No figure differs.")
    for measure in MEASURES:
        of_arms = {
            path.stem: columns
            for path, columns in changes.items()
            if path.parent == PurePosixPath(paths.METRICS, measure)
        }
        if of_arms:
            rows = [
                [arm, *(_cell(of_arms[arm].get(column)) for column in COLUMNS)] for arm in _sorted(of_arms)
            ]
            print(markdown([measure, *COLUMNS], rows), end="\n\n")


def metrics_diff(revision: str) -> dict[PurePosixPath, dict[str, Any]]:
    """`dvc metrics diff` against a revision: of each file with a difference, {column: {old, new, diff}}."""
    command = ["dvc", "metrics", "diff", "--json", revision]
    # As a module of this Python: DVC need not be on PATH.
    done = subprocess.run([sys.executable, "-m", *command], capture_output=True, text=True, check=False)
    if done.returncode:
        raise LocomoError(f"{' '.join(command)}: {done.stderr.strip()}")
    found = json.loads(done.stdout or "{}")
    changes: dict[PurePosixPath, dict[str, Any]] = {}
    for path, columns in found.items():
        for column, change in columns.items():
            # A side without the file has no value, or a null.
            known = {side: value for side, value in change.items() if value is not None}
            changes.setdefault(_as_now(path), {}).setdefault(column, {}).update(known)
    return {path: _changed(columns) for path, columns in changes.items() if _changed(columns)}


def _as_now(path: str) -> PurePosixPath:
    """The path of a metric as it is called now."""
    parts = PurePosixPath(path).parts
    return PurePosixPath(*(RENAMED.get(part, part) for part in parts))


def _changed(columns: dict[str, Any]) -> dict[str, Any]:
    return {column: change for column, change in columns.items() if change.get("old") != change.get("new")}


def _sorted(arms: Iterable[str]) -> list[str]:
    """Arms in the order of the tables, those that only the other revision knows behind them."""
    known = list(ARMS)
    return sorted(arms, key=lambda arm: (known.index(arm) if arm in ARMS else len(known), arm))


def _cell(change: dict[str, float | None] | None) -> str:
    if change is None:
        return ""
    old, new = change.get("old"), change.get("new")
    if old is None or new is None:  # an arm or a category that one side does not have
        return f"{_figure(new)} (was {_figure(old)})"
    moved = f"{new - old:+.3f}"
    if not float(moved):
        moved = f"{new - old:+.6f}"  # the precision of the files
    return f"{new:.3f} ({moved})"


def _figure(value: float | None) -> str:
    return "none" if value is None else f"{value:.3f}"


if __name__ == "__main__":
    run(main)

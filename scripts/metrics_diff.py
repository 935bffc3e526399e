"""What a change does to the metrics, as Markdown for a pull request: `dvc metrics diff`, sorted and grouped.

usage: python scripts/metrics_diff.py [REVISION]
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path, PurePosixPath
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from locomo.arms import ARMS
from locomo.errors import LocomoError, run
from locomo.means import COLUMNS
from locomo.report.tables import markdown
from locomo.score import MEASURES


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
        rows = [
            [arm, *(_cell(changes[path].get(column)) for column in COLUMNS)]
            for arm in ARMS
            if (path := f"metrics/{measure}/{arm}.json") in changes
        ]
        if rows:
            print(markdown([measure, *COLUMNS], rows), end="\n\n")


def metrics_diff(revision: str) -> dict[str, dict[str, Any]]:
    """`dvc metrics diff` against a revision: of each file with a difference, {column: {old, new, diff}}."""
    command = ["dvc", "metrics", "diff", "--json", revision]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise LocomoError(f"{' '.join(command)}: {done.stderr.strip()}")
    found = json.loads(done.stdout or "{}")
    return {str(PurePosixPath(path)): columns for path, columns in found.items()}


def _cell(change: dict[str, float | None] | None) -> str:
    if change is None:
        return ""
    old, new = change.get("old"), change.get("new")
    if old is None or new is None:  # an arm or a category that one side does not have
        return f"{_figure(new)} (was {_figure(old)})"
    return f"{new:.3f} ({new - old:+.3f})"


def _figure(value: float | None) -> str:
    return "none" if value is None else f"{value:.3f}"


if __name__ == "__main__":
    run(main)

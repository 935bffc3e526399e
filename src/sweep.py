"""Stage `sweep`: every arm along floor, k, span, band and parts."""

from itertools import chain
from pathlib import Path

import numpy as np

from locomo.answer import arms
from locomo.core import parallel, settings
from locomo.core.errors import run
from locomo.core.files import replacing, write_csv
from locomo.formats import indexed
from locomo.study.sweep import points, rows, sweep


def main() -> None:
    """Write `reports/sweeps/<setting>.csv`."""
    chosen = settings.load()
    selected = arms.select(chosen.arms, chosen.may_fail)
    swept = points(chosen.sweep.base.model_dump(), chosen.sweep.values)
    tasks = ((*each, selected, swept) for each in indexed.read())
    # Two jobs are done sooner than one, or than four; build and answer take no longer than a worker to start.
    found = parallel.each("sweep", sweep, tasks, indexed.count(), jobs=2)
    categories, f1, quiet = zip(*found, strict=True)
    table = rows(
        swept, selected, [*chain(*categories)], np.concatenate(f1, axis=2), np.concatenate(quiet, axis=2)
    )
    with replacing(Path("reports/sweeps")) as folder:
        folder.mkdir()
        for setting in chosen.sweep.values:
            lines = [
                {"arm": arm, setting: point.value, **row}
                for point, arm, row in table
                if point.setting == setting
            ]
            write_csv(folder / f"{setting}.csv", lines)


if __name__ == "__main__":
    run(main)

"""Stage `sweep`: every arm along floor, k, span, band and parts."""

from locomo.answer import arms
from locomo.core import parallel, paths, settings
from locomo.core.errors import run
from locomo.core.files import replacing, write_csv
from locomo.formats.store import count_built, read_built
from locomo.study.sweep import points, rows, sweep


def main() -> None:
    """Write `reports/sweeps/<setting>.csv`."""
    chosen = settings.load().sweep
    selected = arms.noted()
    swept = points(chosen.base, chosen.values)
    tasks = ((*built, selected, swept) for built in read_built())
    table = rows(swept, selected, parallel.each("sweep", sweep, tasks, count_built()))
    with replacing(paths.SWEEPS) as folder:
        folder.mkdir()
        for setting in chosen.values:
            lines = [
                {"arm": arm, setting: point.value, **row}
                for point, arm, row in table
                if point.setting == setting
            ]
            write_csv(folder / paths.sweep(setting).name, lines)


if __name__ == "__main__":
    run(main)

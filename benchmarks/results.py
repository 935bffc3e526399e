"""The figures of a benchmark: medians of the runs, compared with targets, as tables."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from statistics import median
from typing import Any, NamedTuple

from tabulate import tabulate

from measure import Cost

FOUR_ARMS = "build + answer + score, 4 arms"
ALL_ARMS = "build + answer + score, all arms"
PIPELINE = "all stages but official"
REPRO = "dvc repro --force"
EXPERIMENT = "dvc exp run -S floor=0.4"

Row = dict[str, float | None]
Results = dict[str, Any]


def row(cost: Cost, least: Cost) -> Row:
    """The figures of one stage, or of several; `times` is their work as a multiple of the least work."""
    return _row(cost, cost.start, cost.work, cost.work / least.work)


def row_of_command(cost: Cost, least: Cost, official: Cost) -> Row:
    """The same for a command that runs stages; `times` is its whole cost over the least work and its imports.

    The official rescoring, measured separately, is subtracted.
    """
    counted = cost.cpu - official.cpu
    return _row(cost, None, counted, counted / (least.start + least.work))


def _row(cost: Cost, start: float | None, work: float, times: float) -> Row:
    return {"start": start, "work": work, "times": times, "wall": cost.wall, "memory": cost.memory}


def medians(runs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The medians of nested tables of the same figures, one table per run, three decimals."""
    found: dict[str, Any] = {}
    for key, value in runs[0].items():
        values = [run[key] for run in runs]
        if isinstance(value, Mapping):
            found[key] = medians(values)
        else:
            found[key] = None if value is None else round(median(values), 3)
    return found


class Target(NamedTuple):
    """A figure that is to stay at or below a limit."""

    name: str
    unit: str
    limit: float
    figure: Callable[[Results], float]

    def line(self, results: Results) -> list[str]:
        """The measured figure beside the target."""
        found = self.figure(results)
        verdict = "met" if found <= self.limit else "missed"
        return [self.name, self.unit, f"{found:.3g}", f"≤ {self.limit:g}", verdict]


TARGETS = (
    Target(f"work: {FOUR_ARMS}", "× least", 8, lambda found: found["sums"][FOUR_ARMS]["times"]),
    Target(f"work: {ALL_ARMS}", "× least", 20, lambda found: found["sums"][ALL_ARMS]["times"]),
    Target(f"work: {PIPELINE}", "× least", 55, lambda found: found["sums"][PIPELINE]["times"]),
    Target(f"`{REPRO}`", "× least with imports", 14, lambda found: found["commands"][REPRO]["times"]),
    Target(
        f"`{EXPERIMENT}`", "× least with imports", 6.5, lambda found: found["commands"][EXPERIMENT]["times"]
    ),
    Target("start and imports of any stage", "CPU s", 0.6, lambda found: _most(found, "start")),
    Target("peak memory of any stage", "MiB", 300, lambda found: _most(found, "memory")),
)


def _most(results: Results, key: str) -> float:
    """The largest figure of any stage, without the official scorer, which is not ours."""
    return max(float(row[key]) for name, row in results["stages"].items() if name != "official")


def markdown(results: Results) -> str:
    """Everything as Markdown: where it was measured, the targets, the processes, the questions."""
    machine, least = results["machine"], results["least"]
    introduction = (
        f"Measured on {results['date']} at {results['commit']} on {machine['cores']} cores of"
        f" {machine['cpu']} ({machine['system']}, Python {machine['python']}); medians of runs:"
        f" {results['runs']}. The least work took {least['work']:.2f} s, with its imports"
        f" {least['start'] + least['work']:.2f} s."
    )
    rows = {"least work": least} | results["stages"] | results["sums"] | results["commands"]
    questions = (
        [f"{kind}: {name}", f"{took:.0f}"]
        for kind, costs in results["questions"].items()
        for name, took in costs.items()
    )
    stages = next(iter(results["jobs"].values()))
    return "\n\n".join(
        [
            introduction,
            _table(
                ("figure", "unit", "measured", "target", ""),
                (target.line(results) for target in TARGETS),
            ),
            _table(
                ("CPU, time and memory", "start (s)", "work (s)", "× least", "wall (s)", "peak (MiB)"),
                ([name, *(_shown(key, row[key]) for key in _DECIMALS)] for name, row in rows.items()),
            ),
            _table(("cost of a question", "CPU (µs)"), questions),
            _table(
                ("wall seconds by LOCOMO_JOBS", *results["jobs"]),
                ([stage, *(f"{walls[stage]:.1f}" for walls in results["jobs"].values())] for stage in stages),
            ),
        ]
    )


_DECIMALS = {"start": 2, "work": 2, "times": 1, "wall": 2, "memory": 0}


def _shown(key: str, value: float | None) -> str:
    return "-" if value is None else f"{value:.{_DECIMALS[key]}f}"


def comparison(old: Results, new: Results) -> str:
    """Two benchmarks side by side, every figure that both have, and the new one over the old one."""
    before, after = dict(_figures(old)), dict(_figures(new))
    lines = [
        [name, before[name], after[name], after[name] / before[name] if before[name] else None]
        for name in before
        if name in after
    ]
    header = ("figure", old["commit"], new["commit"], "new / old")
    return tabulate(lines, header, tablefmt="simple", floatfmt=".3f", missingval="-")


def _figures(results: Results) -> Iterator[tuple[str, float]]:
    """Every figure with a unique name."""
    tables = {"least work": results["least"], **results["stages"], **results["sums"], **results["commands"]}
    jobs = {f"{number} jobs": walls for number, walls in results["jobs"].items()}
    for name, row in (tables | results["questions"] | jobs).items():
        for key, value in row.items():
            if value is not None:
                yield f"{name}: {key}", value


def _table(header: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    sides = ["left", *("right" for _ in header[1:])]
    return tabulate(lines, header, tablefmt="github", colalign=sides, disable_numparse=True)

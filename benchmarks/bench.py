"""Measure every stage and the whole pipeline, as multiples of the least work that any run must do.

All runs take place in a temporary copy of the working tree, so that data, metrics and experiments do not
change. Times are CPU seconds, which depend less on the other load of the machine. They still depend on it, so
the least work is measured repeatedly in between, and times are compared as multiples of it.

usage: python benchmarks/bench.py [--runs 5] [--out FILE] [--compare OLD.json]
"""

import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml
from tqdm import tqdm

from measure import HERE, Cost, command_cost, mean, stage_cost, together
from results import (
    ALL_ARMS,
    EXPERIMENT,
    FOUR_ARMS,
    PIPELINE,
    REPRO,
    Results,
    comparison,
    markdown,
    medians,
    row,
    row_of_command,
)

ROOT = HERE.parent
FOUR = ["vector", "graph", "graph+edge", "oracle"]
"""The arms of the first target."""
SIDE_BY_SIDE = ("build", "answer", "sweep")
JOBS = (1, 2, 4)
BLOCK = re.compile(r"(<!-- bench: begin -->\n).*?(<!-- bench: end -->\n)", re.S)
"""The part of the page that is written here."""
PAGE = ROOT / "docs" / "cost.md"


class Tree:
    """A copy of the working tree in a repository of its own, and the environment of its commands."""

    def __init__(self, work: Path) -> None:
        self.folder = work / "tree"
        # Without the variables of an outer git or DVC, and with this Python as `python`.
        inherited = {k: v for k, v in os.environ.items() if not k.startswith(("GIT_", "DVC_"))}
        self.environment = inherited | {
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
            "DVC_SITE_CACHE_DIR": str(work / "site"),
        }
        self._copy()
        self.run("git", "init", "--quiet")
        self.run("git", "config", "user.name", "bench")
        self.run("git", "config", "user.email", "bench@example.org")
        self.run("git", "add", "--all")
        self.run("git", "commit", "--quiet", "--message", "as it stands")
        # The usual case: a stage ran before, so its byte code is there.
        self.run(sys.executable, "-m", "compileall", "-q", "src")

    def _copy(self) -> None:
        listed = _git("ls-files", "-z", "--cached", "--others", "--exclude-standard")
        for name in filter(None, listed.split("\0")):
            if (ROOT / name).exists():
                (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, self.folder / name)

    def run(self, *command: str) -> Cost:
        """The cost of a command that must succeed."""
        return command_cost(command, self.folder, self.environment)

    def output(self, *command: str) -> str:
        """The output of a command that must succeed."""
        done = subprocess.run(
            command, cwd=self.folder, env=self.environment, stdout=subprocess.PIPE, text=True, check=True
        )
        return done.stdout

    def scripts(self) -> dict[str, str]:
        """The script of each stage, in the order of the pipeline."""
        pipeline = yaml.safe_load((self.folder / "dvc.yaml").read_text(encoding="utf-8"))
        return {name: stage["cmd"].split()[-1] for name, stage in pipeline["stages"].items()}

    def stage(self, script: str, jobs: int | None = None) -> Cost:
        """The cost of a stage by its script, such as `src/build.py`, with `jobs` jobs or its own number."""
        chosen = {} if jobs is None else {"LOCOMO_JOBS": str(jobs)}
        return stage_cost(self.folder / script, self.folder, self.environment | chosen)

    @contextmanager
    def arms(self, names: list[str]) -> Iterator[None]:
        """Run only these arms within the context."""
        path = self.folder / "params.yaml"
        text = path.read_text(encoding="utf-8")
        path.write_text(yaml.safe_dump(yaml.safe_load(text) | {"arms": names}), encoding="utf-8")
        yield
        path.write_text(text, encoding="utf-8")

    def forget(self) -> None:
        """Undo an experiment, so that DVC has to run the next one again."""
        self.run("dvc", "exp", "remove", "--all-commits")
        self.run("git", "checkout", "--quiet", "--force", ".")
        shutil.rmtree(self.folder / ".dvc/cache/runs", ignore_errors=True)


class Run:
    """One run of everything: each figure once."""

    def __init__(self, tree: Tree, tick: Callable[[str], object]) -> None:
        self._tree = tree
        self._tick = tick
        self._least: list[Cost] = []

    def figures(self) -> dict[str, Any]:
        """Measure everything; returns the part of `results.json` that differs from run to run."""
        scripts = self._tree.scripts()
        first = self._stages(scripts, ("fetch", "build"))
        with self._tree.arms(FOUR):
            four = self._stages(scripts, ("arms", "answer", "score"))
        stages = first | self._stages(scripts, [name for name in scripts if name not in first])
        self._tick("questions")
        questions = self._tree.output(sys.executable, "benchmarks/per_question.py")
        commands = {command: self._command(command) for command in (REPRO, EXPERIMENT)}
        self._tree.forget()
        jobs = {f"{number}": self._jobs(scripts, number) for number in JOBS}
        least = mean(self._least)
        sums = {
            FOUR_ARMS: [stages["build"], *four.values()],
            ALL_ARMS: [stages[name] for name in ("build", "answer", "score")],
            PIPELINE: [cost for name, cost in stages.items() if name != "official"],
        }
        return {
            "least": row(least, least),
            "stages": {name: row(cost, least) for name, cost in stages.items()},
            "sums": {name: row(together(costs), least) for name, costs in sums.items()},
            "commands": {
                name: row_of_command(cost, least, stages["official"]) for name, cost in commands.items()
            },
            "questions": json.loads(questions),
            "jobs": jobs,
        }

    def _stages(self, scripts: dict[str, str], names: Iterable[str]) -> dict[str, Cost]:
        """The costs of some stages; then the least work is measured."""
        costs = {}
        for name in names:
            self._tick(name)
            costs[name] = self._tree.stage(scripts[name])
        self._least_work()
        return costs

    def _command(self, command: str) -> Cost:
        self._tick(command)
        cost = self._tree.run(*command.split())
        self._least_work()
        return cost

    def _jobs(self, scripts: dict[str, str], number: int) -> dict[str, float]:
        """Wall seconds of the stages that process conversations in parallel."""
        walls = {}
        for name in SIDE_BY_SIDE:
            self._tick(f"{name}, {number} jobs")
            walls[name] = self._tree.stage(scripts[name], number).wall
        return walls | {"together": sum(walls.values())}

    def _least_work(self) -> None:
        self._tick("least work")
        self._least.append(self._tree.stage("benchmarks/least_work.py"))


def bench(runs: int) -> Results:
    """Measure `runs` times; returns the medians, and what they were measured on."""
    with tempfile.TemporaryDirectory() as work:
        tree = Tree(Path(work))
        progress = tqdm(range(runs), "bench", disable=None)
        figures = [Run(tree, progress.set_postfix_str).figures() for _ in progress]
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "commit": _git("describe", "--always", "--dirty", "--exclude", "*").strip(),
        "machine": machine(),
        "runs": runs,
        **medians(figures),
    }


def machine() -> dict[str, Any]:
    """The kind of machine, without anything that identifies it."""
    info = Path("/proc/cpuinfo")
    models = re.findall(r"^model name\s*: (.+)$", info.read_text() if info.exists() else "", re.M)
    return {
        "cores": os.cpu_count(),
        "cpu": models[0] if models else platform.machine(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
    }


def write_block(page: Path, text: str) -> None:
    """Put the tables between their two comments in a page."""
    old = page.read_text(encoding="utf-8")
    page.write_text(BLOCK.sub(lambda found: f"{found[1]}\n{text}\n\n{found[2]}", old), encoding="utf-8")


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout


def _read(path: Path) -> Results:
    results: Results = json.loads(path.read_text(encoding="utf-8"))
    return results


def main() -> None:
    """Measure or read figures; print, write and compare them."""
    parser = argparse.ArgumentParser(description="The cost of the stages, in multiples of the least work.")
    parser.add_argument(
        "--runs", type=int, default=5, help="give the medians of this many runs (default: %(default)s)"
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the figures to this file as JSON")
    parser.add_argument("--page", action="store_true", help="write the tables into docs/cost.md")
    parser.add_argument(
        "--show", type=Path, metavar="FILE", help="take the figures from this file, measure nothing"
    )
    parser.add_argument("--compare", type=Path, metavar="OLD", help="print the figures beside older ones")
    chosen = parser.parse_args()
    results = _read(chosen.show) if chosen.show else bench(chosen.runs)
    if chosen.out:
        chosen.out.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    if chosen.page:
        write_block(PAGE, markdown(results))
    print(comparison(_read(chosen.compare), results) if chosen.compare else markdown(results))


if __name__ == "__main__":
    main()

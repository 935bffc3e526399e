"""What a process costs: CPU seconds, wall seconds and peak memory.

Only small modules are imported here and by the modules that measure: a new process starts with the peak
memory of its parent.
"""

import json
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from pathlib import Path

HERE = Path(__file__).resolve().parent
# Linux counts in KiB, macOS in bytes.
_PEAK_UNIT = 1 if sys.platform == "darwin" else 1024


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of a process and its descendants, or of several processes in sequence."""

    cpu: float
    """CPU seconds, user and system, of all processes from start to end."""
    wall: float
    """Seconds from start to end."""
    memory: float
    """The largest amount of memory that any one of the processes held, in MiB."""
    start: float = 0
    """CPU seconds before the work, for interpreter and imports; 0 if not measured separately."""
    work: float = 0
    """CPU seconds of the work itself, worker processes included; 0 if not measured separately."""


def together(costs: Iterable[Cost]) -> Cost:
    """The cost of processes that run one after the other."""
    each = list(costs)
    return Cost(
        cpu=sum(cost.cpu for cost in each),
        wall=sum(cost.wall for cost in each),
        memory=max(cost.memory for cost in each),
        start=sum(cost.start for cost in each),
        work=sum(cost.work for cost in each),
    )


def mean(costs: Sequence[Cost]) -> Cost:
    """The average cost of several runs."""
    return Cost(*(statistics.fmean(figures) for figures in zip(*map(astuple, costs), strict=True)))


def command_cost(command: Sequence[str], folder: Path, environment: Mapping[str, str]) -> Cost:
    """Run a command and measure it, with all its descendants that were waited for.

    Ends the program with what the command printed if the command fails.
    """
    with tempfile.TemporaryFile() as output:
        begun = time.perf_counter()
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdout=output, stderr=subprocess.STDOUT
        )
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - begun
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            output.seek(0)
            printed = output.read().decode(errors="replace")
            sys.exit(f"error: {shlex.join(command)} ended with {process.returncode}:\n{printed}")
    return Cost(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss * _PEAK_UNIT / 2**20)


def stage_cost(script: Path, folder: Path, environment: Mapping[str, str]) -> Cost:
    """Run a stage's script in a folder and measure it, start and work separately."""
    with tempfile.TemporaryDirectory() as notes:
        note = Path(notes) / "note.json"
        command = [sys.executable, str(HERE / "timed_stage.py"), str(script), str(note)]
        whole = command_cost(command, folder, environment)
        return replace(whole, **json.loads(note.read_text(encoding="utf-8")))

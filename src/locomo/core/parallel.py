"""A stage takes conversations one by one, several at once, or on a cluster, by joblib: they share nothing."""

import hashlib
import os
import re
import shutil
import signal
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager
from itertools import starmap
from pathlib import Path
from typing import Any, TypeVar

from locomo.core import progress
from locomo.core.errors import LocomoError, collect_seldom

T = TypeVar("T")

JOBS = "LOCOMO_JOBS"
"""In the environment: how many conversations are worked on at once; -1 for one a core."""
SCHEDULER = "DASK_SCHEDULER_ADDRESS"
"""In the environment, as for all of Dask: the address of a cluster to work on."""


def each(
    stage: str,
    do: Callable[..., T],
    tasks: Iterable[tuple[Any, ...]],
    total: int | None = None,
) -> Iterator[T]:
    """The results of `do(*task)` for each task, in order, with a progress bar.

    Tasks are created when they are needed, so that few are in memory at once. One runs at a time, unless the
    environment sets another number. Raises LocomoError if that number is not possible.
    """
    yield from progress.over(_results(do, tasks), stage, total)


def _results(do: Callable[..., T], tasks: Iterable[tuple[Any, ...]]) -> Iterator[T]:
    jobs = _jobs()
    cluster = os.environ.get(SCHEDULER)
    if jobs == 1 and not cluster:
        yield from starmap(do, tasks)
        return
    from joblib import Parallel, delayed, parallel_config

    calls = (delayed(_in_worker)(do, task) for task in tasks)
    try:
        if cluster:
            with _connected(cluster), parallel_config("dask"):
                yield from Parallel(return_as="generator")(calls)
        else:
            # After Ctrl-C and errors, joblib would add a warning that it ended the other tasks.
            warnings.filterwarnings("ignore", ".*tasks (which|have been)", UserWarning, "joblib")
            yield from Parallel(jobs, return_as="generator", initializer=_ignore_interrupts)(calls)
    except BrokenExecutor as error:
        why = str(error).partition(".")[0]
        raise LocomoError(f"a worker process was lost ({why}); if memory ran out, try {JOBS}=1") from error


def _ignore_interrupts() -> None:
    """A terminal sends Ctrl-C to worker processes too, each of which would print a traceback."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _in_worker(do: Callable[..., T], task: tuple[Any, ...]) -> T:
    collect_seldom()
    return do(*task)


def _jobs() -> int:
    given = os.environ.get(JOBS, "1")
    try:
        jobs = int(given)
    except ValueError:
        jobs = 0
    if jobs < 1 and jobs != -1:
        raise LocomoError(f"{JOBS}: is {given!r}; allowed: a whole number, 1 or more, or -1 for one a core")
    return jobs


@contextmanager
def _connected(address: str) -> Iterator[None]:
    """Connect to a Dask cluster and send its workers this package."""
    try:
        from distributed import Client, KilledWorker
    except ImportError as error:
        advice = "pip install 'locomo-bench[dask]'"
        raise LocomoError(f"{SCHEDULER} is set, but Dask is not installed; {advice}, or unset it") from error
    try:
        client: Any = Client(address)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise LocomoError(f"{SCHEDULER}: no Dask scheduler answers at {address} ({error})") from error
    package = Path(__file__).parent.parent

    def forget() -> None:
        """Forget the package of another tree. Defined here, because dask sends such a function by value."""
        for name in [name for name in sys.modules if name.partition(".")[0] == "locomo"]:
            del sys.modules[name]
        sys.path[:] = [place for place in sys.path if not re.search("locomo-[0-9a-f]{64}.zip$", place)]

    try:
        with client, tempfile.TemporaryDirectory() as folder:
            archive = Path(shutil.make_archive(f"{folder}/package", "zip", package.parent, package.name))
            # Python caches an archive by its name.
            version = hashlib.sha256(archive.read_bytes()).hexdigest()
            client.run(forget)
            client.run_on_scheduler(forget)
            client.upload_file(str(archive.rename(archive.with_name(f"locomo-{version}.zip"))))
            yield
    except KilledWorker as error:
        raise LocomoError(f"{SCHEDULER}: {address} lost too many workers ({error})") from error

"""Bars on a terminal: how much of the work is done, and how long the rest will take."""

from collections.abc import Iterable, Sized
from multiprocessing import parent_process
from threading import RLock
from typing import Any, TypeVar

from tqdm import tqdm

T = TypeVar("T")

# Each process has its own bars. The lock that tqdm makes is one of all processes: when Ctrl-C ends a worker,
# it would leave a semaphore, of which Python complains.
tqdm.set_lock(RLock())


def over(items: Iterable[T], name: str, total: int | None = None) -> Iterable[T]:
    """The items, each counted in a bar as it is taken. `total` is their number, if they do not know it."""
    if total is None and isinstance(items, Sized):
        total = len(items)
    return bar(name, total, items)


def bar(
    name: str, total: int | None, items: Iterable[Any] | None = None, *, unit: str = "it", leave: bool = True
) -> "tqdm[Any]":
    """A bar on stderr; without items, it counts by `update(number)`. At its end it vanishes unless `leave`.

    There is none without work, where nobody watches, or in a worker process, whose bar would overwrite that
    of the process that started it.
    """
    silent = total == 0 or parent_process() is not None
    return tqdm(items, name, total, leave, disable=silent or None, unit=unit, unit_scale=unit == "B")

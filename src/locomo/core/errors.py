"""Errors a person can act on, and the way a stage ends with one."""

import gc
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path


class LocomoError(Exception):
    """An error that a person can correct.

    The message says what was wrong, where (file, conversation, key, setting) and what to do.
    """


@contextmanager
def needs(stage: str, path: Path) -> Iterator[None]:
    """Read a file that a stage makes. Raises LocomoError that names the stage if the file is missing."""
    try:
        yield
    except FileNotFoundError as error:
        raise LocomoError(f"{path}: is not there; run `dvc repro {stage}` to make it") from error


@contextmanager
def made_by(stage: str, path: Path) -> Iterator[None]:
    """Like `needs`, for a file in a form of our own; also if it is damaged, whatever error that causes.

    An error of JSON, CSV, zip or numpy is reported by its type alone: numpy, for example, takes unknown
    bytes for a pickle and advises to load them as one.
    """
    again = f"run `dvc repro {stage}` to make it again"
    with needs(stage, path):
        try:
            yield
        except (FileNotFoundError, PermissionError):
            raise
        except LocomoError as error:
            raise LocomoError(f"{error}; {again}") from error
        except Exception as error:
            raise LocomoError(f"{path}: is damaged ({type(error).__name__}); {again}") from error


def collect_seldom() -> None:
    """Search for cycles of objects seldom: a stage makes millions of objects and hardly a cycle.

    Python's own thresholds cost up to a sixth of a stage, and a third of building a long conversation.
    """
    gc.set_threshold(100_000, 50, 50)


def run(stage: Callable[[], None]) -> None:
    """Run a stage script's ``main``; exit 1 with ``error: ...`` on stderr, or 130 if interrupted.

    An ``OSError`` (disk full, no permission, a missing input) is handled the same way: it names the file
    and the reason. Anything else is a bug and keeps its traceback. A character that the terminal cannot
    show is printed as ``?``.
    """
    collect_seldom()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a replaced stream may lack it
            stream.reconfigure(errors="replace")
    try:
        stage()
        sys.stdout.flush()
    except BrokenPipeError:
        # `| head` has read enough.
        _discard_output()
        sys.exit(141)  # what a shell reports of any program that a closed pipe ended
    except (LocomoError, OSError) as error:
        try:
            sys.stdout.flush()
        except BrokenPipeError:
            _discard_output()
        sys.exit(f"error: {error}")
    except KeyboardInterrupt:
        sys.exit(130)


def _discard_output() -> None:
    """Have Python's own last flush succeed although nobody reads."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

"""Errors a person can act on, and the way a stage ends with one."""

import sys
from collections.abc import Callable


class LocomoError(Exception):
    """Something a person can put right.

    The message says what was wrong, where (file, conversation, key, setting) and what to do.
    """


def run(stage: Callable[[], None]) -> None:
    """Run a stage script's ``main``; exit 1 with ``error: ...`` on stderr, or 130 if interrupted.

    An ``OSError`` (disk full, no permission, a missing input) counts as an error to act on: it
    names the file and the reason. Anything else is a bug of ours and keeps its traceback. A character
    that the terminal's encoding lacks comes out as ``?``.
    """
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a stream that someone put in its place may have none
            stream.reconfigure(errors="replace")
    try:
        stage()
    except (LocomoError, OSError) as error:
        sys.exit(f"error: {error}")
    except KeyboardInterrupt:
        sys.exit(130)

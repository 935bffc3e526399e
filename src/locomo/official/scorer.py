"""The official scorer: its code is downloaded and run unmodified, and never kept here (SPEC 11)."""

import hashlib
import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from types import ModuleType

from locomo.core.download import Pinned, fetch
from locomo.core.errors import LocomoError


def load_code(file: Pinned) -> ModuleType:
    """The official code, unmodified, from a cache or from the network.

    Raises LocomoError, before any of it runs, if it can't be downloaded or isn't the pinned file.
    """
    path = fetch(file)
    # The checked bytes are run, not a file that was changed since, nor byte code beside it.
    source = path.read_bytes()
    if hashlib.sha256(source).hexdigest() != file.sha256:
        raise LocomoError(f"{path}: has changed since it was checked; it was not run")
    code = ModuleType("official_scorer")
    with _stand_in("bert_score"), redirect_stdout(io.StringIO()):
        exec(compile(source, path, "exec"), code.__dict__)
    return code


@contextmanager
def _stand_in(name: str) -> Iterator[None]:
    """Replace a module by an empty one: the official code imports it, but does not use it here."""
    real = sys.modules.get(name)
    module = sys.modules[name] = ModuleType(name)
    module.score = None  # type: ignore[attr-defined]
    try:
        yield
    finally:
        del sys.modules[name]
        if real is not None:
            sys.modules[name] = real

"""The official scorer: its code, fetched and run as it is. Nothing of it is kept here (SPEC 11)."""

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

    Raises LocomoError, before anything of it has run, if it can't be downloaded or isn't the pinned file.
    """
    path = fetch(file)
    # These very bytes are run: neither a file swapped since, nor byte code that lies beside it.
    source = path.read_bytes()
    if hashlib.sha256(source).hexdigest() != file.sha256:
        raise LocomoError(f"{path}: has changed since it was checked; nothing of it was run")
    code = ModuleType("official_scorer")
    with _stand_in("bert_score"), redirect_stdout(io.StringIO()):
        exec(compile(source, path, "exec"), code.__dict__)
    return code


@contextmanager
def _stand_in(name: str) -> Iterator[None]:
    """Keep a module from being imported: the official code names it and never uses it here."""
    real = sys.modules.get(name)
    module = sys.modules[name] = ModuleType(name)
    module.score = None  # type: ignore[attr-defined]
    try:
        yield
    finally:
        del sys.modules[name]
        if real is not None:
            sys.modules[name] = real

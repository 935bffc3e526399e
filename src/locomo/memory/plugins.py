"""External memories, which are not part of this package: how they are found, loaded and identified.

A memory called `mine` is the class `Memory` of the file `memories/mine.py`, which may have other files in a
folder `memories/mine/`. Without this file, it is the entry point `mine` of the group `locomo.memories` in an
installed package.
"""

import hashlib
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from types import ModuleType
from typing import Any

from locomo.core import paths
from locomo.core.errors import LocomoError
from locomo.core.files import digest

CLASS = "Memory"
"""The name of the class in a file."""
GROUP = "locomo.memories"
"""The group of entry points of packages that have memories."""

# Lower case, because names of memories name files, and some file systems ignore case.
_NAME = re.compile(r"[a-z][a-z0-9_-]*")
# Byte code, and what editors leave beside a file, is no source. DVC ignores the same (.dvcignore), and would
# not run stage arms again.
_LEFT_BEHIND = re.compile(r"__pycache__|\..*|.*~|#.*#|.*\.(pyc|sw.|orig)|4913")
_LONGEST = 300
"""At most how many characters of an error a message quotes."""


@dataclass(frozen=True, slots=True)
class Plugin:
    """An external memory, as it is sent to other processes, which may not have the file."""

    name: str
    where: str
    """The path of the file, or the name of the package."""
    sha256: str
    """Of the file, with those in the folder beside it if there are any, or of the package's own files."""
    version: str = ""
    """Of the package."""
    entry: str = ""
    """The value of the entry point, `package.module:Class`; empty for a file."""
    source: bytes = b""
    """The contents of the file; empty for an entry point."""

    @property
    def folder(self) -> Path:
        """Where the files beside a file are, if it has any."""
        return Path(self.where).with_suffix("")

    def load(self) -> type[Any]:
        """The class, loaded once in a process.

        Raises LocomoError if it cannot be loaded or has no method `ask`.
        """
        try:
            kind = _load(self)
        except Exception as error:
            raise LocomoError(
                f"memory {self.name}: {self.where} cannot be loaded: {self.told(error)}"
            ) from error
        if not isinstance(kind, type) or not callable(getattr(kind, "ask", None)):
            wanted = self.entry or f"a class `{CLASS}`"
            raise LocomoError(
                f"memory {self.name}: {self.where}: expected {wanted} with a method `ask(question, k)`,"
                f" found {'nothing of that name' if kind is None else repr(kind)}"
            )
        return kind

    def told(self, error: BaseException) -> str:
        """Describe an error in its code: type, message, and the last line of that code in the traceback."""
        places = [(file, line) for file, line in _passed(error) if self._owns(file)]
        if isinstance(error, SyntaxError) and error.filename and self._owns(error.filename):
            places = [(error.filename, error.lineno or 0)]
        return raised(error) + (" ({}:{})".format(*places[-1]) if places else "")

    def _owns(self, file: str) -> bool:
        if not self.entry:
            return file == self.where or Path(file).is_relative_to(self.folder.absolute())
        top = sys.modules.get(re.split("[.:]", self.entry)[0])
        path = Path(getattr(top, "__file__", None) or "")
        return Path(file) == path or (path.name == "__init__.py" and Path(file).is_relative_to(path.parent))


def raised(error: BaseException) -> str:
    """The type and the message of an error, on one line."""
    # Half a surrogate pair, which no file of UTF-8 can hold, is escaped.
    said = " ".join(str(error).encode(errors="backslashreplace").decode().split())
    said = said if len(said) <= _LONGEST else f"{said[: _LONGEST - 3]}..."
    return f"{type(error).__name__}: {said}" if said else type(error).__name__


def find(name: str) -> Plugin | None:
    """The memory of this name: in a file, or else in an installed package; None if there is none.

    Raises OSError if the file cannot be read, and LocomoError if two packages have one.
    """
    if not _NAME.fullmatch(name):
        return None
    path = paths.PLUGINS / f"{name}.py"
    if path.is_file():
        return at(path)
    entries = list(entry_points(group=GROUP, name=name))
    if len(entries) > 1:
        packages = ", ".join(entry.dist.name if entry.dist else entry.value for entry in entries)
        raise LocomoError(f"memory {name}: several installed packages have one: {packages}; keep one of them")
    return _of_package(entries[0]) if entries else None


def at(path: Path) -> Plugin:
    """The memory in a file, whose name without suffix is its own.

    Raises OSError if the file cannot be read, and LocomoError if its name can be none of a memory.
    """
    if path.suffix != ".py" or not _NAME.fullmatch(path.stem):
        raise _wrong_name(path)
    source = path.read_bytes()
    sha256 = hashlib.sha256(source).hexdigest()
    found = Plugin(path.stem, path.as_posix(), sha256, source=source)
    beside = _files_in(found.folder)
    return replace(found, sha256=_digest([(path.name, path), *beside])) if beside else found


def file_of(name: str) -> Path:
    """The file of a memory of this name, there or not. Raises LocomoError if no memory can have the name."""
    path = paths.PLUGINS / f"{name}.py"
    if not _NAME.fullmatch(name):
        raise _wrong_name(path)
    return path


def _wrong_name(path: Path) -> LocomoError:
    return LocomoError(
        f"{path}: cannot hold a memory; expected a name such as memories/mine.py, of lower-case letters,"
        " digits, - and _, starting with a letter"
    )


def known() -> str:
    """The names of all memories that can be found, for messages."""
    files = sorted(path.stem for path in paths.PLUGINS.glob("*.py") if _NAME.fullmatch(path.stem))
    entries = sorted({entry.name for entry in entry_points(group=GROUP)})
    return (
        f"in {paths.PLUGINS.as_posix()}/: {', '.join(files) or 'none'};"
        f" entry points of {GROUP}: {', '.join(entries) or 'none'}"
    )


@cache
def _load(plugin: Plugin) -> Any:
    if plugin.entry:
        return EntryPoint(plugin.name, plugin.entry, GROUP).load()
    # Compiled from `source`, because a worker on another machine does not have the file.
    module = ModuleType(f"locomo_memory_{plugin.name.replace('-', '_')}")
    module.__file__ = plugin.where
    # So that `from . import other` finds memories/<name>/other.py.
    module.__path__, module.__package__ = [str(plugin.folder.absolute())], module.__name__
    for name in [name for name in sys.modules if name.startswith(f"{module.__name__}.")]:
        del sys.modules[name]  # of an earlier version of the memory
    code = compile(plugin.source, plugin.where, "exec", dont_inherit=True)
    sys.modules[module.__name__] = module  # dataclasses look for it there
    exec(code, module.__dict__)
    return getattr(module, CLASS, None)


def _passed(error: BaseException) -> Iterator[tuple[str, int]]:
    """The file and the line of each frame in an error's traceback, the deepest last."""
    trace = error.__traceback__
    while trace:
        yield trace.tb_frame.f_code.co_filename, trace.tb_lineno
        trace = trace.tb_next


def _of_package(entry: EntryPoint) -> Plugin:
    package, version = (entry.dist.name, entry.dist.version) if entry.dist else (entry.module, "")
    return Plugin(entry.name, package, _digest(_files(entry)), version, entry=entry.value)


def _files(entry: EntryPoint) -> list[tuple[str, Path]]:
    """The files of the package's own code, sorted by name, also of an editable install."""
    top = entry.module.partition(".")[0]
    spec = find_spec(top)
    if spec is None:
        raise LocomoError(f"memory {entry.name}: {entry.value}: there is no module {top}; install it again")
    if not spec.submodule_search_locations:
        path = Path(spec.origin or "")
        return [(path.name, path)]
    return sorted(chain.from_iterable(_files_in(Path(place)) for place in spec.submodule_search_locations))


def _files_in(folder: Path) -> list[tuple[str, Path]]:
    """The files in a folder, sorted by name, without those left behind; none if there is no such folder."""
    files = {path.relative_to(folder): path for path in folder.rglob("*") if path.is_file()}
    return sorted(
        (name.as_posix(), path)
        for name, path in files.items()
        if not any(map(_LEFT_BEHIND.fullmatch, name.parts))
    )


def _digest(files: Iterable[tuple[str, Path]]) -> str:
    whole = hashlib.sha256()
    for name, path in files:
        whole.update(f"{name}\0{digest(path)}\n".encode())
    return whole.hexdigest()

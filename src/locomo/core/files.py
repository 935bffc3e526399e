"""Writing files and folders so that nobody sees a half-written one.

Everything is written under a temporary name beside its place and then renamed.
"""

import csv
import hashlib
import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a temporary path beside ``path``, renamed to ``path`` if the block succeeds.

    The block makes a file or a folder there; nothing exists at that path when it starts. If it
    raises, what it made is removed and ``path`` stays as it was. The name keeps its suffix
    (``x.npz`` becomes ``.new-x.npz``), because some writers choose their format by it. It is
    always the same, so that the next run removes what a killed run left.
    """
    temporary = path.with_name(f".new-{path.name}")
    path.parent.mkdir(parents=True, exist_ok=True)
    _remove(temporary)
    try:
        yield temporary
        # A rename replaces a file, but it cannot replace a folder, or a file by a folder.
        if temporary.is_dir() or path.is_dir():
            _remove(path)
        temporary.replace(path)
    finally:
        _remove(temporary)


def write_text(path: Path, text: str) -> None:
    """Write ``text`` as UTF-8 with ``\\n`` line ends on every system."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def write_json(path: Path, value: object, *, compact: bool = False) -> None:
    """Write ``value`` as JSON, indented by two, or on one line without blanks if ``compact``.

    NaN and infinity raise ``ValueError``: they are not JSON, and other readers refuse the file.
    """
    layout = {"separators": (",", ":")} if compact else {"indent": 2}
    write_text(path, json.dumps(value, ensure_ascii=False, allow_nan=False, **layout) + "\n")


def write_csv(path: Path, rows: Sequence[Mapping[str, object]]) -> None:
    """Write rows under a header of their keys; floats by ``repr``, None as an empty cell."""
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
        lines = csv.DictWriter(file, list(rows[0]) if rows else [], lineterminator="\n")
        lines.writeheader()
        lines.writerows(rows)


def digest(path: Path) -> str:
    """The SHA-256 of a file, 64 hex digits."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)

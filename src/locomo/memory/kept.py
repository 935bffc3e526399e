"""What external memories returned in earlier runs, kept in the user's cache: nothing is asked twice.

One SQLite file for each version of a memory, `cites/<name>-<hash>.sqlite`, and beside it a folder for what it
built, if it can save that. Whatever kills a run, an answer that was written stays, and no half of one does.
"""

import hashlib
import json
import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from locomo import __version__
from locomo.core.errors import LocomoError
from locomo.formats.dataset import Conversation
from locomo.memory.contract import Returned
from locomo.memory.plugins import Plugin

_TABLES = """
CREATE TABLE IF NOT EXISTS answers (
    scope TEXT, k INTEGER, question TEXT, seconds REAL, answer BLOB, PRIMARY KEY (scope, k, question)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS built (scope TEXT PRIMARY KEY, seconds REAL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS fitted (scope TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
"""


def folder() -> Path:
    """The folder of all that is kept."""
    import pooch  # here, because most runs have no external memory

    return Path(pooch.os_cache("locomo-bench")) / "cites"


def scope(conversations: Sequence[Conversation], *more: Any) -> str:
    """A name for what an answer depends on beside the memory's code: what it was given, and `more`."""
    given = json.dumps([__version__, [asdict(one) for one in conversations], *more], default=str)
    return hashlib.sha256(given.encode()).hexdigest()


class KeptAnswer(NamedTuple):
    """An answer, and how many seconds it took: of a batch its share."""

    returned: Returned
    seconds: float


class Kept:
    """What one memory returned."""

    def __init__(self, plugin: Plugin, database: sqlite3.Connection) -> None:
        self._plugin, self._database = plugin, database

    @classmethod
    @contextmanager
    def of(cls, plugin: Plugin) -> Iterator["Kept"]:
        """Open what is kept of a memory. Raises LocomoError if that is not possible."""
        path = _path(plugin, ".sqlite")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise _cannot_keep(plugin, path, error.strerror) from error
        try:
            with closing(sqlite3.connect(path, timeout=60, isolation_level=None)) as database:
                # Written at once, but not waited for: only a machine that loses power can lose an answer.
                database.execute("PRAGMA journal_mode = WAL")
                database.execute("PRAGMA synchronous = NORMAL")
                database.executescript(_TABLES)
                yield cls(plugin, database)
        except sqlite3.Error as error:
            raise _cannot_keep(plugin, path, error) from error

    def built(self, scope: str) -> Path:
        """Where the memory may keep what it built."""
        return _path(self._plugin, "") / scope[:16]

    def answers(self, scope: str, ks: Sequence[int]) -> dict[tuple[int, str], KeptAnswer]:
        """What is kept, by k and question."""
        marks = ", ".join("?" * len(ks))
        rows = self._database.execute(
            f"SELECT k, question, seconds, answer FROM answers WHERE scope = ? AND k IN ({marks})",
            (scope, *ks),
        )
        return {
            (k, question): KeptAnswer(Returned(**json.loads(zlib.decompress(answer))), seconds)
            for k, question, seconds, answer in rows
        }

    def add(self, scope: str, k: int, question: str, answer: KeptAnswer) -> None:
        """Keep an answer, in place of an earlier one."""
        packed = zlib.compress(json.dumps(answer.returned.as_json()).encode(), level=1)
        row = (scope, k, question, answer.seconds, packed)
        self._database.execute("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?)", row)

    def forget_answers(self) -> None:
        """Keep no answer of this memory, so that all are asked again."""
        self._database.execute("DELETE FROM answers")

    def seconds_to_build(self, scope: str) -> float:
        """How long it took when it was last made for this conversation; 0 if it never was."""
        rows = self._database.execute("SELECT seconds FROM built WHERE scope = ?", (scope,)).fetchall()
        return float(rows[0][0]) if rows else 0.0

    def add_built(self, scope: str, seconds: float) -> None:
        """Keep how long it took to make."""
        self._database.execute("INSERT OR REPLACE INTO built VALUES (?, ?)", (scope, seconds))

    def fitted(self, scope: str) -> str | None:
        """What `fit` returned for these conversations, as JSON; None if nothing is kept."""
        rows = self._database.execute("SELECT value FROM fitted WHERE scope = ?", (scope,)).fetchall()
        return str(rows[0][0]) if rows else None

    def add_fitted(self, scope: str, value: str) -> None:
        """Keep what `fit` returned."""
        self._database.execute("INSERT OR REPLACE INTO fitted VALUES (?, ?)", (scope, value))


def _cannot_keep(plugin: Plugin, path: Path, why: object) -> LocomoError:
    return LocomoError(
        f"{path}: what memory {plugin.name} returned cannot be kept there ({why}); remove the file if it is"
        " damaged, or set XDG_CACHE_HOME to another folder"
    )


def _path(plugin: Plugin, suffix: str) -> Path:
    return folder() / f"{plugin.name}-{plugin.sha256[:16]}{suffix}"

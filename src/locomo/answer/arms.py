"""The arms: one memory read by one reader each. A new arm is a new line of `ARMS` (SPEC 10).

Any other name is that of an external memory (`locomo.memory.plugins`), with or without a reader.
"""

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from locomo.answer import fitting
from locomo.core import paths
from locomo.core.errors import LocomoError, made_by
from locomo.formats.dataset import Conversation
from locomo.formats.store import Store
from locomo.memory import asked
from locomo.memory.base import Memory
from locomo.memory.contract import Declared
from locomo.memory.graph import GraphMemory
from locomo.memory.oracle import OracleMemory
from locomo.memory.path import Path2Memory, Path3Memory, PathMemory, Walk2Memory, Walk3Memory
from locomo.memory.plugins import Plugin, find, known
from locomo.memory.scoped import ScopedMemory
from locomo.memory.span import SpanMemory
from locomo.memory.vector import VectorMemory
from locomo.reader.base import Reader
from locomo.reader.gather import GatherReader
from locomo.reader.recite import ReciteReader
from locomo.reader.reply import ReplyReader
from locomo.results.predictions import Origin

READERS: dict[str, Reader] = {"": ReplyReader(), "edge": ReciteReader(), "set": GatherReader()}
"""The suffix of an arm's name, as in `graph+set`, and the reader it means."""


@dataclass(frozen=True, slots=True)
class Arm:
    """The name of a memory and how one is made for a conversation, and the name of a reader."""

    memory: str
    make: Callable[[Conversation, Store], Memory]
    reads: str = ""
    """A key of `READERS`."""
    reads_graph: bool = False
    plugin: Plugin | None = None
    """Where an external memory comes from; None for ours."""
    partial: bool = False
    """Whether an external memory declares that it cites only what it finds."""
    may_fail: bool = False
    """Whether an error of an external memory is counted, and does not end the run."""
    fitted: Any = None
    """What the `fit` of the reader returned for the other conversations; None without `fit`."""

    @property
    def reader(self) -> Reader:
        """The reader that reads what the memory cites."""
        reader = READERS[self.reads]
        return reader if self.fitted is None else reader.fitted(self.fitted)


def _ours(memory: str, kind: type[Memory], reads: str = "") -> Arm:
    return Arm(memory, kind, reads, kind.reads_graph)


ARMS = {
    "vector": _ours("vector", VectorMemory),
    "graph": _ours("graph", GraphMemory),
    "graph+edge": _ours("graph", GraphMemory, "edge"),
    "oracle": _ours("oracle", OracleMemory),
    "scoped": _ours("scoped", ScopedMemory),
    "span": _ours("span", SpanMemory),
    "path": _ours("path", PathMemory),
    "path+set": _ours("path", PathMemory, "set"),
    "vector+set": _ours("vector", VectorMemory, "set"),
    "oracle+set": _ours("oracle", OracleMemory, "set"),
    "graph+set": _ours("graph", GraphMemory, "set"),
    "path2": _ours("path2", Path2Memory, "set"),
    "path3": _ours("path3", Path3Memory, "set"),
    "walk2": _ours("walk2", Walk2Memory, "set"),
    "walk3": _ours("walk3", Walk3Memory, "set"),
}

MEMORIES = tuple(dict.fromkeys(arm.memory for arm in ARMS.values()))
"""The names of our memories, in the order of the tables."""


def select(names: Iterable[str], may_fail: Iterable[str] = ()) -> dict[str, Arm]:
    """The named arms: ours in the order of the table, then those of external memories in the given order.

    Only external memories `may_fail`. Raises LocomoError for a name that is no arm, for two memories
    of one name, and for a memory in `may_fail` that no arm reads.
    """
    wanted, failing = list(names), list(may_fail)
    others = {name: _external(name, failing) for name in wanted if name not in ARMS}
    if unknown := [name for name, arm in others.items() if arm is None]:
        raise LocomoError(
            f"arms: {', '.join(unknown)}: no such arm; allowed are {', '.join(ARMS)}, and external memories,"
            f" alone or with +edge or +set ({known()}){_HINT if _in_copy() else ''}"
        )
    _check_shadows(ARMS[name].memory for name in wanted if name in ARMS)
    _check_failing(failing, {arm.memory for arm in others.values() if arm})
    return {name: others.get(name) or ARMS[name] for name in ordered(wanted)}


def ordered(names: Iterable[str]) -> list[str]:
    """Names of arms in the order of the tables: ours as listed here, then others in the given order."""
    wanted = list(names)
    return [name for name in ARMS if name in wanted] + [name for name in wanted if name not in ARMS]


def as_noted(names: Sequence[str], may_fail: Sequence[str]) -> dict[str, Any]:
    """What stage `arms` notes: the arms of a run, in order, and which code their external memories are."""
    arms = select(names, may_fail)
    return {
        "arms": list(arms),
        "may_fail": list(may_fail),
        "memories": {name: origin._asdict() for name, origin in origins(arms).items()},
    }


def noted() -> dict[str, Arm]:
    """The arms of the run, as stage `arms` noted them; no code of external memories is run.

    Raises LocomoError if a memory is no longer the code that was noted.
    """
    with made_by("arms", paths.ARMS):
        note = json.loads(paths.ARMS.read_bytes())
        memories = {name: Origin(**origin) for name, origin in note["memories"].items()}
        names, may_fail = list(note["arms"]), list(note["may_fail"])
    return {name: ARMS.get(name) or _as_it_was(name, memories, may_fail) for name in names}


def _as_it_was(name: str, memories: Mapping[str, Origin], may_fail: Collection[str]) -> Arm:
    memory, _, reads = name.partition("+")
    was, plugin = memories[memory], find(memory)
    if plugin is None or (plugin.where, plugin.version, plugin.sha256) != was[:3]:
        # DVC sees a changed file, but not a changed package.
        first = "" if was.where.endswith(".py") else "`dvc repro --force arms`, then "
        raise LocomoError(
            f"memory {memory}: {was.where} has changed since stage arms ran; run {first}`dvc repro`"
        )
    return of_plugin(plugin, reads, partial=was.partial, may_fail=memory in may_fail)


def of_plugin(plugin: Plugin, reads: str, *, partial: bool, may_fail: bool) -> Arm:
    """The arm of an external memory. What it cites has to be brought with `at_hand`."""
    return Arm(plugin.name, CiteReturned({}), reads, plugin=plugin, partial=partial, may_fail=may_fail)


@dataclass(frozen=True, slots=True)
class CiteReturned:
    """Makes the memory that cites what an external memory returned, also in another process."""

    answers: asked.Answers

    def __call__(self, conversation: Conversation, store: Store) -> Memory:
        """The memory for this conversation, which it was asked about."""
        return asked.AskedMemory(self.answers, conversation, store)


def check_name(memory: str, where: str) -> None:
    """Raise LocomoError if an external memory, in a file or package, has the name of one of ours."""
    if memory in MEMORIES:
        raise LocomoError(f"memory {memory}: {where} has the name of one of our memories; rename it")


def origins(arms: Mapping[str, Arm]) -> dict[str, Origin]:
    """Which code each external memory is, by name."""
    return {
        arm.memory: Origin(arm.plugin.where, arm.plugin.version, arm.plugin.sha256, arm.partial)
        for arm in arms.values()
        if arm.plugin
    }


def external(arms: Mapping[str, Arm]) -> dict[str, Plugin]:
    """The external memories that the arms read, by name."""
    return {arm.memory: arm.plugin for arm in arms.values() if arm.plugin}


def readers_to_fit(arms: Mapping[str, Arm]) -> dict[str, Reader]:
    """The readers of the arms that have a `fit`, by their key in `READERS`."""
    return {arm.reads: arm.reader for arm in arms.values() if hasattr(arm.reader, "fit")}


def at_hand(arms: Mapping[str, Arm], conversation: Conversation, ks: Collection[int]) -> dict[str, Arm]:
    """The arms for one conversation: with what external memories returned at each k, and fitted readers.

    What they returned is read here, because a worker on another machine does not have the files.
    """
    sample = conversation.sample_id
    returned = {name: asked.read(plugin, sample, ks) for name, plugin in external(arms).items()}
    return given(arms, returned, fitting.read(sample, readers_to_fit(arms)))


def given(
    arms: Mapping[str, Arm], returned: Mapping[str, asked.Answers], fitted: Mapping[str, Any]
) -> dict[str, Arm]:
    """The arms for one conversation: given what its memories returned, and what readers are fitted to."""
    make = {memory: CiteReturned(answers) for memory, answers in returned.items()}
    return {
        name: replace(arm, make=make.get(arm.memory, arm.make), fitted=fitted.get(arm.reads))
        for name, arm in arms.items()
    }


def _external(name: str, may_fail: Sequence[str]) -> Arm | None:
    """The arm of an external memory; None if there is no such memory or reader."""
    memory, plus, reader = name.partition("+")
    if bool(plus) != bool(reader) or reader not in READERS or memory in MEMORIES:
        return None
    plugin = find(memory)
    if plugin is None:
        return None
    partial = Declared.of(plugin).partial
    return of_plugin(plugin, reader, partial=partial, may_fail=memory in may_fail)


_HINT = "; this is a copy that DVC made of what git knows: `git add` a new file first"


def _in_copy() -> bool:
    """Whether this is the folder of a queued experiment or of `dvc exp run --temp`."""
    return "/.dvc/tmp/exps/" in Path.cwd().as_posix()


def _check_shadows(memories: Iterable[str]) -> None:
    for memory in dict.fromkeys(memories):
        if plugin := find(memory):
            check_name(memory, plugin.where)


def _check_failing(failing: Iterable[str], external: Collection[str]) -> None:
    if wrong := [name for name in failing if name not in external]:
        raise LocomoError(
            f"may_fail: {', '.join(wrong)}: no external memory that an arm reads;"
            f" allowed are {', '.join(sorted(external)) or 'none'}"
        )

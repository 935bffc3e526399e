"""The arms: one memory read one way each. A new arm of ours is a new line here (SPEC 10).

A name that is not here is that of a memory from outside (`locomo.plugins`), with or without a reader.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from locomo.core.errors import LocomoError
from locomo.formats.store import Store
from locomo.memory.base import Memory
from locomo.memory.oracle import OracleMemory
from locomo.memory.path import PathMemory
from locomo.memory.plugins import Plugin, find, known
from locomo.memory.subject import GraphMemory, ScopedMemory, SpanMemory
from locomo.memory.vector import VectorMemory
from locomo.reader.lifting import Reader, gather, recite, reply

Evidence = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class MemoryKind:
    """How a memory is made for one conversation; whether it reads the graph (blinding changes no other)."""

    make: Callable[[Store, Evidence], Memory]
    reads_graph: bool = False


MEMORIES = {
    "vector": MemoryKind(lambda store, _: VectorMemory(store)),
    "graph": MemoryKind(lambda store, _: GraphMemory(store)),
    "oracle": MemoryKind(OracleMemory),
    "scoped": MemoryKind(lambda store, _: ScopedMemory(store)),
    "span": MemoryKind(lambda store, _: SpanMemory(store)),
    "path": MemoryKind(lambda store, _: PathMemory(store), reads_graph=True),
    "path2": MemoryKind(lambda store, _: PathMemory(store, hops=2), reads_graph=True),
    "path3": MemoryKind(lambda store, _: PathMemory(store, hops=3), reads_graph=True),
    "walk2": MemoryKind(lambda store, _: PathMemory(store, hops=2, anywhere=True), reads_graph=True),
    "walk3": MemoryKind(lambda store, _: PathMemory(store, hops=3, anywhere=True), reads_graph=True),
}


@dataclass(frozen=True, slots=True)
class Arm:
    """The name of a memory, and the reader that reads what it cites."""

    memory: str
    reader: Reader
    plugin: Plugin | None = None
    """Where the memory comes from, if it is none of ours."""
    may_fail: bool = False
    """Whether the memory may raise errors, which are counted then."""

    @property
    def reads_graph(self) -> bool:
        """Whether its memory reads the graph; one from outside never sees it."""
        return self.plugin is None and MEMORIES[self.memory].reads_graph


ARMS = {
    "vector": Arm("vector", reply),
    "graph": Arm("graph", reply),
    "graph+edge": Arm("graph", recite),
    "oracle": Arm("oracle", reply),
    "scoped": Arm("scoped", reply),
    "span": Arm("span", reply),
    "path": Arm("path", reply),
    "path+set": Arm("path", gather),
    "vector+set": Arm("vector", gather),
    "oracle+set": Arm("oracle", gather),
    "graph+set": Arm("graph", gather),
    "path2": Arm("path2", gather),
    "path3": Arm("path3", gather),
    "walk2": Arm("walk2", gather),
    "walk3": Arm("walk3", gather),
}


READERS = {"": reply, "edge": recite, "set": gather}
"""What stands behind the name of a memory from outside, as in `mine+set`, and the reader that it means."""


def select(names: Iterable[str], may_fail: Iterable[str] = ()) -> dict[str, Arm]:
    """The named arms: ours in the order of the table, behind them those of other memories as they are named.

    Memories that `may_fail` are from outside. Raises LocomoError for a name that is no arm, for two memories
    of one name, and for a memory in `may_fail` that no arm reads.
    """
    wanted, failing = list(names), list(may_fail)
    others = {name: _outside(name, failing) for name in wanted if name not in ARMS}
    if unknown := [name for name, arm in others.items() if arm is None]:
        raise LocomoError(
            f"arms: {', '.join(unknown)}: no such arm; allowed are {', '.join(ARMS)}, and memories of yours,"
            f" alone or with +edge or +set ({known()})"
        )
    _check_shadows(ARMS[name].memory for name in wanted if name in ARMS)
    _check_failing(failing, {arm.memory for arm in others.values() if arm})
    return {name: others.get(name) or ARMS[name] for name in ordered(wanted)}


def ordered(names: Iterable[str]) -> list[str]:
    """Names of arms in the order of the tables: ours as they stand here, then others as they come."""
    wanted = list(names)
    return [name for name in ARMS if name in wanted] + [name for name in wanted if name not in ARMS]


def _outside(name: str, may_fail: Sequence[str]) -> Arm | None:
    """The arm of a memory from outside; None if there is no such memory or reader."""
    memory, plus, reader = name.partition("+")
    if bool(plus) != bool(reader) or reader not in READERS or memory in MEMORIES:
        return None
    plugin = find(memory)
    return Arm(memory, READERS[reader], plugin, memory in may_fail) if plugin else None


def _check_shadows(memories: Iterable[str]) -> None:
    for memory in dict.fromkeys(memories):
        if plugin := find(memory):
            raise LocomoError(
                f"memory {memory}: {plugin.where} takes the name of a memory of ours; rename it"
            )


def _check_failing(failing: Iterable[str], outside: Collection[str]) -> None:
    if wrong := [name for name in failing if name not in outside]:
        raise LocomoError(
            f"may_fail: {', '.join(wrong)}: no memory from outside that an arm reads;"
            f" allowed are {', '.join(sorted(outside)) or 'none'}"
        )

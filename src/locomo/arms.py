"""The arms: one memory read one way each. A new arm is a new line here (SPEC 10)."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from locomo.errors import LocomoError
from locomo.memory.base import Memory
from locomo.memory.oracle import OracleMemory
from locomo.memory.path import PathMemory
from locomo.memory.subject import GraphMemory, ScopedMemory, SpanMemory
from locomo.memory.vector import VectorMemory
from locomo.reader import Reader, gather, recite, reply
from locomo.store import Store

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


def select(names: Iterable[str]) -> dict[str, Arm]:
    """The named arms, in the order of the table. Raises LocomoError for a name that is not in it."""
    wanted = list(names)
    unknown = [name for name in wanted if name not in ARMS]
    if unknown:
        raise LocomoError(f"arms: {', '.join(unknown)}: no such arm; allowed are {', '.join(ARMS)}")
    return {name: arm for name, arm in ARMS.items() if name in wanted}

"""The graph of a conversation: folded subjects and objects, joined by what is said of them (SPEC 6)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from locomo.dialogue import Claim
from locomo.text import fold

_FNV_OFFSET = np.uint64(14695981039346656037)
_FNV_PRIME = np.uint64(1099511628211)


@dataclass(slots=True)
class Edge:
    """One relation between two nodes: their names, its label as first written, the turns that assert it."""

    source: str
    label: str
    target: str
    turns: list[int] = field(default_factory=list)
    identity: str = ""


@dataclass(frozen=True, slots=True)
class Graph:
    """Nodes in order of first mention; edges in order of their identity, which breaks ties."""

    nodes: list[str]
    edges: list[Edge]


def make_graph(claims: Iterable[Claim]) -> Graph:
    """Join claims into a graph; a derived claim adds an edge but asserts no turn."""
    nodes: dict[str, None] = {}
    edges: dict[tuple[str, str, str], Edge] = {}
    for claim in claims:
        source, target = fold(claim.subject), fold(claim.object)
        nodes[source] = nodes[target] = None
        key = (source, fold(claim.predicate), target)
        edge = edges.get(key)
        if edge is None:
            edge = edges[key] = Edge(source, claim.predicate, target)
        if claim.sentence is not None and claim.turn not in edge.turns:
            edge.turns.append(claim.turn)
    for edge, identity in zip(edges.values(), identities(list(edges)), strict=True):
        edge.identity = identity
    return Graph(list(nodes), sorted(edges.values(), key=lambda edge: edge.identity))


def identities(keys: Sequence[tuple[str, str, str]]) -> list[str]:
    """The 64-bit FNV-1a of each key's parts, each part followed by a zero byte, as 16 hexadecimal digits."""
    texts = [b"".join(part.encode() + b"\0" for part in key) for key in keys]
    lengths = np.array([len(text) for text in texts])
    width = int(lengths.max(initial=0))
    grid = np.frombuffer(b"".join(text.ljust(width, b"\0") for text in texts), np.uint8)
    hashes = np.full(len(texts), _FNV_OFFSET)
    for place, column in enumerate(grid.reshape(len(texts), width).T):
        inside = place < lengths
        hashes[inside] = (hashes[inside] ^ column[inside]) * _FNV_PRIME
    return [f"{value:016x}" for value in hashes.tolist()]

"""The graph of a conversation: folded subjects and objects are nodes, predicates label edges (SPEC 6)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np

from locomo.index.claims import Claim
from locomo.text.tokens import fold, stem, words

_FNV_OFFSET = np.uint64(14695981039346656037)
_FNV_PRIME = np.uint64(1099511628211)


class Edge(NamedTuple):
    """One relation between two nodes (indices), its label as first written, and the turns that assert it.

    `id` breaks ties. Edges of one `relation` share the node they leave and the stems of their label (SPEC 8).
    """

    id: str
    source: int
    label: str
    target: int
    turns: list[int]
    relation: int


@dataclass(frozen=True, slots=True)
class Graph:
    """Nodes in order of first mention; edges in order of their ids."""

    nodes: list[str]
    edges: list[Edge]


def make_graph(claims: Sequence[Claim]) -> Graph:
    """Make a graph from claims; a derived claim adds an edge but no turn that asserts it."""
    found: dict[tuple[str, str, str], tuple[str, dict[int, None]]] = {}
    folded = cache(fold)
    for subject, predicate, object_, turn, sentence in claims:
        _, turns = found.setdefault((folded(subject), folded(predicate), folded(object_)), (predicate, {}))
        if sentence is not None:
            turns[turn] = None
    ends = dict.fromkeys(end for source, _, target in found for end in (source, target))
    nodes = {node: place for place, node in enumerate(ends)}
    stems_of = cache(lambda label: tuple(map(stem, words(label))))
    relations: dict[tuple[str, tuple[str, ...]], int] = {}
    edges = []
    for (key, (label, turns)), id in zip(found.items(), identities(list(found)), strict=True):
        source, folded_label, target = key
        relation = relations.setdefault((source, stems_of(folded_label)), len(relations))
        edges.append(Edge(id, nodes[source], label, nodes[target], list(turns), relation))
    return Graph(list(ends), sorted(edges, key=lambda edge: edge.id))


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

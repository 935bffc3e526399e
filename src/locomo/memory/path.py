"""Relations in the graph, one or more hops from the people that a question names (SPEC 8)."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from locomo.formats.dataset import Conversation
from locomo.formats.store import Store
from locomo.memory.base import Cites, Memory
from locomo.memory.query import QueryBlock
from locomo.memory.ranking import Ranked, first
from locomo.text.sparse import Integers

Hops = NDArray[np.uint8]

_NEVER = 255


class PathMemory(Memory):
    """Cites edges within `hops` of the nodes that a question names, relation by relation.

    Later hops pass only through nodes that share a stem with the question, or through any if `anywhere`.
    """

    reads_graph = True
    nested = True
    hops = 1
    anywhere = False

    def __init__(self, conversation: Conversation, store: Store) -> None:
        self._turns = store.edges.turns
        self._nodes = store.nodes
        self._node_of = {node: index for index, node in enumerate(store.nodes)}
        self._relation = np.array(store.edges.relation, np.int64)
        self._target = store.edges.target
        self._ends = np.array([store.edges.source, store.edges.target], np.int64)
        self._walked: dict[tuple[int, ...], Hops] = {}

    def cite(self, block: QueryBlock, k: int) -> list[Cites]:
        """The relations whose edges score best for each question."""
        n = len(block)
        # The number of the hop that starts at each node. It reaches the node's edges, in both directions.
        out = np.full((n, len(self._nodes)), _NEVER, np.uint8)
        for row, query in enumerate(block.queries):
            starts = tuple(self._node_of[name] for name in query.mentions if name in self._node_of)
            if starts:
                out[row] = self._walk(starts, block, row)
        rows, edges, scores = block.edge_scores
        source, target = self._ends[:, edges]
        hop = np.minimum(out[rows, source], out[rows, target])
        reached = hop != _NEVER
        # Edges are stored in the order of their ids, which breaks ties.
        ranked = first(n, rows[reached], edges[reached], scores[reached] / hop[reached])
        order = self._by_relation(ranked)
        found, scored = ranked.columns[order].tolist(), ranked.scores[order].tolist()
        bounds = pairwise(ranked.bounds.tolist())
        return [self._cites(found[start:end], scored[start:end], k) for start, end in bounds]

    def _by_relation(self, ranked: Ranked) -> Integers:
        """The order of each row's edges: those of the best edge's relation first, then of the next best."""
        relations = ranked.rows * len(self._relation) + self._relation[ranked.columns]
        _, first_place, relation = np.unique(relations, return_index=True, return_inverse=True)
        return np.argsort(first_place[relation], kind="stable")

    def _walk(self, starts: tuple[int, ...], block: QueryBlock, row: int) -> Hops:
        """The number of the hop that starts at each node, breadth first; `_NEVER` if none does."""
        # Kept, because it depends only on the start nodes, and most questions start from a speaker.
        if starts not in self._walked:
            self._walked[starts] = self._walk_anywhere(starts)
        walked = self._walked[starts]
        if self.anywhere or self.hops == 1:
            return walked
        # The second hop starts at neighbours of the start nodes, and only at those that meet the question.
        meets = block.node_meets[row]
        out = np.where((walked <= 2) & (meets | (walked == 1)), walked, _NEVER).astype(np.uint8)
        for hop in range(3, self.hops + 1):
            out[self._beside(out == hop - 1) & meets & (out == _NEVER)] = hop
        return out

    def _walk_anywhere(self, starts: Sequence[int]) -> Hops:
        out = np.full(len(self._nodes), _NEVER, np.uint8)
        out[list(starts)] = 1
        for hop in range(2, self.hops + 1):
            out[self._beside(out == hop - 1) & (out == _NEVER)] = hop
        return out

    def _beside(self, nodes: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which nodes share an edge with one of these."""
        source, target = self._ends
        beside = np.zeros(len(self._nodes), np.bool_)
        beside[target[nodes[source]]] = True
        beside[source[nodes[target]]] = True
        return beside

    def _cites(self, edges: Sequence[int], scores: Sequence[float], k: int) -> Cites:
        """For each edge with a new target, the first of its turns that is not cited yet."""
        target_of, turns_of = self._target, self._turns
        cited: dict[int, float] = {}
        targets: dict[int, None] = {}
        for edge, score in zip(edges, scores, strict=True):
            target = target_of[edge]
            if target in targets:
                continue
            for turn in turns_of[edge]:
                if turn not in cited:
                    cited[turn] = score
                    targets[target] = None
                    break
            if len(cited) == k:
                break
        return Cites(list(cited), list(cited.values()), [self._nodes[target] for target in targets])


class Path2Memory(PathMemory):
    """Two hops, through nodes that share a stem with the question."""

    hops = 2


class Path3Memory(PathMemory):
    """Three hops, through nodes that share a stem with the question."""

    hops = 3


class Walk2Memory(PathMemory):
    """Two hops, through any node."""

    hops = 2
    anywhere = True


class Walk3Memory(PathMemory):
    """Three hops, through any node."""

    hops = 3
    anywhere = True

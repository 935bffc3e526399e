"""Relations out of the graph, one hop or more from the people a question names (SPEC 8)."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from locomo.memory.base import Cite
from locomo.memory.index import best
from locomo.question import QuestionBlock
from locomo.store import Store
from locomo.vocabulary import Floats

Hops = NDArray[np.int64]


class PathMemory:
    """Edges found within `hops` of the nodes a question names, a relation at a time.

    A hop is taken through a far node only if it meets the question, or through any node if `anywhere`.
    """

    def __init__(self, store: Store, hops: int = 1, anywhere: bool = False) -> None:
        self._hops = hops
        self._anywhere = anywhere
        self._edges = store.edges
        self._nodes = store.nodes
        self._node_of = {node: index for index, node in enumerate(store.nodes)}
        self._ends = np.array([(edge.source, edge.target) for edge in store.edges], np.int64).reshape(-1, 2)
        self._relations = np.array([edge.relation for edge in store.edges], np.int64)

    def ask(self, block: QuestionBlock, k: int) -> list[list[Cite]]:
        """The relations that answer most of each question and were asked for most."""
        answers = []
        for row, question in enumerate(block.questions):
            starts = [self._node_of[name] for name in question.mentions if name in self._node_of]
            reached = self._reach(starts, block.node_meets[row])
            answers.append(list(self._cites(reached, block.edge_scores[row], k)))
        return answers

    def _reach(self, starts: Sequence[int], meets: NDArray[np.bool_]) -> Hops:
        """The hop at which each edge is first reached, breadth first and either way; 0 if it is not."""
        reached = np.zeros(len(self._edges), np.int64)
        visited = np.zeros(len(self._nodes), np.bool_)
        frontier = visited.copy()
        frontier[starts] = True
        for hop in range(1, self._hops + 1):
            visited |= frontier
            new = frontier[self._ends].any(axis=1) & (reached == 0)
            reached[new] = hop
            frontier = np.zeros(len(self._nodes), np.bool_)
            frontier[self._ends[new]] = True
            frontier &= ~visited
            if not self._anywhere:
                frontier &= meets
        return reached

    def _cites(self, reached: Hops, scores: Floats, k: int) -> Iterator[Cite]:
        edges = np.flatnonzero(reached)
        # Edges are stored in the order of their identity, so a stable sort breaks ties by it.
        ranked = best(edges, scores[edges] / reached[edges], len(edges))
        relations = self._relations[[edge for edge, _ in ranked]] if ranked else np.empty(0, np.int64)
        done: set[int] = set()
        turns: set[int] = set()
        objects: set[int] = set()
        for relation in relations.tolist():
            if relation in done:
                continue
            done.add(relation)
            for place in np.flatnonzero(relations == relation).tolist():
                edge, score = self._edges[ranked[place][0]], ranked[place][1]
                if edge.target in objects:
                    continue
                turn = next((turn for turn in edge.turns if turn not in turns), None)
                if turn is None:
                    continue
                turns.add(turn)
                objects.add(edge.target)
                yield Cite(turn, score, self._nodes[edge.target])
                if len(turns) == k:
                    return

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
        self._turns = store.edges.turns
        self._nodes = store.nodes
        self._node_of = {node: index for index, node in enumerate(store.nodes)}
        self._relations = np.array(store.edges.relation, np.int64)
        self._ends = np.array([store.edges.source, store.edges.target], np.int64)
        self._reached: dict[tuple[int, ...], Hops] = {}
        # The edges that touch a node, either way, stand together: node n's from bounds[n] to bounds[n + 1].
        ends = self._ends.ravel()
        self._touching = np.argsort(ends, kind="stable") % max(1, len(self._relations))
        self._bounds = np.searchsorted(np.sort(ends), range(len(self._nodes) + 1)).tolist()

    def ask(self, block: QuestionBlock, k: int) -> list[list[Cite]]:
        """The relations that answer most of each question and were asked for most."""
        answers = []
        for row, question in enumerate(block.questions):
            starts = [self._node_of[name] for name in question.mentions if name in self._node_of]
            reached = self._reach_from(starts, block.node_meets[row])
            answers.append(list(self._cites(reached, block.edge_scores[row], k)))
        return answers

    def _reach_from(self, starts: Sequence[int], meets: NDArray[np.bool_]) -> Hops:
        if self._hops > 1 and not self._anywhere:
            return self._reach(starts, meets)
        # Nothing of the question but its start nodes matters here, and most questions start from a speaker.
        key = tuple(starts)
        if key not in self._reached:
            self._reached[key] = self._reach(starts, meets)
        return self._reached[key]

    def _reach(self, starts: Sequence[int], meets: NDArray[np.bool_]) -> Hops:
        """The hop at which each edge is first reached, breadth first and either way; 0 if it is not."""
        reached = np.zeros(len(self._relations), np.int64)
        visited = np.zeros(len(self._nodes), np.bool_)
        frontier = list(starts)
        for hop in range(1, self._hops + 1):
            visited[frontier] = True
            new = [self._touching[self._bounds[node] : self._bounds[node + 1]] for node in frontier]
            edges = np.concatenate([*new, self._touching[:0]])
            edges = edges[reached[edges] == 0]
            reached[edges] = hop
            if hop < self._hops:
                far = np.zeros(len(self._nodes), np.bool_)
                far[self._ends[:, edges]] = True
                far &= ~visited
                if not self._anywhere:
                    far &= meets
                frontier = far.nonzero()[0].tolist()
        return reached

    def _cites(self, reached: Hops, scores: Floats, k: int) -> Iterator[Cite]:
        edges = ((scores > 0) & (reached > 0)).nonzero()[0]
        # Edges are stored in the order of their ids, so a stable sort breaks ties by it.
        ranked = best(edges, scores[edges] / reached[edges], len(edges))
        relations = self._relations[[edge for edge, _ in ranked]] if ranked else self._relations[:0]
        done: set[int] = set()
        turns: set[int] = set()
        targets: set[int] = set()
        for relation in relations.tolist():
            if relation in done:
                continue
            done.add(relation)
            for place in (relations == relation).nonzero()[0].tolist():
                edge, score = ranked[place]
                target = int(self._ends[1, edge])
                turn = next((turn for turn in self._turns[edge] if turn not in turns), None)
                if target in targets or turn is None:
                    continue
                turns.add(turn)
                targets.add(target)
                yield Cite(turn, score, self._nodes[target])
                if len(turns) == k:
                    return

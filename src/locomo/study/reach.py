"""What a memory could find at all, at any rank (SPEC 12)."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from math import isnan, nan
from typing import Any

from locomo.answer.arms import Arm
from locomo.answer.asking import blocks, make_memories
from locomo.formats.dataset import Category, Conversation, turns_by_id
from locomo.formats.store import Store
from locomo.memory.base import UNCUT
from locomo.memory.query import QueryBlock
from locomo.score.averages import rounded, table
from locomo.score.measures.recall import evidence_recall, share
from locomo.text.tokens import fold

HOPS = {"one_hop": 1, "two_hops": 2}

Observation = tuple[str, Category, float]
"""The name of a row of a table, the category of a question, and a value between 0 and 1."""


@dataclass(frozen=True, slots=True)
class Reach:
    """What was observed in one conversation."""

    questions: int
    recalls: list[Observation]
    hops: list[Observation]
    relations: dict[str, int]


def reach(conversation: Conversation, store: Store, arms: Mapping[str, Arm]) -> Reach:
    """All that is observed in one conversation."""
    return Reach(
        len(conversation.questions),
        list(uncut_recall(conversation, store, arms)),
        list(hop_reach(conversation, store)),
        count_relations(store),
    )


def summary(found: Sequence[Reach], memories: Sequence[str]) -> dict[str, Any]:
    """The tables of `metrics/reach.json`; `failed`, if any did, counts the questions a memory failed on."""
    recalls = [observation for one in found for observation in one.recalls]
    asked = sum(one.questions for one in found)
    observed = Counter(name for name, *_ in recalls)
    failed = {name: asked - observed[name] for name in memories if observed[name] < asked}
    known = (observation for observation in recalls if not isnan(observation[-1]))
    return {
        f"recall_at_{UNCUT}": table(known, memories),
        "hop_reach": table((observation for one in found for observation in one.hops), list(HOPS)),
        "relations": relations(one.relations for one in found),
        **({"failed": failed} if failed else {}),
    }


def uncut_recall(conversation: Conversation, store: Store, arms: Mapping[str, Arm]) -> Iterator[Observation]:
    """The recall of each question by each memory that the arms read, asked for `UNCUT` turns.

    The floor plays no part: an arm that abstains cites all the same. A question that an external memory fails
    on has none; it is NaN for one where it cites texts of its own.
    """
    memories = make_memories(conversation, store, arms)
    places = {
        id: [store.turn_index[turn.id] for turn in turns] for id, turns in turns_by_id(conversation).items()
    }
    questions = iter(conversation.questions)
    for block in blocks(conversation, store):
        asked = list(islice(questions, len(block)))
        for name, memory in memories.items():
            cited_in = memory.source(block).store
            for question, cites in zip(asked, memory.cite(block, UNCUT), strict=True):
                if cites.failure:
                    continue
                if not cites.sourced:
                    yield name, question.category, nan
                    continue
                if cited_in is store:
                    cited = set(cites.turns)
                    recall = share([not cited.isdisjoint(places.get(id, ())) for id in question.evidence_ids])
                else:
                    ids = [cited_in.turns.id[turn] for turn in cites.turns]
                    recall = evidence_recall(ids, question.evidence_ids)
                yield name, question.category, recall


def hop_reach(conversation: Conversation, store: Store) -> Iterator[Observation]:
    """For each evidence id of a question with a subject, whether it is within so many hops of the subject.

    A session is, if any turn of it is.
    """
    block = QueryBlock(store, [question.question for question in conversation.questions])
    ids_of = {id: [turn.id for turn in turns] for id, turns in turns_by_id(conversation).items()}
    near: dict[str, dict[str, set[str]]] = {}
    for question, asked in zip(conversation.questions, block.queries, strict=True):
        subject = asked.subject
        if not subject:
            continue
        if subject not in near:
            near[subject] = {name: turns_within(store, subject, hops) for name, hops in HOPS.items()}
        for name, turns in near[subject].items():
            for id in question.evidence_ids:
                yield name, question.category, float(not turns.isdisjoint(ids_of.get(id, ())))


def turns_within(store: Store, node: str, hops: int) -> set[str]:
    """The ids of the turns that assert an edge within some hops of a node, either way; none without it."""
    reached = {index for index, name in enumerate(store.nodes) if name == node}
    ends = list(zip(store.edges.source, store.edges.target, strict=True))
    edges: list[int] = []
    for _ in range(hops):
        edges = [edge for edge, (source, target) in enumerate(ends) if source in reached or target in reached]
        reached.update(end for edge in edges for end in ends[edge])
    return {store.turns.id[turn] for edge in edges for turn in store.edges.turns[edge]}


def count_relations(store: Store) -> dict[str, int]:
    """How many edges one graph holds, and how many relations: a node and the label of edges out of it.

    Labels are told apart as folded (`by_label`) or by their stems (`by_stemmed_label`).
    """
    edges = store.edges
    return {
        "edges": len(edges.id),
        "by_label": len(set(zip(edges.source, map(fold, edges.label), strict=True))),
        "by_stemmed_label": len(set(edges.relation)),
    }


def relations(counts: Iterable[Mapping[str, int]]) -> dict[str, float | None]:
    """The totals of `count_relations`, and how many edges, or values, a relation has on average."""
    total: Counter[str] = Counter()
    for count in counts:
        total.update(count)
    means = {
        f"mean_values_{kind}": rounded(total["edges"] / total[kind]) if total[kind] else None
        for kind in ("by_label", "by_stemmed_label")
    }
    return {**total, **means}

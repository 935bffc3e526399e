"""The usual measures of retrieval beside recall, of what a memory cites: P@k, MRR@k, nDCG@k, hit rate@k.

An id is relevant or not: it is in the question's evidence or not. An id that is cited twice keeps its first
place. `locomo export` writes the same judgement as TREC files, with which ir_measures finds the same figures.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache

from locomo.formats.dataset import Category, Conversation, Question
from locomo.results.predictions import Answer, Failure
from locomo.score.averages import Table, table
from locomo.score.measures.recall import comparable, names_sessions, sessions


def precision(found: Sequence[bool], relevant: int, k: int) -> float:
    """The relevant share of k places; a place where nothing is cited counts as not relevant."""
    return sum(found) / k


def reciprocal_rank(found: Sequence[bool], relevant: int, k: int) -> float:
    """1 over the place of the first relevant id, counted from 1; 0 without any."""
    return 1 / (found.index(True) + 1) if any(found) else 0.0


def ndcg(found: Sequence[bool], relevant: int, k: int) -> float:
    """The gain, less at later places, as a share of that of k places with all relevant ids first."""
    return _gain(found) / _gain([True] * min(relevant, k))


def hit_rate(found: Sequence[bool], relevant: int, k: int) -> float:
    """1 if any relevant id is cited."""
    return float(any(found))


RETRIEVAL: Mapping[str, Callable[[Sequence[bool], int, int], float]] = {
    "precision": precision,
    "mrr": reciprocal_rank,
    "ndcg": ndcg,
    "hit_rate": hit_rate,
}
"""The measures by name, in the order of the tables.

Each is a function of whether the ids at the first k places are relevant, best first (fewer if fewer are
cited), of the number of relevant ids, 1 or more, and of k.
"""

LABELS: Mapping[str, str] = {"precision": "P", "mrr": "MRR", "ndcg": "nDCG", "hit_rate": "hit rate"}
"""What a table calls them, followed by `@` and k."""


def retrieval(question: Question, cited: Sequence[str], k: int) -> Mapping[str, float]:
    """Each measure of the first k different ids cited for a question with evidence.

    Sessions are judged by the sessions of the evidence, as for recall. A question with a session in its
    evidence is always judged so: each cited turn becomes its session, which keeps its first place. So k turns
    of one session fill one place, as one turn that is cited k times does.
    """
    named = question.evidence_ids
    ids, evidence = map(dict.fromkeys, comparable(sessions(cited) if names_sessions(named) else cited, named))
    return _values(tuple(id in evidence for id in list(ids)[:k]), len(evidence), k)


@cache  # of a few hundred patterns, over tens of thousands of answers
def _values(found: tuple[bool, ...], relevant: int, k: int) -> Mapping[str, float]:
    return {name: measure(found, relevant, k) for name, measure in RETRIEVAL.items()}


def retrieval_tables(
    conversations: Iterable[Conversation],
    samples: Iterable[tuple[str, Sequence[Mapping[str, Answer | Failure]]]],
    arms: Iterable[str],
    k: int,
) -> dict[str, Table]:
    """By memory, the means of each measure; what a memory cites is read from its first arm.

    A question counts only if it has evidence, and if the memory neither failed nor cited texts of its own.
    """
    first: dict[str, str] = {}
    for arm in arms:
        first.setdefault(arm.partition("+")[0], arm)
    answered = dict(samples)
    asked = [
        pair
        for one in conversations
        for pair in zip(one.questions, answered.get(one.sample_id, ()), strict=True)
    ]
    return {memory: table(_observed(asked, arm, k), RETRIEVAL) for memory, arm in first.items()}


def _observed(
    asked: Iterable[tuple[Question, Mapping[str, Answer | Failure]]], arm: str, k: int
) -> Iterator[tuple[str, Category, float]]:
    for question, answers in asked:
        answer = answers[arm]
        if isinstance(answer, Answer) and answer.sourced and question.evidence:
            for name, value in retrieval(question, answer.context, k).items():
                yield name, question.category, value


def _gain(found: Iterable[bool]) -> float:
    """The sum of 1 / log2(place + 1) over the places, counted from 1, of what was found."""
    return math.fsum(1 / math.log2(place + 1) for place, one in enumerate(found, 1) if one)

"""What a reader that lifts words out of the evidence can reach at best (SPEC 12)."""

from collections import Counter
from collections.abc import Iterable, Iterator

from locomo.formats.dataset import ANSWERABLE, Category, Conversation, turns_by_id
from locomo.score.averages import Row, row
from locomo.text.tokens import stems


def ceiling(conversations: Iterable[Conversation]) -> dict[str, Row]:
    """How much of the reference answers is in their evidence: a row `found` and a row `whole`.

    The mean share of an answer's stems found in the joined text of its evidence turns, and the share of
    answers found whole; over the answerable questions, less those whose answer has no stem.
    """
    found = [observation for conversation in conversations for observation in _found(conversation)]
    kinds = {
        "found": row(found),
        "whole": row((category, float(share == 1)) for category, share in found),
    }
    columns = [*(category.label for category in ANSWERABLE), "answerable"]
    return {name: {column: means[column] for column in columns} for name, means in kinds.items()}


def multi_hop_answers_with_commas(conversations: Iterable[Conversation]) -> int:
    """How many multi-hop answers the metric scores as lists."""
    return sum(
        question.category is Category.MULTI_HOP and "," in question.answer
        for conversation in conversations
        for question in conversation.questions
    )


def _found(conversation: Conversation) -> Iterator[tuple[Category, float]]:
    texts = {id: " ".join(turn.text for turn in turns) for id, turns in turns_by_id(conversation).items()}
    for question in conversation.questions:
        answer = Counter(stems(question.answer))
        if question.category not in ANSWERABLE or not answer:
            continue
        evidence = Counter(stems(" ".join(texts.get(id, "") for id in question.evidence_ids)))
        yield question.category, (answer & evidence).total() / answer.total()

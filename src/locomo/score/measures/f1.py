"""F1, the dataset's own metric, by the category of the question (SPEC 11).

Maharana et al., "Evaluating Very Long-Term Conversational Memory of LLM Agents" (ACL 2024).
"""

from collections import Counter
from functools import lru_cache

import numpy as np

from locomo.formats.dataset import Category, Question
from locomo.score.base import Measure
from locomo.score.measures.abstained import abstains
from locomo.text.tokens import stems


def f1(category: Category, reply: str, answer: str) -> float:
    """The score of a reply, between 0 and 1, against the reference answer.

    Multi-hop answers are cut at commas and scored part by part. Open-domain answers end at the first
    semicolon. On an adversarial question a reply that abstains scores 1, any other 0.
    """
    if category is Category.ADVERSARIAL:
        return float(abstains(reply))
    if category is Category.MULTI_HOP:
        replies = [part.strip() for part in reply.split(",")]
        best = [max(token_f1(given, part.strip()) for given in replies) for part in answer.split(",")]
        # numpy's mean, as in the paper's code: from eight parts on it adds in another order than `sum`.
        return float(np.mean(best))
    if category is Category.OPEN_DOMAIN:
        answer = answer.split(";")[0].strip()
    return token_f1(reply, answer)


@lru_cache(maxsize=16384)
def token_f1(reply: str, answer: str) -> float:
    """The harmonic mean of precision and recall over the multisets of stems; 0 without overlap."""
    given, (wanted, size) = _stems(reply), _bag(answer)
    found = [stem for stem in given if stem in wanted]
    if not found:
        return 0.0
    common = sum([min(count, wanted[stem]) for stem, count in Counter(found).items()])
    precision, recall = common / len(given), common / size
    return 2 * precision * recall / (precision + recall)


def _stems(reply: str) -> list[str]:
    # Readers join phrases with ", ". Cut there, the stems stay the same, and each phrase is stemmed once.
    return [stem for part in reply.split(", ") for stem in _part_stems(part)]


@lru_cache(maxsize=16384)
def _part_stems(part: str) -> list[str]:
    return stems(part)


@lru_cache(maxsize=4096)
def _bag(answer: str) -> tuple[Counter[str], int]:
    bag = Counter(stems(answer))
    return bag, bag.total()


def _of(question: Question, reply: str) -> float:
    return f1(question.category, reply, question.answer)


MEASURE = Measure("f1", "F1: overlap of stems between reply and reference answer", 1, "reply", _of)

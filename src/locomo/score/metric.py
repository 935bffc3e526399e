"""The dataset's own metric: the grade of a reply, the recall of the cited turns, and silence (SPEC 11).

Maharana et al., "Evaluating Very Long-Term Conversational Memory of LLM Agents" (ACL 2024).
"""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from locomo.formats.dataset import ABSTENTION, Category
from locomo.text.tokens import stems

_ABSTENTIONS = (ABSTENTION.lower(), "not mentioned")


def grade(category: Category, reply: str, answer: str) -> float:
    """The mark of a reply, between 0 and 1."""
    if category is Category.ADVERSARIAL:
        return float(is_quiet(reply))
    if category is Category.MULTI_HOP:
        replies = [part.strip() for part in reply.split(",")]
        best = [max(token_f1(given, part.strip()) for given in replies) for part in answer.split(",")]
        # numpy's mean, as the paper's code has it: from eight parts on it adds in another order.
        return float(np.mean(best))
    if category is Category.OPEN_DOMAIN:
        answer = answer.split(";")[0].strip()
    return token_f1(reply, answer)


def token_f1(reply: str, answer: str) -> float:
    """The harmonic mean of precision and recall over the multisets of stems; 0 without overlap."""
    given, (wanted, size) = _stems(reply), _bag(answer)
    found = Counter([stem for stem in given if stem in wanted])
    if not found:
        return 0.0
    common = sum([min(count, wanted[stem]) for stem, count in found.items()])
    precision, recall = common / len(given), common / size
    return 2 * precision * recall / (precision + recall)


def _stems(reply: str) -> list[str]:
    # Readers join with a comma and a space what they lift; the stems are those of the parts.
    return [stem for part in reply.split(", ") for stem in _part_stems(part)]


@lru_cache(maxsize=16384)
def _part_stems(part: str) -> list[str]:
    return stems(part)


@lru_cache(maxsize=4096)
def _bag(answer: str) -> tuple[Counter[str], int]:
    bag = Counter(stems(answer))
    return bag, bag.total()


def is_quiet(reply: str) -> bool:
    """Whether a reply says that there is nothing to say."""
    lowered = reply.lower()
    return any(phrase in lowered for phrase in _ABSTENTIONS)


def evidence_recall(cited: Sequence[str], evidence: Sequence[str]) -> float:
    """The share of the evidence ids (parentheses trimmed) among the cited ids; 1 without evidence.

    Where the first cited id is a session's ("S3"), all are taken for such, and an evidence id counts as
    found if its session is cited.
    """
    if not evidence:
        return 1.0
    if next(iter(cited), "").startswith("S"):
        cited = [id[1:] for id in cited]
        evidence = [id.split(":")[0][1:] for id in evidence]
    return sum(id in cited for id in evidence) / len(evidence)

"""Abstention: whether a reply says that there is no answer (SPEC 11)."""

from locomo.formats.dataset import ABSTENTION, Question
from locomo.score.base import Measure

_PHRASES = (ABSTENTION.lower(), "not mentioned")


def abstains(reply: str) -> bool:
    """Whether a reply holds one of the phrases that the dataset's metric looks for, in any case."""
    lowered = reply.lower()
    return any(phrase in lowered for phrase in _PHRASES)


def _of(question: Question, reply: str) -> int:
    return int(abstains(reply))


MEASURE = Measure("abstained", "Abstained: share of questions on which the arm abstained", 3, "reply", _of)

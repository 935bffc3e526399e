"""Recall by session: what a system is compared by if it says which sessions it used, but not which turns."""

from collections.abc import Iterable

from locomo.formats.dataset import Question
from locomo.score.measures.recall import evidence_recall, sessions

SESSION_RECALL = "session_recall"
"""Its name in `Score.values`, beside the measures."""


def session_recall(question: Question, cited: Iterable[str]) -> float:
    """The share of the evidence whose session is cited, itself ("S3") or by a turn; 1 without evidence."""
    return evidence_recall(sessions(cited), question.evidence_ids)

"""Recall of the evidence: the share of it that was cited (SPEC 11)."""

from collections.abc import Sequence

from locomo.formats.dataset import Question
from locomo.score.base import Measure


def evidence_recall(cited: Sequence[str], evidence: Sequence[str]) -> float:
    """The share of the evidence ids (parentheses trimmed) among the cited ids; 1 without evidence.

    If the first cited id is a session ("S3"), all are read as sessions, and an evidence id counts as found
    if its session is cited.
    """
    if not evidence:
        return 1.0
    cited, evidence = comparable(cited, evidence)
    return sum([id in cited for id in evidence]) / len(evidence)


def comparable(cited: Sequence[str], evidence: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """Both as they are, or as numbers of sessions if the first cited id is a session ("S3")."""
    if next(iter(cited), "").startswith("S"):
        return [id[1:] for id in cited], [id.split(":")[0][1:] for id in evidence]
    return cited, evidence


def _of(question: Question, context: Sequence[str]) -> float:
    return evidence_recall(context, question.evidence_ids)


MEASURE = Measure("recall", "Recall: share of the evidence among the cited turns", 2, "context", _of)

"""Recall of the evidence: the share of it that was cited (SPEC 11)."""

from collections.abc import Iterable, Sequence

from locomo.formats.dataset import Question, is_session, session_of
from locomo.score.base import Measure


def evidence_recall(cited: Sequence[str], evidence: Sequence[str]) -> float:
    """The share of the evidence ids (parentheses trimmed) that was cited; 1 without evidence."""
    return share(found(cited, evidence))


def share(found: Sequence[bool]) -> float:
    """The share of the evidence that was found; 1 without evidence."""
    return sum(found) / len(found) if found else 1.0


def found(cited: Sequence[str], evidence: Sequence[str]) -> list[bool]:
    """Of each evidence id, whether it was cited; a session also if any turn of it was.

    If the first cited id is a session ("S3"), all are read as sessions, and an evidence id counts as found
    if its session is cited.
    """
    cited, evidence = comparable(reached(cited, evidence), evidence)
    return [id in cited for id in evidence]


def reached(cited: Sequence[str], evidence: Sequence[str]) -> Sequence[str]:
    """The cited ids; if they are turns and the evidence names sessions, the sessions of these turns too."""
    if names_sessions(evidence) and not _of_sessions(cited):
        return [*cited, *sessions(cited)]
    return cited


def comparable(cited: Sequence[str], evidence: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """Both as they are, or as numbers of sessions if the first cited id is a session ("S3")."""
    if _of_sessions(cited):
        return [id[1:] for id in cited], [session_of(id)[1:] for id in evidence]
    return cited, evidence


def names_sessions(evidence: Iterable[str]) -> bool:
    """Whether any evidence id is that of a session."""
    return any(map(is_session, evidence))


def sessions(ids: Iterable[str]) -> list[str]:
    """The sessions that turns are of: D3:5 is of S3, as is S3. Each once, in the order of the ids."""
    return list(dict.fromkeys(map(session_of, ids)))


def _of_sessions(cited: Sequence[str]) -> bool:
    """The official rule: the first id decides."""
    return next(iter(cited), "").startswith("S")


def _of(question: Question, context: Sequence[str]) -> float:
    return evidence_recall(context, question.evidence_ids)


MEASURE = Measure("recall", "Recall: share of the evidence among the cited turns", 2, "context", _of)

"""The blind control: what is left of each arm when every graph is emptied (SPEC 12)."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from locomo.answer.arms import Arm
from locomo.core import paths
from locomo.core.errors import LocomoError
from locomo.formats.dataset import Conversation
from locomo.results.predictions import Answer, Failure, by_question
from locomo.results.scores import Score
from locomo.score.averages import Table
from locomo.score.scoring import score, tables

Answers = Sequence[Mapping[str, Sequence[Answer | Failure]]]
"""Of each conversation, of each arm, the answer to each question."""


def control(
    conversations: Sequence[Conversation],
    arms: Mapping[str, Arm],
    seeing: Answers,
    blind: Answers,
    scores: Iterable[Score],
    *,
    scores_are_blind: bool = False,
) -> dict[str, Any]:
    """Which arms are identical without the graph, answer by answer and cell by cell, and which only abstain.

    `scores` are those of the answers with the graph, or of those without it if `scores_are_blind`. Raises
    LocomoError if an arm that reads the graph does not change, or one that does not read it does.
    """
    _check_fit(conversations, arms, seeing)
    _check_fit(conversations, arms, blind)
    changed = {arm: _changed(seeing, blind, arm) for arm in arms}
    for name, arm in arms.items():
        _check(name, arm, changed[name], seeing)
    # The same answers have the same scores.
    known = _cells(scores, arms)
    others = [arm for arm in arms if changed[arm]]
    again = known | _cells(_scores(conversations, seeing if scores_are_blind else blind, others), others)
    cells, blind_cells = (again, known) if scores_are_blind else (known, again)
    return {
        "identical": [arm for arm in arms if changed[arm] == 0],
        "abstaining": [arm for arm in arms if blind_cells[arm]["abstained"]["overall"] == 1],
        "arms": {
            arm: {
                "answers_changed": changed[arm],
                "cells_changed": sum(
                    cells[arm][measure][column] != value
                    for measure, row in blind_cells[arm].items()
                    for column, value in row.items()
                ),
                "without_graph": blind_cells[arm],
            }
            for arm in arms
        },
    }


def by_arm(rows: Sequence[Mapping[str, Answer | Failure]]) -> dict[str, list[Answer | Failure]]:
    """Answers question by question, turned: of each arm, the answer to every question."""
    return {arm: [row[arm] for row in rows] for arm in (rows[0] if rows else ())}


def _check_fit(conversations: Sequence[Conversation], arms: Collection[str], answers: Answers) -> None:
    """A stage that ran alone may have left the predictions of another run."""
    for conversation, given in zip(conversations, answers, strict=True):
        asked = len(conversation.questions)
        if any(len(given.get(arm, ())) != asked for arm in arms):
            raise LocomoError(
                f"{paths.PREDICTIONS}: is of another run; run `dvc repro answer` to make it again"
            )


def _changed(seeing: Answers, blind: Answers, arm: str) -> int:
    pairs = zip(seeing, blind, strict=True)
    return sum(
        a != b for one, other in pairs for a, b in zip(one.get(arm, ()), other.get(arm, ()), strict=True)
    )


def _check(name: str, arm: Arm, changed: int, seeing: Answers) -> None:
    # An arm that cites nothing in the first place, say in a short talk, has nothing to lose.
    loses = arm.reads_graph and any(_cites(answer) for given in seeing for answer in given.get(name, ()))
    if loses != (changed > 0):
        reads = "reads" if arm.reads_graph else "does not read"
        raise LocomoError(
            f"control: {changed} answers of {name} change without the graph, but its memory declares that it"
            f" {reads} it"
        )


def _cites(answer: Answer | Failure) -> bool:
    return isinstance(answer, Answer) and bool(answer.context)


def _scores(
    conversations: Sequence[Conversation], answers: Answers, arms: Collection[str]
) -> Iterable[Score]:
    samples = (
        (conversation.sample_id, by_question({arm: given[arm] for arm in arms if arm in given}))
        for conversation, given in zip(conversations, answers, strict=True)
    )
    return score(conversations, samples) if arms else ()


def _cells(scores: Iterable[Score], arms: Collection[str]) -> dict[str, dict[str, Any]]:
    """Of each arm the row of each measure."""
    measures: dict[str, Table] = tables(scores, arms)
    return {arm: {measure: table[arm] for measure, table in measures.items()} for arm in arms}

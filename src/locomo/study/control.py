"""The blind control: what is left of each arm when every graph is emptied (SPEC 12)."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from locomo.answer.arms import Arm
from locomo.core.errors import LocomoError
from locomo.formats.dataset import Conversation
from locomo.results.predictions import Answer, Failure, by_question
from locomo.score.averages import Table
from locomo.score.scoring import mark, tables

Answers = Sequence[Mapping[str, Sequence[Answer | Failure]]]
"""Of each conversation, of each arm, the answer to each question."""


def control(
    conversations: Sequence[Conversation], arms: Mapping[str, Arm], seeing: Answers, blind: Answers
) -> dict[str, Any]:
    """Which arms are identical without the graph, answer by answer and cell by cell, and which fall silent.

    Raises LocomoError if an arm that is declared to read the graph does not change, or one that is not does,
    which for a memory from outside means that it does not say the same twice.
    """
    changed = {arm: _changed(seeing, blind, arm) for arm in arms}
    cells = _cells(conversations, seeing, arms)
    # The same answers have the same marks.
    blind_cells = cells | _cells(conversations, blind, [arm for arm in arms if changed[arm]])
    for name, arm in arms.items():
        if arm.plugin and changed[name]:
            raise LocomoError(
                f"control: {changed[name]} answers of {name} changed when memory {arm.memory} was made and"
                " asked once more; expected the same of the same question"
            )
        # An arm that cites nothing in the first place, say in a short talk, has nothing to lose.
        loses = arm.reads_graph and any(_cites(answer) for given in seeing for answer in given[name])
        if loses != (changed[name] > 0):
            reads = "reads" if arm.reads_graph else "does not read"
            raise LocomoError(
                f"control: {changed[name]} answers of {name} change without the graph, but arms.py declares"
                f" that its memory {reads} it"
            )
    return {
        "identical": [arm for arm in arms if changed[arm] == 0],
        "silent": [arm for arm in arms if blind_cells[arm]["quiet"]["overall"] == 1],
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


def _changed(seeing: Answers, blind: Answers, arm: str) -> int:
    pairs = zip(seeing, blind, strict=True)
    return sum(a != b for one, other in pairs for a, b in zip(one[arm], other[arm], strict=True))


def _cites(answer: Answer | Failure) -> bool:
    return isinstance(answer, Answer) and bool(answer.context)


def _cells(
    conversations: Sequence[Conversation], answers: Answers, arms: Collection[str]
) -> dict[str, Table]:
    """Of each arm the row of each measure."""
    if not arms:
        return {}
    samples = (
        (conversation.sample_id, by_question({arm: given[arm] for arm in arms}))
        for conversation, given in zip(conversations, answers, strict=True)
    )
    measures = tables(mark(conversations, samples), arms)
    return {arm: {measure: table[arm] for measure, table in measures.items()} for arm in measures["f1"]}

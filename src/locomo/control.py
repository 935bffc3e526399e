"""The blind control: what is left of each arm when every graph is emptied (SPEC 12)."""

from collections.abc import Mapping, Sequence
from typing import Any

from locomo.arms import MEMORIES, Arm
from locomo.dataset import Conversation
from locomo.errors import LocomoError
from locomo.means import Table
from locomo.predictions import Answer, by_question
from locomo.score import mark, tables

Answers = Sequence[Mapping[str, Sequence[Answer]]]
"""Of each conversation, of each arm, the answer to each question."""


def control(
    conversations: Sequence[Conversation], arms: Mapping[str, Arm], seeing: Answers, blind: Answers
) -> dict[str, Any]:
    """Which arms are identical without the graph, answer by answer and cell by cell, and which fall silent.

    Raises LocomoError if an arm that is declared to read the graph does not change, or one that is not does.
    """
    cells, blind_cells = _cells(conversations, seeing), _cells(conversations, blind)
    changed = {arm: _changed(seeing, blind, arm) for arm in arms}
    for name, arm in arms.items():
        reads_graph = MEMORIES[arm.memory].reads_graph
        # An arm that cites nothing in the first place, say in a short talk, has nothing to lose.
        loses = reads_graph and any(answer.context for given in seeing for answer in given[name])
        if loses != (changed[name] > 0):
            reads = "reads" if reads_graph else "does not read"
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


def _cells(conversations: Sequence[Conversation], answers: Answers) -> dict[str, Table]:
    """Of each arm the row of each measure."""
    samples = (
        (conversation.sample_id, by_question(given))
        for conversation, given in zip(conversations, answers, strict=True)
    )
    measures = tables(mark(conversations, samples))
    return {arm: {measure: table[arm] for measure, table in measures.items()} for arm in measures["f1"]}

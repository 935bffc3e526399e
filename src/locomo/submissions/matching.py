"""Answers of other systems matched to the questions of the dataset.

The key is the conversation and the question, without quote characters and differences in white space. The
category, then the order in the file, disambiguates duplicate questions.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from locomo.formats.dataset import Conversation, Question
from locomo.submissions.reading import Given

_QUOTES = re.compile("[\"'`´‘’‚‛“”„‟′″«»]")

Key = tuple[str, int]
"""A question: its conversation, and its place there from 0."""


@dataclass(frozen=True)
class Matched:
    """One system's answers by question, and those that match no question."""

    arm: str
    questions: Mapping[Key, Question]
    """All questions of the dataset, in order."""
    turns: Mapping[str, frozenset[str]]
    """The ids of each conversation's turns and sessions."""
    answers: Mapping[Key, Given]
    elsewhere: Sequence[Given]
    """Answers about a conversation that the dataset doesn't have."""
    unknown: Sequence[Given]
    """Answers to a question that the conversation doesn't have."""
    twice: Sequence[Given]
    """Answers to a question that already has one."""

    @cached_property
    def scored(self) -> dict[Key, Given]:
        """The answers that did not fail, in the order of the dataset."""
        given = {key: self.answers[key] for key in self.questions if key in self.answers}
        return {key: one for key, one in given.items() if not one.failed}

    @cached_property
    def failed(self) -> dict[Key, Given]:
        """The answers that failed; they are not wrong answers."""
        return {key: one for key, one in self.answers.items() if one.failed}

    @cached_property
    def missing(self) -> list[Key]:
        """The questions that the file doesn't answer."""
        return [key for key in self.questions if key not in self.answers]

    @cached_property
    def cites(self) -> bool:
        """Whether any cited id names a turn; if none does, the system kept no turn ids."""
        return any(self.cited(one) for one in self.scored.values())

    def cited(self, one: Given) -> list[str]:
        """The cited ids that the metric can find: those of turns, or of sessions if the first is one."""
        ids = one.context or [""]
        of_sessions = ids[0].startswith("S")
        return [id for id in ids if id in self.turns[one.sample] and id.startswith("S") == of_sessions]


def match(given: Iterable[Given], conversations: Sequence[Conversation]) -> list[Matched]:
    """Match each system's answers, in the order in which the file names the systems."""
    questions = {
        (c.sample_id, index): asked for c in conversations for index, asked in enumerate(c.questions)
    }
    turns = {c.sample_id: _ids(c) for c in conversations}
    places: dict[tuple[str, str], list[Key]] = {}
    for key, question in questions.items():
        places.setdefault((key[0], folded(question.question)), []).append(key)
    by_arm: dict[str, dict[tuple[str, str], list[Given]]] = {}
    for one in given:
        by_arm.setdefault(one.arm, {}).setdefault((one.sample, folded(one.question)), []).append(one)
    matched = []
    for arm, asked in by_arm.items():
        answers, twice = _place(asked, places, questions)
        unmatched = [one for key, some in asked.items() if key not in places for one in some]
        elsewhere = [one for one in unmatched if one.sample not in turns]
        unknown = [one for one in unmatched if one.sample in turns]
        matched.append(Matched(arm, questions, turns, answers, elsewhere, unknown, twice))
    return matched


def _place(
    asked: Mapping[tuple[str, str], Sequence[Given]],
    places: Mapping[tuple[str, str], Sequence[Key]],
    questions: Mapping[Key, Question],
) -> tuple[dict[Key, Given], list[Given]]:
    """Assign answers to questions, duplicate questions in file order; also return answers left over."""
    answers: dict[Key, Given] = {}
    twice = []
    for key, some in asked.items():
        free = list(places.get(key, []))
        if len(some) > len(free):
            some = sorted(some, key=lambda one: one.failed)  # a repeated call: success comes first
        # A category of one of these questions selects it. Any other is wrong or missing, and selects nothing.
        known = {questions[place].category for place in free}
        for one in sorted(some, key=lambda one: one.category not in known):
            fits = [p for p in free if one.category not in known or one.category is questions[p].category]
            if fits:
                answers[fits[0]] = one
                free.remove(fits[0])
            elif key in places:
                twice.append(one)
    return answers, twice


def folded(text: str) -> str:
    """A question without the white space and quote characters in which copies of it differ."""
    return " ".join(_QUOTES.sub("", text).split())


def _ids(conversation: Conversation) -> frozenset[str]:
    turns = [turn.id for turn in conversation.turns]
    return frozenset(turns) | {f"S{id.partition(':')[0][1:]}" for id in turns}

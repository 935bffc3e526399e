"""An external memory tried without the stages: asked some questions, beside arms of ours, and checked."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from math import isnan
from typing import TypeVar

from locomo.answer import fitting
from locomo.answer.arms import READERS, Arm, check_name, given, of_plugin, readers_to_fit, select
from locomo.answer.asking import answer
from locomo.core.errors import LocomoError
from locomo.core.messages import quoted
from locomo.core.settings import Settings
from locomo.formats.dataset import Category, Conversation
from locomo.index.indexer import build
from locomo.memory.ask import Asked, Cost, ask
from locomo.memory.base import UNCUT
from locomo.memory.contract import Declared, Returned
from locomo.memory.external import Call, ExternalMemory, Failures
from locomo.memory.kept import Kept
from locomo.memory.plugins import Plugin
from locomo.reader.base import ReaderSettings
from locomo.results.predictions import Answer, Failure, by_question
from locomo.results.run import AnsweredQuestion
from locomo.results.scores import Score
from locomo.score import scoring

T = TypeVar("T")

AGAIN = 20
"""At most how many questions are asked once more."""
OTHER_KS = (1, UNCUT)
"""The k that one question is asked with, too: a memory may not obey the smaller, or refuse the larger."""


class Check:
    """Asks some questions of one conversation once more, the last first, and one question at other k."""

    def __init__(self, failures: Failures) -> None:
        self._failures = failures
        self._again: dict[tuple[int, str], Returned] = {}
        self.sample = ""
        """The conversation; empty if nothing was asked, because all is kept of earlier runs."""
        self.questions = 0
        """How many were asked once more."""
        self.calls = 0
        self.changed: list[str] = []
        """A line for each question whose second answer is another."""

    def ask(self, memory: ExternalMemory, asked: Sequence[tuple[int, str]]) -> None:
        """Ask a memory after it was asked, unless that was done in another conversation."""
        if self.sample:
            return
        again = spread(asked, AGAIN)[::-1]
        self.questions = len(again)
        k, text = again[0]
        memory.ask([*again, *((other, text) for other in OTHER_KS if other != k)], self._failures, self._note)

    def compare(self, conversation: Conversation, asked: Asked) -> None:
        """Compare with what was returned at first."""
        places = {question.question: question.index for question in reversed(conversation.questions)}
        for (k, text), now in self._again.items():
            self.sample = asked.sample
            before = asked.answers[k][text] if k in asked.answers else now
            if before != now and not before.failure and not now.failure:
                difference = _difference(before, now)
                self.changed.append(f"{asked.sample}/{places[text]} {quoted(text)}: {difference}")
        self._again = {}

    def _note(self, call: Call, returned: Sequence[Returned], seconds: float) -> None:
        self.calls += 1
        for question, one in zip(call.questions, returned, strict=True):
            self._again[call.k, str(question)] = one


def _difference(before: Returned, now: Returned) -> str:
    both = zip_longest(_cites(before), _cites(now))
    for place, (one, other) in enumerate(both):
        if one != other:
            return f"cite {place} was {_told(one)}, and is {_told(other)}"
    return f"the confidence was {before.confidence}, and is {now.confidence}"


def _cites(returned: Returned) -> Iterator[tuple[str | None, float, str | None]]:
    return zip(returned.ids, returned.scores, returned.phrases, strict=True)


def _told(cite: tuple[str | None, float, str | None] | None) -> str:
    return "none" if cite is None else quoted(cite if cite[2] else cite[:2])


@dataclass(frozen=True, slots=True)
class Trial:
    """What came of it."""

    mine: list[str]
    """The arms of the memory, one for each reader."""
    arms: dict[str, Arm]
    """These, and the arms of ours."""
    conversations: list[Conversation]
    """With the questions that were asked, and no others."""
    samples: list[tuple[str, list[dict[str, Answer | Failure]]]]
    """Of each conversation its id and, by question, the answer of each arm."""
    scores: list[Score]
    cost: Cost
    check: Check


def questions_of(
    conversations: Sequence[Conversation], samples: Collection[str], number: int | None
) -> dict[str, list[int]]:
    """The places of the questions to ask by sample id: all of these conversations, or some, spread evenly.

    Raises LocomoError if there is none.
    """
    every = [
        (one.sample_id, place)
        for one in conversations
        if one.sample_id in samples
        for place in range(len(one.questions))
    ]
    if not every:
        raise LocomoError(f"no question is asked about {', '.join(samples)}; choose other conversations")
    found: dict[str, list[int]] = {}
    for sample, place in spread(every, number or len(every)):
        found.setdefault(sample, []).append(place)
    return found


def spread(items: Sequence[T], number: int) -> list[T]:
    """So many of the items, evenly spread: the dataset has questions of a category side by side."""
    number = min(number, len(items))
    return [items[place * len(items) // number] for place in range(number)]


def try_out(
    plugin: Plugin,
    conversations: Sequence[Conversation],
    questions: Mapping[str, Sequence[int]],
    against: Sequence[str],
    chosen: Settings,
    *,
    fresh: bool = False,
) -> Trial:
    """Ask a memory the questions at these places, read it with every reader, and score the answers.

    What it returned is kept, and what is kept of earlier runs is not asked again, unless `fresh`. Raises
    LocomoError as `memory.ask.ask` does.
    """
    check_name(plugin.name, plugin.where)
    may_fail = plugin.name in chosen.may_fail
    arms = _of_every_reader(plugin, may_fail)
    mine = list(arms)
    arms |= select(against)
    failures = Failures(plugin, allowed=may_fail, limit=chosen.failures_in_a_row)
    fitted = fitting.memory(plugin, conversations, fresh=fresh, samples=questions)
    readers = fitting.readers(readers_to_fit(arms), conversations)
    found = Trial(mine, arms, [], [], [], Cost(), Check(failures))
    for conversation in conversations:
        sample = conversation.sample_id
        if sample not in questions:
            continue
        part = replace(conversation, questions=tuple(conversation.questions[i] for i in questions[sample]))
        store, _ = build(conversation, chosen.infer)
        texts = {question.question for question in part.questions}
        asked = ask(
            plugin,
            conversation,
            store,
            [chosen.k],
            failures,
            fitted.get(sample),
            fresh,
            only=texts,
            then=found.check.ask,
        )
        found.check.compare(conversation, asked)
        found.cost.add(asked.cost)
        found.cost.check(plugin.name)
        of_readers = {reader: by_sample[sample] for reader, by_sample in readers.items()}
        reading = given(arms, {plugin.name: asked.answers}, of_readers)
        read = store.blinded() if chosen.blind else store
        answered = answer(part, read, reading, ReaderSettings.of(chosen))
        found.conversations.append(part)
        found.samples.append((sample, by_question(answered)))
    if found.check.changed:
        # The next run asks again, and finds it again.
        with Kept.of(plugin) as kept:
            kept.forget_answers()
    found.scores.extend(scoring.score(found.conversations, found.samples))
    return found


def _of_every_reader(plugin: Plugin, may_fail: bool) -> dict[str, Arm]:
    partial = Declared.of(plugin).partial
    return {
        plugin.name + (f"+{reader}" if reader else ""): of_plugin(
            plugin, reader, partial=partial, may_fail=may_fail
        )
        for reader in READERS
    }


def misses(trial: Trial, number: int) -> list[AnsweredQuestion]:
    """The worst answers of the first reader, of those without full F1: answerable first, by recall, by F1."""
    arm = trial.mine[0]

    def badness(row: AnsweredQuestion) -> tuple[bool, float, float]:
        values = row.scores[arm].values
        recall = 0.0 if isnan(values["recall"]) else values["recall"]
        return row.question.category is Category.ADVERSARIAL, recall, values["f1"]

    missed = [row for row in _rows(trial) if arm in row.scores and row.scores[arm].values["f1"] < 1]
    return sorted(missed, key=badness)[:number]


def _rows(trial: Trial) -> Iterator[AnsweredQuestion]:
    scores: dict[tuple[str, int], dict[str, Score]] = {}
    for score in trial.scores:
        scores.setdefault((score.sample, score.question), {})[score.arm] = score
    for conversation, (sample, rows) in zip(trial.conversations, trial.samples, strict=True):
        for question, row in zip(conversation.questions, rows, strict=True):
            answers = {arm: one for arm, one in row.items() if isinstance(one, Answer)}
            failures = {arm: one.error for arm, one in row.items() if isinstance(one, Failure)}
            known = scores.get((sample, question.index), {})
            yield AnsweredQuestion(conversation, question, answers, known, failures)

"""Asking external memories the questions of a conversation, each once, and what that took."""

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np

from locomo.core import progress
from locomo.core.errors import LocomoError
from locomo.formats.dataset import Conversation
from locomo.formats.store import Store
from locomo.memory.asked import Answers
from locomo.memory.contract import Returned
from locomo.memory.external import RAISED, Call, ExternalMemory, Failures
from locomo.memory.kept import Kept, KeptAnswer, scope
from locomo.memory.plugins import Plugin


@dataclass
class Cost:
    """What a memory took: in this run, and for what is kept of earlier ones when that was asked."""

    counts: Counter[str] = field(default_factory=Counter)
    """By the names in `COUNTS`: how often it was constructed and called in this run; how many questions there
    are, each text at each k once; how many of these were kept from earlier runs, failed, have the memory's
    own confidence, and cite turns, sessions or texts of its own."""
    construct_seconds: float = 0.0
    seconds: list[float] = field(default_factory=list)
    """Of each call, or of each question's share of a batch."""

    def add(self, other: "Cost") -> None:
        """Add that of another conversation."""
        self.counts.update(other.counts)
        self.construct_seconds += other.construct_seconds
        self.seconds += other.seconds

    def check(self, memory: str) -> None:
        """Raise LocomoError if its recall would be partly of turns and partly of sessions."""
        if self.counts["turns"] and self.counts["sessions"]:
            raise LocomoError(
                f"memory {memory}: cites turns for {self.counts['turns']:,} questions and sessions for"
                f" {self.counts['sessions']:,}; expected one kind"
            )

    def as_json(self) -> dict[str, int | float]:
        """What `metrics/cost.json` says of a memory: counts, seconds, and percentiles in milliseconds."""
        p50, p95 = np.quantile(self.seconds, (0.5, 0.95)).tolist() if self.seconds else (0.0, 0.0)
        return {name: self.counts[name] for name in COUNTS} | {
            "construct_seconds": round(self.construct_seconds, 3),
            "ask_seconds": round(sum(self.seconds), 3),
            "p50_ms": round(1000 * p50, 3),
            "p95_ms": round(1000 * p95, 3),
        }


COUNTS = (
    "constructed",
    "calls",
    "questions",
    "kept",
    "failed",
    "own_confidence",
    "turns",
    "sessions",
    "texts",
)


@dataclass(frozen=True, slots=True)
class Asked:
    """What one memory returned in one conversation."""

    memory: str
    sample: str
    answers: Answers
    cost: Cost


def ask(
    plugin: Plugin,
    conversation: Conversation,
    store: Store,
    ks: Iterable[int],
    failures: Failures,
    fitted: Any = None,
    fresh: bool = False,
    only: Collection[str] | None = None,
    then: Callable[[ExternalMemory, Sequence[tuple[int, str]]], None] = lambda memory, asked: None,
) -> Asked:
    """Ask a memory every question of a conversation, or `only` some texts, at each k, each text once.

    What is kept of earlier runs is not asked again, unless `fresh`. Failures are not kept. A memory that was
    asked goes to `then`, with what it was asked, each a k and a text. Raises LocomoError as
    `ExternalMemory.ask` does.
    """
    texts = dict.fromkeys(question.question for question in conversation.questions)
    if only is not None:
        texts = {text: None for text in texts if text in only}
    answers: Answers = {k: {} for k in ks}
    wanted = [(k, text) for k in answers for text in texts]
    cost = Cost()
    without_questions = replace(conversation, questions=())
    where = scope([without_questions], store.names, fitted)
    named = f"{plugin.name} {conversation.sample_id}"
    with Kept.of(plugin) as kept, progress.bar(named, len(wanted), leave=False) as bar:
        known = {} if fresh else kept.answers(where, list(answers))
        missing = [question for question in wanted if question not in known]
        behind_kept = {question for before, question in pairwise(wanted) if before in known}
        cost.counts["kept"] = len(wanted) - len(missing)
        cost.seconds = [known[question].seconds for question in wanted if question in known]
        cost.construct_seconds = kept.seconds_to_build(where)
        bar.update(len(wanted) - len(missing))

        def note(call: Call, returned: Sequence[Returned], seconds: float) -> None:
            share = seconds / len(returned)
            cost.counts["calls"] += 1
            cost.seconds += [share] * len(returned)
            for question, one in zip(call.questions, returned, strict=True):
                answer = KeptAnswer(one, share)
                known[call.k, str(question)] = answer
                if not one.failure:
                    kept.add(where, call.k, str(question), answer)
            bar.update(len(returned))

        if missing:
            start = time.perf_counter()
            try:
                memory = ExternalMemory(plugin, conversation, store, fitted, kept.built(where), fresh)
            except RAISED as error:
                if isinstance(error, LocomoError):
                    raise
                failure = failures.of(
                    error, f"memory {plugin.name}: cannot be made for {conversation.sample_id}"
                )
                known |= dict.fromkeys(missing, KeptAnswer(Returned.failed(failure), 0.0))
            else:
                cost.counts["constructed"] = 1
                cost.construct_seconds = time.perf_counter() - start
                kept.add_built(where, cost.construct_seconds)
                with closing(memory):
                    memory.ask(missing, failures, note, behind_kept)
                    then(memory, missing)
    for k, text in wanted:
        answer = answers[k][text] = known[k, text].returned
        cost.counts["questions"] += 1
        cost.counts["failed"] += bool(answer.failure)
        cost.counts["own_confidence"] += answer.confidence is not None
        cost.counts["turns"] += answer.turns
        cost.counts["sessions"] += answer.sessions
        cost.counts["texts"] += answer.texts
    return Asked(plugin.name, conversation.sample_id, answers, cost)

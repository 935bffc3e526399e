"""`locomo run`: a memory of one's own in seconds, without DVC, beside our arms on the same questions."""

import json
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace, RawDescriptionHelpFormatter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from tabulate import tabulate

from locomo.answer.arms import ARMS, origins
from locomo.commands.show import Page, painter, question_as_json, width
from locomo.core import paths, settings
from locomo.core.errors import LocomoError
from locomo.core.files import digest
from locomo.core.messages import chosen, some
from locomo.formats import dataset, keys
from locomo.formats.built import Built
from locomo.formats.dataset import ABSTENTION
from locomo.memory.plugins import Plugin, at, find, known
from locomo.reader.base import ReaderSettings
from locomo.results.predictions import Answer, Failure
from locomo.results.provenance import Provenance
from locomo.score import averages, scoring
from locomo.score.averages import Table
from locomo.score.measures.f1 import f1
from locomo.score.measures.recall import sessions
from locomo.score.retrieval import LABELS, retrieval_tables
from locomo.score.signature import of_memory, signature
from locomo.score.tables import plain
from locomo.study.trial import AGAIN, OTHER_KS, Trial, misses, questions_of, try_out
from locomo.submissions.comparison import ABSTAINS

CALLS_TO_CHECK = AGAIN + len(OTHER_KS)
AGAINST = ("vector", "graph+edge", "oracle", "vector+set", "oracle+set")
"""With each reader an arm of ours, and the oracle, whose cites are the evidence."""
MISSES = 3
"""How many of the worst answers are shown."""

_OTHER_KS = " and ".join(f"k = {k:,}" for k in OTHER_KS)
_MORE = f"""
What a memory returns is checked: ids, scores, at most k cites. Then up to {AGAIN} questions of one
conversation are asked once more, the last first, and one of them with {_OTHER_KS}.
If the same question gets other cites, the exit code is 1.

Every answer is kept in your cache folder. Neither this command nor a run of all stages asks the same again,
until you edit the memory. An error of the memory ends the command, unless may_fail in params.yaml names it.
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options of `locomo run`."""
    parser.formatter_class, parser.epilog = RawDescriptionHelpFormatter, _MORE
    add = parser.add_argument
    add("memory", help="its file, such as memories/mine.py, or its name")
    add(
        "--sample",
        nargs="+",
        action="extend",
        metavar="ID",
        help="only these conversations, such as conv-26 (default: all)",
    )
    add("--questions", type=_count, metavar="N", help="only N questions, spread evenly (default: all)")
    add("--k", type=_count, help="how many cites a memory may return (default: k of params.yaml)")
    add(
        "--against",
        nargs="+",
        metavar="ARM",
        help=f"compare with these of our arms (default: {' '.join(AGAINST)})",
    )
    add("--fresh", action="store_true", help="ask again, whatever is kept of earlier runs")
    add("--json", action="store_true", help="print JSON, for tools: all measures by category")


def run(arguments: Namespace) -> None:
    """Ask the memory, and print how it does.

    Raises LocomoError if it breaks its contract; then what can be printed is printed before.
    """
    plugin = _plugin(arguments.memory)
    settled = settings.load()
    if arguments.k:
        settled = settled.model_copy(update={"k": arguments.k})
    # The file itself, if it is a local one: it may have changed since a run.
    at_hand = isinstance(settled.dataset, settings.PinnedDataset) and paths.DATASET.exists()
    path = paths.DATASET if at_hand else settled.dataset.located()
    key = keys.make(settled.answer_key, path, settled.audit.pinned(keys.FOLDER))
    conversations = list(map(key.applied, dataset.read(path)))
    every = [one.sample_id for one in conversations]
    samples = chosen("--sample", arguments.sample, every)
    questions = questions_of(conversations, samples, arguments.questions)
    against = chosen("--against", arguments.against or AGAINST, list(ARMS))
    if not arguments.json:
        asked = sum(map(len, questions.values()))
        about = "all conversations" if samples == every else some(samples)
        about = f"{asked:,} questions about {about}, k = {settled.k}"
        print(f"{plugin.where}: {about}; at most {CALLS_TO_CHECK} calls more to check it\n", flush=True)
    try:
        trial = try_out(plugin, conversations, questions, against, settled, fresh=arguments.fresh)
    except KeyboardInterrupt:
        print("interrupted; the answers so far are kept: run again, and it goes on there", file=sys.stderr)
        raise
    built = Built(digest(path), settled.infer)
    provenance = Provenance.of(built, key.name, blind=settled.blind, **ReaderSettings.of(settled)._asdict())
    report = Report(plugin, trial, provenance, "" if samples == every else ",".join(samples))
    print(json.dumps(report.as_json(), indent=2) if arguments.json else "\n\n".join(report.parts()))
    if trial.check.changed:
        raise LocomoError(
            f"memory {plugin.name}: does not cite the same when it is asked again:\n  "
            + some(trial.check.changed, separator="\n  ")
        )


@dataclass(frozen=True)
class Report:
    """What to print of a trial."""

    plugin: Plugin
    trial: Trial
    provenance: Provenance
    samples: str
    """The conversations, for the signature; empty for all."""

    def as_json(self) -> dict[str, Any]:
        """Everything, for tools."""
        check = self.trial.check
        return {
            "memory": self.plugin.name,
            "signature": self.signature,
            "questions": self.asked,
            "scored": self.scored,
            "f1": self.f1,
            "abstained": self._means["abstained"],
            "cites_sessions": self.by_session,
            "recall": self.recall,
            "retrieval": self.retrieval,
            "cost": self.trial.cost.as_json(),
            "check": {
                "sample": check.sample,
                "questions": check.questions,
                "calls": check.calls,
                "changed": check.changed,
            },
            "misses": [question_as_json(row, self.trial.mine) for row in misses(self.trial, MISSES)],
        }

    def parts(self) -> Iterator[str]:
        """Everything, for a terminal."""
        name, of = self.plugin.name, "recall of sessions" if self.by_session else "recall"
        yield plain("f1", self.f1, self.asked)
        yield plain(of, self.recall, self.asked)
        for measure, label in LABELS.items():
            by_memory = {memory: table[measure] for memory, table in self.retrieval.items()}
            yield plain(f"{label}@{self.provenance.settings['k']}", by_memory)
        if self.scored:
            yield plain("scored", scoring.shares(self.scored, self.asked))
            yield "The other questions failed. They count in none of these means."
        page = Page(width(), painter(), turns=False)
        for place, row in enumerate(misses(self.trial, MISSES), 1):
            yield "\n".join([f"{name}, worst answer {place}:", *page.question(row, self.trial.mine)])
        yield self._cost
        yield self._check
        yield f"To quote a figure, add its signature, with the name of the arm:\n{self.signature}"

    @cached_property
    def asked(self) -> dict[str, int]:
        """The number of questions in each column of the tables."""
        talks = self.trial.conversations
        return averages.counts(question.category for talk in talks for question in talk.questions)

    @cached_property
    def scored(self) -> dict[str, dict[str, int]]:
        """The same of those that were scored, for each arm that failed on some question."""
        return scoring.incomplete(self.trial.scores, self.trial.arms, self.asked)

    @property
    def f1(self) -> Table:
        """The mean F1 of each arm, and of constant abstention."""
        talks = self.trial.conversations
        asked = (question for talk in talks for question in talk.questions)
        abstaining = averages.row((q.category, f1(q.category, ABSTENTION, q.answer)) for q in asked)
        return {**self._means["f1"], ABSTAINS: abstaining}

    @property
    def recall(self) -> Table:
        """The mean recall of each memory."""
        scores = scoring.score(self.trial.conversations, self._cited)
        means = scoring.tables(scores, self.trial.arms)["recall"]
        return {arm.memory: means[name] for name, arm in self.trial.arms.items()}

    @cached_property
    def retrieval(self) -> dict[str, Table]:
        """The means of the other measures of retrieval, by memory."""
        k = self.provenance.settings["k"]
        return retrieval_tables(self.trial.conversations, self._cited, self.trial.arms, k)

    @property
    def by_session(self) -> bool:
        """Whether the memory cites sessions."""
        return self.trial.cost.counts["sessions"] > 0

    @property
    def signature(self) -> str:
        """Of the figures of the memory."""
        arm, asked = self.trial.mine[0], self.asked["overall"]
        counts = {name: scoring.overall(columns, self.asked) for name, columns in self.scored.items()}
        others = of_memory(arm, origins(self.trial.arms), counts)
        samples = {"samples": self.samples} if self.samples else {}
        return signature(self.provenance, arm, **others, **samples, questions=asked)

    @cached_property
    def _means(self) -> dict[str, Table]:
        return scoring.tables(self.trial.scores, self.trial.arms)

    @property
    def _cited(self) -> list[tuple[str, list[dict[str, Answer | Failure]]]]:
        """All answers; next to a memory that cites sessions, with the sessions that the others cite."""
        if not self.by_session:
            return self.trial.samples
        return [
            (sample, [{arm: _by_session(answer) for arm, answer in row.items()} for row in rows])
            for sample, rows in self.trial.samples
        ]

    @property
    def _cost(self) -> str:
        cost = self.trial.cost.as_json()
        header = ["cost", "constructed", "in seconds", "calls", "in seconds", "p50", "p95", "kept", "failed"]
        cells = [
            self.plugin.name,
            f"{cost['constructed']:,}",
            f"{cost['construct_seconds']:.2f}",
            f"{cost['calls']:,}",
            f"{cost['ask_seconds']:.2f}",
            f"{cost['p50_ms']:.1f} ms",
            f"{cost['p95_ms']:.1f} ms",
            f"{cost['kept']:,}",
            f"{cost['failed']:,}",
        ]
        return tabulate([cells], header, disable_numparse=True, colalign=["left", *["right"] * 8])

    @property
    def _check(self) -> str:
        check = self.trial.check
        if not check.sample:
            return (
                "contract: nothing was asked once more: all answers are kept of earlier runs, or the memory"
                " cannot be made; --fresh asks again, and checks"
            )
        found = f"other cites for {len(check.changed)} of them" if check.changed else "the same cites"
        return (
            "contract: ids, scores and numbers of cites are right;"
            f" {check.questions:,} questions of {check.sample} asked once more, the last first: {found}"
            f" ({check.calls:,} calls, also with {_OTHER_KS})"
        )


def _by_session(answer: Answer | Failure) -> Answer | Failure:
    if isinstance(answer, Failure) or not answer.sourced:
        return answer
    return answer._replace(context=sessions(answer.context))


def _plugin(given: str) -> Plugin:
    """The memory of this file or name. Raises LocomoError if there is none."""
    path = Path(given)
    if path.suffix != ".py":
        if plugin := find(given):
            return plugin
        raise LocomoError(f"{given}: no such memory ({known()}); `locomo new {path.stem}` writes one")
    if not path.is_file():
        raise LocomoError(
            f"{given}: is not there; `locomo new {path.stem}` writes {paths.PLUGINS / path.name}"
        )
    return at(path)


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise ArgumentTypeError(f"is {text!r}, expected a whole number, 1 or more")
    return int(text)

"""The official scorer on a predictions file, and our scores compared with it (SPEC 11)."""

import io
import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from locomo.core import progress
from locomo.core.download import MissingFileError
from locomo.core.errors import LocomoError
from locomo.core.files import write_json
from locomo.core.messages import some
from locomo.formats.dataset import Question
from locomo.results.scores import Score
from locomo.score import averages
from locomo.score.measures.f1 import f1
from locomo.score.measures.recall import evidence_recall, reached, sessions
from locomo.score.tables import beside
from locomo.submissions.matching import Key, Matched
from locomo.submissions.reading import Given
from locomo.submissions.sessions import SESSION_RECALL

TOLERANCE = 1e-12
"""The largest allowed difference between a score of ours and the official one."""

# The official recall reads the first cited id, so there must be one. No evidence id has parentheses.
_NO_TURN = "(nothing)"


class Answer(NamedTuple):
    """An answer that did not fail, as it is scored."""

    arm: str
    key: Key
    question: Question
    reply: str
    cited: list[str] | None
    """Ids of turns, or of sessions; None if the file doesn't say, or not in a way that can be read."""
    by_session: bool

    @property
    def place(self) -> str:
        """How messages name the question."""
        return f"{self.key[0]}, question {self.key[1]} ({self.question.question!r})"

    @property
    def recall(self) -> str:
        """The name of its recall."""
        return SESSION_RECALL if self.by_session else "recall"


Scores = list[dict[str, float]]
"""Of each answer, F1 and recall of turns or of sessions; no recall if the answer cites nothing."""


def answers(systems: Iterable[Matched]) -> list[Answer]:
    """Every answer that did not fail, system by system, in the order of the dataset."""
    return [
        Answer(system.arm, key, system.questions[key], one.reply, _cited(system, one), system.by_session)
        for system in systems
        for key, one in system.all_scored
    ]


def _cited(system: Matched, one: Given) -> list[str] | None:
    ids = system.recalled(one)
    return sessions(ids) if ids is not None and system.by_session else ids


def official_scores(answered: Sequence[Answer], code: ModuleType) -> Scores:
    """The scores by the code of `scorer.load_code`.

    The code scores each line by itself, so an answer that several systems give to a question is scored once.
    """
    keys = [(one.key, one.reply, None if one.cited is None else tuple(one.cited)) for one in answered]
    distinct = dict(zip(keys, answered, strict=True))
    lines = [_line(one) for one in distinct.values()]
    with redirect_stdout(io.StringIO()):
        scored, _, recalled = code.eval_question_answering(progress.over(lines, "official"))
    known = dict(zip(distinct, zip(map(float, scored), map(float, recalled), strict=True), strict=True))
    return [_scores(one, *known[key]) for one, key in zip(answered, keys, strict=True)]


def our_scores(answered: Iterable[Answer]) -> Scores:
    """The scores by our metric."""
    return [
        _scores(
            one,
            f1(one.question.category, one.reply, one.question.answer),
            evidence_recall(one.cited or [], one.question.evidence_ids),
        )
        for one in answered
    ]


def kept_scores(scores: Iterable[Score], answered: Iterable[Answer]) -> Scores:
    """The scores in a file such as `data/scores.csv`. Raises LookupError if it lacks an answer.

    Where sessions are cited, the file has the recall of sessions in its column `recall`.
    """
    kept = {(score.arm, (score.sample, score.question)): score.values for score in scores}
    found = [(one, kept[one.arm, one.key]) for one in answered]
    return [_scores(one, values["f1"], values.get(one.recall, values["recall"])) for one, values in found]


def _scores(one: Answer, f1: float, recall: float) -> dict[str, float]:
    return {"f1": f1} if one.cited is None else {"f1": f1, one.recall: recall}


def _line(one: Answer) -> dict[str, Any]:
    """A question as the official scorer expects it."""
    evidence = one.question.evidence_ids
    line = {
        "answer": one.question.answer,
        "category": int(one.question.category),
        "evidence": evidence,
        "prediction": one.reply,
    }
    if one.cited is None:
        return line
    # It compares ids as they are unless the first is a session. So where evidence is sessions, it finds them
    # only among the ids: behind the cited turns come their sessions.
    return line | {"prediction_context": [*reached(one.cited, evidence)] or [_NO_TURN]}


@dataclass(frozen=True)
class Comparison:
    """The official scores of the answers of some systems, and ours of the same answers."""

    systems: Sequence[Matched]
    answers: Sequence[Answer]
    official: Scores
    ours: Scores
    source: str
    """Where ours come from."""

    @property
    def measures(self) -> list[str]:
        """What is compared: F1, and recall of turns, of sessions, or of both."""
        found = dict.fromkeys(one.recall for one in self.answers)
        return ["f1", *(found or ["recall"])]

    def pairs(self, measure: str) -> Iterator[tuple[Answer, float, float]]:
        """Each answer with both values: the answer, the official value and ours."""
        for one, official, ours in zip(self.answers, self.official, self.ours, strict=True):
            if measure in official:
                yield one, official[measure], ours[measure]

    def check(self) -> None:
        """Raise LocomoError that names question and arm if a score of ours differs from the official one."""
        wrong = [
            f"{one.place}, arm {one.arm}: {measure} {ours!r}, by the official scorer {official!r}"
            for measure in self.measures
            for one, official, ours in self.pairs(measure)
            if not abs(official - ours) <= TOLERANCE  # NaN counts as a difference
        ]
        if wrong:
            named = some(wrong, separator="\n  ")
            raise LocomoError(
                f"{self.source}: {len(wrong):,} scores differ from the official scorer's:\n  {named}"
            )

    def missing(self) -> dict[str, list[Key]]:
        """The questions without an answer to score, by arm; only for arms that have such questions."""
        missing = {s.arm: [key for key in s.questions if key not in s.scored] for s in self.systems}
        return {arm: keys for arm, keys in missing.items() if keys}

    def uncited(self) -> dict[str, int]:
        """The number of answers without recall, by arm; only for arms that have such answers."""
        return Counter(one.arm for one in self.answers if one.cited is None)

    def counts(self) -> dict[str, float]:
        """How many F1 scores and recalls were compared, and their largest difference."""
        sizes = {m: [abs(theirs - ours) for _, theirs, ours in self.pairs(m)] for m in self.measures}
        return {
            **{f"{measure}_compared": len(differences) for measure, differences in sizes.items()},
            "largest_difference": max((one for found in sizes.values() for one in found), default=0.0),
        }

    def figures(self) -> dict[str, Any]:
        """What was compared, what was not, and the official tables, for a JSON file."""
        missing = {
            arm: [{"sample": sample, "question": question} for sample, question in keys]
            for arm, keys in self.missing().items()
        }
        return {
            **self.counts(),
            "predictions_missing": missing,
            "recall_not_available": self.uncited(),
            **{measure: self.table(self.official, measure) for measure in self.measures},
        }

    def summary(self) -> str:
        """What was compared, on one line, and one more line for each arm that lacks something."""
        *compared, largest = self.counts().values()
        names = {"f1": "F1 scores", "recall": "recalls", SESSION_RECALL: "recalls of sessions"}
        numbers = [f"{n:,} {names[measure]}" for measure, n in zip(self.measures, compared, strict=True)]
        lines = [f"{' and '.join(numbers)} compared with {self.source}: largest difference {largest:g}"]
        for arm, keys in self.missing().items():
            asked = len(self.systems[0].questions)
            places = some([f"{sample}/{index}" for sample, index in keys])
            lines.append(f"{arm}: {len(keys):,} of {asked:,} predictions missing, left out: {places}")
        for arm, uncited in self.uncited().items():
            lines.append(f"{arm}: no recall for {uncited:,} answers whose cites name no turns or sessions")
        return "\n".join(lines)

    def shown(self) -> str:
        """The tables of F1 and recall, official and ours beside each other."""
        by = {"official": self.official, "ours": self.ours}
        return "\n\n".join(
            beside(measure, {name: self.table(scores, measure) for name, scores in by.items()})
            for measure in self.measures
        )

    def table(self, scores: Scores, measure: str) -> averages.Table:
        """The means of a measure, one row per arm; several answers to a question give their mean."""
        observed: dict[str, dict[Key, list[float]]] = {system.arm: {} for system in self.systems}
        for one, values in zip(self.answers, scores, strict=True):
            observed[one.arm].setdefault(one.key, []).append(values.get(measure, math.nan))
        return {
            system.arm: averages.row(
                (system.questions[key].category, math.fsum(several) / len(several))
                for key, several in observed[system.arm].items()
                if not any(map(math.isnan, several))
            )
            for system in self.systems
        }


def do_without(path: Path, sha256: Mapping[str, str], reason: MissingFileError) -> str:
    """Keep the figures at ``path`` if they belong to files with these SHA-256, else say there are none.

    Returns a message of one line: that nothing was rescored, and what to do about it.
    """
    try:
        kept = json.loads(path.read_bytes())
        belongs = kept["available"] is True and kept["sha256"] == sha256
    except (OSError, ValueError, LookupError, TypeError):
        belongs = False
    if not belongs:
        write_json(path, {"available": False, "sha256": sha256})
    state = "the committed figures of these very predictions are kept" if belongs else f"{path} says so"
    command = "dvc repro --force --single-item official"
    return f"Nothing was rescored; {state}. {reason.remedy}, then run `{command}` and `dvc repro`."

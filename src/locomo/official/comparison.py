"""The official scorer on a predictions file, and our scores compared with it (SPEC 11)."""

import hashlib
import io
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from tqdm import tqdm

from locomo.core.download import MissingFileError
from locomo.core.errors import LocomoError
from locomo.core.files import write_json
from locomo.core.messages import some
from locomo.formats.dataset import Category, Question
from locomo.results.predictions import GivenRow
from locomo.results.scores import read_scores
from locomo.score import averages
from locomo.score.measures.f1 import f1
from locomo.score.measures.recall import evidence_recall
from locomo.score.tables import beside

TOLERANCE = 1e-12
"""The largest allowed difference between a score of ours and the official one."""

COMPARED = ("f1", "recall")

# The official recall reads the first cited id, so there must be one. No evidence id has parentheses.
_NO_TURN = "(nothing)"


class ScoredAnswer(NamedTuple):
    """F1 and recall of one answer; the recall is None if the file doesn't say what was cited."""

    row: GivenRow
    arm: str
    f1: float
    recall: float | None

    @property
    def category(self) -> Category:
        """The question's category."""
        return self.row.question.category


def official_scores(rows: Sequence[GivenRow], arms: Iterable[str], code: ModuleType) -> list[ScoredAnswer]:
    """The scores by the code of `scorer.load_code`, arm by arm; missing predictions are left out.

    The code scores each line by itself, so an answer that several arms give to a question is scored once.
    """
    scores = []
    known: dict[tuple[object, ...], tuple[float, float]] = {}
    for arm in tqdm(arms, "official", disable=None):
        answered = {_identity(*one): one for one in _answered(rows, arm)}
        new = [key for key in answered if key not in known]
        lines = [
            _line(row.question, reply, context) for row, reply, context in (answered[key] for key in new)
        ]
        with redirect_stdout(io.StringIO()):
            scored, _, recalled = code.eval_question_answering(lines)
        for key, value, share in zip(new, scored, recalled, strict=True):
            known[key] = float(value), float(share)
        for key, (row, _, context) in answered.items():
            value, share = known[key]
            scores.append(ScoredAnswer(row, arm, value, None if context is None else share))
    return scores


def _identity(row: GivenRow, reply: str, context: list[str] | None) -> tuple[object, ...]:
    """What the official scores of an answer depend on; sample and position identify the question."""
    return row.sample, row.position, reply, None if context is None else tuple(context)


def our_scores(rows: Sequence[GivenRow], arms: Iterable[str]) -> list[ScoredAnswer]:
    """The scores by our metric, in the order of `official_scores`."""
    scores = []
    for arm in arms:
        for row, reply, context in _answered(rows, arm):
            value = f1(row.question.category, reply, row.question.answer)
            share = None if context is None else evidence_recall(context, row.question.evidence_ids)
            scores.append(ScoredAnswer(row, arm, value, share))
    return scores


def kept_scores(path: Path, rows: Sequence[GivenRow], arms: Iterable[str]) -> list[ScoredAnswer] | None:
    """The scores in a file such as ``data/scores.csv``, in the order of `official_scores`.

    None if the file belongs to other predictions: it lacks an answer, or has another category or confidence.
    The check is not complete: a confidence depends on the memory alone, and does not change with the reader.
    """
    kept = {(score.sample, score.question, score.arm): score for score in read_scores(path)}
    scores = []
    for arm in arms:
        for row, _, _ in _answered(rows, arm):
            score = kept.get((row.sample, row.position, arm))
            asked = (row.question.category, row.answers[arm].confidence)
            if score is None or (score.category, score.confidence) != asked:
                return None
            scores.append(ScoredAnswer(row, arm, score.values["f1"], score.values["recall"]))
    return scores


def _answered(rows: Iterable[GivenRow], arm: str) -> Iterator[tuple[GivenRow, str, list[str] | None]]:
    """The questions that an arm has a prediction for, the reply, and the context if there is one."""
    for row in rows:
        reply, context, _ = row.answers[arm]
        if reply is not None:
            yield row, reply, context


def _line(question: Question, reply: str, context: list[str] | None) -> dict[str, Any]:
    """A question as the official scorer expects it."""
    line = {
        "answer": question.answer,
        "category": int(question.category),
        "evidence": question.evidence_ids,
        "prediction": reply,
    }
    return line if context is None else line | {"prediction_context": context or [_NO_TURN]}


@dataclass(frozen=True)
class Comparison:
    """The official scores of a predictions file, and ours of the same answers in the same order."""

    rows: Sequence[GivenRow]
    arms: Sequence[str]
    official: Sequence[ScoredAnswer]
    ours: Sequence[ScoredAnswer]
    source: str
    """Where ours come from."""

    def pairs(self, measure: str) -> Iterator[tuple[ScoredAnswer, float, float]]:
        """Each answer with both values: the answer, the official value and ours."""
        for theirs, mine in zip(self.official, self.ours, strict=True):
            official, ours = getattr(theirs, measure), getattr(mine, measure)
            if official is not None and ours is not None:
                yield theirs, official, ours

    def check(self) -> None:
        """Raise LocomoError that names question and arm if a score of ours differs from the official one."""
        wrong = [
            f"{one.row.place}, arm {one.arm}: {measure} {ours!r}, by the official scorer {official!r}"
            for measure in COMPARED
            for one, official, ours in self.pairs(measure)
            if not abs(official - ours) <= TOLERANCE  # NaN counts as a difference
        ]
        if wrong:
            named = some(wrong, separator="\n  ")
            raise LocomoError(
                f"{self.source}: {len(wrong):,} scores differ from the official scorer's:\n  {named}"
            )

    def missing(self) -> dict[str, list[GivenRow]]:
        """The questions without a prediction, by arm; only for arms that have such questions."""
        missing = {arm: [row for row in self.rows if row.answers[arm].reply is None] for arm in self.arms}
        return {arm: rows for arm, rows in missing.items() if rows}

    def uncited(self) -> dict[str, int]:
        """The number of answers without recall, by arm; only for arms that have such answers."""
        return Counter(one.arm for one in self.official if one.recall is None)

    def counts(self) -> dict[str, float]:
        """How many F1 scores and recalls were compared, and their largest difference."""
        sizes = {name: [abs(theirs - ours) for _, theirs, ours in self.pairs(name)] for name in COMPARED}
        return {
            "f1_compared": len(sizes["f1"]),
            "recall_compared": len(sizes["recall"]),
            "largest_difference": max(sizes["f1"] + sizes["recall"], default=0.0),
        }

    def figures(self) -> dict[str, Any]:
        """What was compared, what was not, and the official tables, for a JSON file."""
        missing = {
            arm: [{"sample": row.sample, "question": row.position} for row in rows]
            for arm, rows in self.missing().items()
        }
        return {
            **self.counts(),
            "predictions_missing": missing,
            "recall_not_available": self.uncited(),
            **{measure: self.table(self.official, measure) for measure in COMPARED},
        }

    def summary(self) -> str:
        """What was compared, on one line, and one more line for each arm that lacks something."""
        scores, recalls, largest = self.counts().values()
        lines = [
            f"{scores:,} F1 scores and {recalls:,} recalls compared with {self.source}:"
            f" largest difference {largest:g}"
        ]
        for arm, rows in self.missing().items():
            places = some([row.place for row in rows], separator="; ")
            lines.append(
                f"{arm}: {len(rows):,} of {len(self.rows):,} predictions missing, left out: {places}"
            )
        for arm, uncited in self.uncited().items():
            lines.append(f"{arm}: no recall for {uncited:,} answers that don't say what they cite")
        return "\n".join(lines)

    def shown(self) -> str:
        """The tables of F1 and recall, official and ours beside each other."""
        by = {"official": self.official, "ours": self.ours}
        return "\n\n".join(
            beside(measure, {name: self.table(scores, measure) for name, scores in by.items()})
            for measure in COMPARED
        )

    def table(self, scores: Sequence[ScoredAnswer], measure: str) -> averages.Table:
        """The means of a measure over the answers that have it, one row per arm."""
        observed: dict[str, list[tuple[Category, float]]] = {arm: [] for arm in self.arms}
        for one in scores:
            if (value := getattr(one, measure)) is not None:
                observed[one.arm].append((one.category, value))
        return {arm: averages.row(pairs) for arm, pairs in observed.items()}


def digest(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


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

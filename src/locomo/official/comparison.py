"""The official scorer over a predictions file, and our marks held against its (SPEC 11).

Its code is fetched and run as it is; nothing of it is kept here.
"""

import hashlib
import io
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from tqdm import tqdm

from locomo.core.download import Pinned, fetch
from locomo.core.errors import LocomoError
from locomo.core.files import write_json
from locomo.formats.dataset import Category, Question
from locomo.results.predictions import GivenRow
from locomo.score import averages
from locomo.score.metric import evidence_recall, grade
from locomo.score.scoring import read_marks
from locomo.score.tables import beside

TOLERANCE = 1e-12
"""By how much a mark of ours may differ from the official one."""

MEASURES = ("f1", "recall")

# The official recall looks at the first cited id, so there has to be one. Evidence ids have no parentheses.
_NO_TURN = "(nothing)"
# How many differences, or questions without a prediction, a message names.
_NAMED = 10


class Grade(NamedTuple):
    """F1 and recall of one answer; the recall is None where the file doesn't say what was cited."""

    row: GivenRow
    arm: str
    f1: float
    recall: float | None

    @property
    def category(self) -> Category:
        """The question's category."""
        return self.row.question.category


def load_code(file: Pinned) -> ModuleType:
    """The official code, unmodified, from a cache or from the network.

    Raises LocomoError, before anything of it has run, if it can't be had or isn't the pinned file.
    """
    path = fetch(file)
    # These very bytes are run: neither a file swapped since, nor byte code that lies beside it.
    source = path.read_bytes()
    if hashlib.sha256(source).hexdigest() != file.sha256:
        raise LocomoError(f"{path}: has changed since it was checked; nothing of it was run")
    code = ModuleType("official_scorer")
    with _stand_in("bert_score"), redirect_stdout(io.StringIO()):
        exec(compile(source, path, "exec"), code.__dict__)
    return code


@contextmanager
def _stand_in(name: str) -> Iterator[None]:
    """Keep a module from being imported: the official code names it and never uses it here."""
    real = sys.modules.get(name)
    module = sys.modules[name] = ModuleType(name)
    module.score = None  # type: ignore[attr-defined]
    try:
        yield
    finally:
        del sys.modules[name]
        if real is not None:
            sys.modules[name] = real


def official_grades(rows: Sequence[GivenRow], arms: Iterable[str], code: ModuleType) -> list[Grade]:
    """What the code of `load_code` gives each answer, arm by arm; missing predictions are left out.

    The code grades each line by itself, so an answer that several arms give to a question is graded once.
    """
    grades = []
    known: dict[tuple[object, ...], tuple[float, float]] = {}
    for arm in tqdm(arms, "official", disable=None):
        answered = {_identity(*one): one for one in _answered(rows, arm)}
        new = [key for key in answered if key not in known]
        lines = [
            _line(row.question, reply, context) for row, reply, context in (answered[key] for key in new)
        ]
        with redirect_stdout(io.StringIO()):
            f1, _, recall = code.eval_question_answering(lines)
        for key, mark, share in zip(new, f1, recall, strict=True):
            known[key] = float(mark), float(share)
        for key, (row, _, context) in answered.items():
            mark, share = known[key]
            grades.append(Grade(row, arm, mark, None if context is None else share))
    return grades


def _identity(row: GivenRow, reply: str, context: list[str] | None) -> tuple[object, ...]:
    """What the official grades of an answer hang on; the position stands for all of the question."""
    return row.sample, row.position, reply, None if context is None else tuple(context)


def our_grades(rows: Sequence[GivenRow], arms: Iterable[str]) -> list[Grade]:
    """What our metric gives each answer, in the order of `official_grades`."""
    grades = []
    for arm in arms:
        for row, reply, context in _answered(rows, arm):
            mark = grade(row.question.category, reply, row.question.answer)
            share = None if context is None else evidence_recall(context, row.question.evidence_ids)
            grades.append(Grade(row, arm, mark, share))
    return grades


def kept_grades(path: Path, rows: Sequence[GivenRow], arms: Iterable[str]) -> list[Grade] | None:
    """What a marks file such as ``data/marks.csv`` has for each answer, in the order of `official_grades`.

    None if it surely belongs to other predictions: it lacks an answer, or its category or confidence is
    another. Not None is no proof: a confidence is the memory's, and another reader leaves it as it is.
    """
    kept = {(mark.sample, mark.question, mark.arm): mark for mark in read_marks(path)}
    grades = []
    for arm in arms:
        for row, _, _ in _answered(rows, arm):
            mark = kept.get((row.sample, row.position, arm))
            asked = (row.question.category, row.answers[arm].confidence)
            if mark is None or (mark.category, mark.confidence) != asked:
                return None
            grades.append(Grade(row, arm, mark.f1, mark.recall))
    return grades


def _answered(rows: Iterable[GivenRow], arm: str) -> Iterator[tuple[GivenRow, str, list[str] | None]]:
    """The questions that an arm has a prediction for, the reply, and the context if there is one."""
    for row in rows:
        reply, context, _ = row.answers[arm]
        if reply is not None:
            yield row, reply, context


def _line(question: Question, reply: str, context: list[str] | None) -> dict[str, Any]:
    """A question as the official scorer wants it."""
    line = {
        "answer": question.answer,
        "category": int(question.category),
        "evidence": question.evidence_ids,
        "prediction": reply,
    }
    return line if context is None else line | {"prediction_context": context or [_NO_TURN]}


@dataclass(frozen=True)
class Comparison:
    """The official grades of a predictions file, and ours of the same answers in the same order."""

    rows: Sequence[GivenRow]
    arms: Sequence[str]
    official: Sequence[Grade]
    ours: Sequence[Grade]
    source: str
    """Where ours come from."""

    def pairs(self, measure: str) -> Iterator[tuple[Grade, float, float]]:
        """Each answer that both have a mark for: its grade, the official mark and ours."""
        for theirs, mine in zip(self.official, self.ours, strict=True):
            official, ours = getattr(theirs, measure), getattr(mine, measure)
            if official is not None and ours is not None:
                yield theirs, official, ours

    def check(self) -> None:
        """Raise LocomoError naming question and arm if a mark of ours isn't the official one."""
        wrong = [
            f"{grade.row.place}, arm {grade.arm}: {measure} {ours!r}, by the official scorer {official!r}"
            for measure in MEASURES
            for grade, official, ours in self.pairs(measure)
            if not abs(official - ours) <= TOLERANCE  # so that NaN is a difference
        ]
        if wrong:
            named = _some(wrong, "\n  ")
            raise LocomoError(f"{self.source}: {len(wrong):,} marks aren't the official scorer's:\n  {named}")

    def missing(self) -> dict[str, list[GivenRow]]:
        """The questions that an arm has no prediction for, by arm; an arm that lacks none isn't there."""
        missing = {arm: [row for row in self.rows if row.answers[arm].reply is None] for arm in self.arms}
        return {arm: rows for arm, rows in missing.items() if rows}

    def uncited(self) -> dict[str, int]:
        """How many answers of an arm have no recall, by arm; an arm without such answers isn't there."""
        return Counter(grade.arm for grade in self.official if grade.recall is None)

    def counts(self) -> dict[str, float]:
        """How many marks and recalls were compared, and their largest difference."""
        sizes = {name: [abs(theirs - ours) for _, theirs, ours in self.pairs(name)] for name in MEASURES}
        return {
            "marks_compared": len(sizes["f1"]),
            "recalls_compared": len(sizes["recall"]),
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
            **{measure: self.table(self.official, measure) for measure in MEASURES},
        }

    def summary(self) -> str:
        """What was compared, and what was not: a line, and one more for each arm that lacks something."""
        marks, recalls, largest = self.counts().values()
        said = [
            f"{marks:,} marks and {recalls:,} recalls compared with {self.source}:"
            f" largest difference {largest:g}"
        ]
        for arm, rows in self.missing().items():
            places = _some([row.place for row in rows], "; ")
            said.append(f"{arm}: {len(rows):,} of {len(self.rows):,} predictions missing, left out: {places}")
        for arm, count in self.uncited().items():
            said.append(f"{arm}: no recall for {count:,} answers that don't say what they cite")
        return "\n".join(said)

    def shown(self) -> str:
        """The tables of F1 and recall, official and ours beside each other."""
        by = {"official": self.official, "ours": self.ours}
        return "\n\n".join(
            beside(measure, {name: self.table(grades, measure) for name, grades in by.items()})
            for measure in MEASURES
        )

    def table(self, grades: Sequence[Grade], measure: str) -> averages.Table:
        """The means of a measure, a row an arm; of the answers that have it."""
        observed: dict[str, list[tuple[Category, float]]] = {arm: [] for arm in self.arms}
        for one in grades:
            if (value := getattr(one, measure)) is not None:
                observed[one.arm].append((one.category, value))
        return {arm: averages.row(pairs) for arm, pairs in observed.items()}


def _some(items: Sequence[str], separator: str) -> str:
    more = len(items) - _NAMED
    return separator.join([*items[:_NAMED], *([f"and {more:,} more"] if more > 0 else [])])


def digest(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def do_without(path: Path, sha256: Mapping[str, str], reason: LocomoError) -> str:
    """Leave the figures at ``path`` if they belong to files of these SHA-256, else write that there are none.

    Returns what to tell: that nothing was rescored, why, and what to do about it.
    """
    try:
        kept = json.loads(path.read_bytes())
        belongs = kept["available"] is True and kept["sha256"] == sha256
    except (OSError, ValueError, LookupError, TypeError):
        belongs = False
    if not belongs:
        write_json(path, {"available": False, "sha256": sha256})
    state = "is kept: it belongs to these very predictions" if belongs else "says so"
    return f"Nothing was rescored; {path} {state}. {reason}\nThen: dvc repro --force --single-item official"

"""Marks: how good each arm's answer to each question is; and their means (SPEC 11)."""

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from locomo.core.errors import LocomoError
from locomo.core.files import replacing
from locomo.formats.dataset import Category, Conversation
from locomo.results.predictions import Answer, Failure
from locomo.score.averages import Table, counts, table
from locomo.score.metric import evidence_recall, grade, is_quiet

MEASURES = ("f1", "recall", "quiet")


class Mark(NamedTuple):
    """One answer's mark, recall, silence (0 or 1) and confidence; `question` counts from 0 in the sample."""

    sample: str
    question: int
    category: Category
    arm: str
    f1: float
    recall: float
    quiet: int
    confidence: float


def mark(
    conversations: Iterable[Conversation],
    samples: Iterable[tuple[str, Sequence[Mapping[str, Answer | Failure]]]],
) -> Iterator[Mark]:
    """The marks of a predictions file over the dataset it was made from, in order; a failure has none.

    Raises LocomoError if the file answers more or fewer questions than the dataset asks.
    """
    answered = dict(samples)
    for conversation in conversations:
        rows = answered.get(conversation.sample_id, [])
        if len(rows) != len(conversation.questions):
            raise LocomoError(
                f"predictions: {conversation.sample_id} has {len(rows)} answered questions,"
                f" the dataset {len(conversation.questions)}; `dvc repro` makes them fit"
            )
        for index, (question, answers) in enumerate(zip(conversation.questions, rows, strict=True)):
            # Arms often give the same reply, and a mark depends on nothing else of the arm.
            grades: dict[str, tuple[float, int]] = {}
            evidence = question.evidence_ids
            for arm, answer in answers.items():
                if isinstance(answer, Failure):
                    continue
                reply, context, confidence = answer
                if reply not in grades:
                    grades[reply] = grade(question.category, reply, question.answer), int(is_quiet(reply))
                f1, quiet = grades[reply]
                recall = evidence_recall(context, evidence)
                yield Mark(
                    conversation.sample_id, index, question.category, arm, f1, recall, quiet, confidence
                )


def write_marks(path: Path, marks: Iterable[Mark]) -> None:
    """Write `data/marks.csv`: a header and a line a mark; floats as Python's `repr` has them."""
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(Mark._fields)
        label = {category: category.label for category in Category}
        rows.writerows((m.sample, m.question, label[m.category], *m[3:]) for m in marks)


def read_marks(path: Path) -> list[Mark]:
    """Read `data/marks.csv` back as `write_marks` wrote it.

    Raises LocomoError if the file is not there or is none.
    """
    try:
        with path.open(encoding="utf-8", newline="") as file:
            lines = csv.reader(file)
            if next(lines, None) != list(Mark._fields):
                raise ValueError(f"expected the columns {', '.join(Mark._fields)}")
            return [_mark(*line) for line in lines]
    except FileNotFoundError as error:
        raise LocomoError(f"{path}: is not there; `dvc repro score` makes it") from error
    except (ValueError, KeyError, TypeError) as error:
        raise LocomoError(f"{path}: is no file of marks ({error!r}); `dvc repro score` makes one") from error


def tables(marks: Iterable[Mark], arms: Iterable[str] = ()) -> dict[str, Table]:
    """The means of each measure, a row an arm; `arms` have one also where they failed throughout."""
    marks, arms = list(marks), list(arms)
    return {
        measure: table(((mark.arm, mark.category, getattr(mark, measure)) for mark in marks), arms)
        for measure in MEASURES
    }


def incomplete(
    marks: Iterable[Mark], arms: Iterable[str], asked: Mapping[str, int]
) -> dict[str, dict[str, int]]:
    """Of each arm that failed on some question, how many questions each column's means are over.

    `asked` are all questions by column, as `means.counts` has them.
    """
    scored: dict[str, list[Category]] = {arm: [] for arm in arms}
    for mark in marks:
        scored[mark.arm].append(mark.category)
    found = {arm: counts(categories) for arm, categories in scored.items()}
    return {arm: columns for arm, columns in found.items() if columns != asked}


def overall(scored: Mapping[str, int], asked: Mapping[str, int]) -> dict[str, int]:
    """How many of all questions were scored and how many failed, to stand behind the means."""
    return {"scored": scored["overall"], "failed": asked["overall"] - scored["overall"]}


def shares(scored: Mapping[str, Mapping[str, int]], asked: Mapping[str, int]) -> dict[str, dict[str, str]]:
    """The counts of `incomplete` for reading: "839 of 841"."""
    return {
        arm: {column: f"{count:,} of {asked[column]:,}" for column, count in columns.items()}
        for arm, columns in scored.items()
    }


_CATEGORIES = {category.label: category for category in Category}


def _mark(
    sample: str, question: str, category: str, arm: str, f1: str, recall: str, quiet: str, confidence: str
) -> Mark:
    marks = float(f1), float(recall), int(quiet), float(confidence)
    return Mark(sample, int(question), _CATEGORIES[category], arm, *marks)

"""The scores of a run: how good each arm's answer to each question is, in `data/scores.csv`."""

import csv
from collections.abc import Iterable, Mapping, Sequence
from math import nan
from pathlib import Path
from typing import Any, NamedTuple

from locomo.core.errors import made_by
from locomo.core.files import replacing
from locomo.formats.dataset import Category


class Score(NamedTuple):
    """One answer's score by every measure, and its confidence; `question` counts from 0 in the sample."""

    sample: str
    question: int
    category: Category
    arm: str
    values: Mapping[str, float]
    """By the name of the measure: `f1` and `recall` from 0 to 1, `abstained` 0 or 1.

    The recall is NaN, an empty cell, if texts are cited that the memory wrote itself.
    """
    confidence: float

    def as_row(self) -> dict[str, Any]:
        """The values by column of `data/scores.csv`."""
        key = {"sample": self.sample, "question": self.question, "category": self.category.label}
        return {**key, "arm": self.arm, **self.values, "confidence": self.confidence}


_BEFORE = ("sample", "question", "category", "arm")
_AFTER = ("confidence",)
"""The columns before and after those of the measures."""


def write_scores(path: Path, measures: Sequence[str], scores: Iterable[Score]) -> None:
    """Write `data/scores.csv`: a header, then one line per answer; floats are written by `repr`."""
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow([*_BEFORE, *measures, *_AFTER])
        label = {category: category.label for category in Category}
        for sample, question, category, arm, values, confidence in scores:
            of_measures = [_cell(values[measure]) for measure in measures]
            rows.writerow([sample, question, label[category], arm, *of_measures, confidence])


def read_scores(path: Path) -> list[Score]:
    """Read what `write_scores` wrote, with any measures.

    Raises LocomoError if the file is missing or damaged.
    """
    with made_by("score", path), path.open(encoding="utf-8", newline="") as file:
        lines = csv.reader(file)
        header = next(lines)
        before, measures, after = header[:4], header[4:-1], header[-1:]
        if (*before, *after) != (*_BEFORE, *_AFTER) or not measures:
            raise ValueError(f"columns {header}")
        return [_score(measures, line) for line in lines]


_CATEGORIES = {category.label: category for category in Category}


def _cell(value: float) -> float | str:
    return "" if value != value else value


def _number(text: str) -> float:
    return int(text) if text.isdecimal() else float(text) if text else nan


def _score(measures: Sequence[str], line: Sequence[str]) -> Score:
    sample, question, category, arm, *values, confidence = line
    by_measure = dict(zip(measures, map(_number, values), strict=True))
    return Score(sample, int(question), _CATEGORIES[category], arm, by_measure, float(confidence))

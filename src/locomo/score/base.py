"""What a measure is: a score of one answer to one question. Tables show its means."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from locomo.formats.dataset import Question


@dataclass(frozen=True, slots=True)
class Measure:
    """One measure: `MEASURE` in a file of `score/measures/`, and a folder of means in dvc.yaml."""

    name: str
    """The column of `data/scores.csv`, and the folder under `metrics/`."""
    caption: str
    """The caption of its table."""
    place: int
    """Its place in the order of measures."""
    reads: Literal["reply", "context"]
    """The part of an answer that it scores: the text of the reply, or the ids of the cited turns."""
    of: Callable[[Question, Any], float]
    """The function from the question and that part to the score."""

"""What a measure is: a score of one answer to one question, of which tables show the means."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from locomo.formats.dataset import Question


@dataclass(frozen=True, slots=True)
class Measure:
    """One measure: `MEASURE` of a file in `score/measures/`, and a folder of means in dvc.yaml."""

    name: str
    """The column of `data/scores.csv`, and the folder under `metrics/`."""
    caption: str
    """What stands over its table."""
    place: int
    """Where it stands among the measures."""
    reads: Literal["reply", "context"]
    """What of an answer it depends on: the text of the reply, or the ids of the cited turns."""
    of: Callable[[Question, Any], float]
    """The score of what it reads."""

"""The answered questions of a run: dataset, answers and marks joined, for looking at."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from locomo.core.errors import LocomoError
from locomo.formats import dataset
from locomo.formats.dataset import Category, Conversation, Question
from locomo.results import predictions
from locomo.results.predictions import Answer, Failure
from locomo.score.scoring import Mark, read_marks

DATASET = Path("data/locomo10.json")
PREDICTIONS = Path("data/predictions.json")
MARKS = Path("data/marks.csv")
SIGNATURES = Path("metrics/signature.json")


@dataclass(frozen=True, slots=True)
class Answered:
    """A question, and each arm's answer to it with its mark; `index` counts from 0 in the conversation.

    An arm whose memory failed on it has neither, but stands in `failures` with what the memory raised.
    """

    conversation: Conversation
    index: int
    question: Question
    answers: Mapping[str, Answer]
    marks: Mapping[str, Mark]
    failures: Mapping[str, str] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """The conversation and the index, as in `conv-43/12`."""
        return f"{self.conversation.sample_id}/{self.index}"


@dataclass(frozen=True, slots=True)
class Run:
    """What a run answered, in the order of the dataset, and the signature of its figures."""

    signature: str
    arms: tuple[str, ...]
    conversations: Sequence[Conversation]
    questions: Sequence[Answered]


def load() -> Run:
    """Read the run whose data lies in the current folder.

    Raises LocomoError if a file is not there, is not what it should be, or is of another run than the rest.
    """
    for path in (DATASET, PREDICTIONS, MARKS, SIGNATURES):
        if not path.exists():
            raise LocomoError(
                f"{path}: is not there; run `dvc repro`, in the project's own folder, to make it"
            )
    conversations = list(dataset.read(DATASET))
    answers = dict(predictions.read(PREDICTIONS))
    questions = list(_join(conversations, answers))
    if not questions:
        raise LocomoError(f"{DATASET}: asks no question")
    first = questions[0]
    arms = tuple(answers[first.conversation.sample_id][first.index])
    return Run(run_signature(), arms, conversations, questions)


def label(category: Category) -> str:
    """A category's name for reading, and its number: `multi hop (1)`."""
    return f"{category.label.replace('_', ' ')} ({int(category)})"


def _join(
    conversations: Sequence[Conversation], answers: Mapping[str, Sequence[Mapping[str, Answer | Failure]]]
) -> Iterator[Answered]:
    marks: dict[tuple[str, int], dict[str, Mark]] = {}
    for mark in read_marks(MARKS):
        marks.setdefault((mark.sample, mark.question), {})[mark.arm] = mark
    for conversation in conversations:
        sample = conversation.sample_id
        rows = answers.get(sample, [])
        for index, question in enumerate(conversation.questions):
            row = rows[index] if index < len(rows) else {}
            given = {arm: one for arm, one in row.items() if isinstance(one, Answer)}
            failures = {arm: one.error for arm, one in row.items() if isinstance(one, Failure)}
            mine = marks.get((sample, index), {})
            answered = Answered(conversation, index, question, given, mine, failures)
            _check_fit(answered)
            yield answered


def _check_fit(answered: Answered) -> None:
    """A stage that ran alone leaves the others' files behind; what they say together would be wrong."""
    answers, marks = answered.answers, answered.marks
    fit = (answers or answered.failures) and answers.keys() == marks.keys()
    fit = fit and all(marks[arm].confidence == answer.confidence for arm, answer in answers.items())
    if not fit or any(mark.category is not answered.question.category for mark in marks.values()):
        files = f"{DATASET}, {PREDICTIONS} and {MARKS}"
        raise LocomoError(
            f"{files} are not of one run (they differ at {answered.id}); `dvc repro` makes them fit"
        )


def run_signature() -> str:
    """The signature of any arm, with a place for its name: the other parts are the same for all."""
    try:
        signatures = json.loads(SIGNATURES.read_bytes())
        return str(next(iter(signatures.values()))).partition("|arm:")[0] + "|arm:<arm>"
    except (ValueError, AttributeError, StopIteration) as error:
        raise LocomoError(f"{SIGNATURES}: holds no signatures; `dvc repro score` writes them") from error

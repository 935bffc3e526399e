"""The joined results of a run: dataset, predictions and scores, question by question."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from locomo.core import paths
from locomo.core.errors import LocomoError, made_by
from locomo.formats import dataset
from locomo.formats.dataset import Conversation, Question
from locomo.results import predictions
from locomo.results.predictions import Answer, Failure
from locomo.results.scores import Score, read_scores


@dataclass(frozen=True, slots=True)
class AnsweredQuestion:
    """A question, and each arm's answer to it with its score; `index` counts from 0 in the conversation.

    An arm whose memory failed has neither; `failures` has the error that the memory raised.
    """

    conversation: Conversation
    index: int
    question: Question
    answers: Mapping[str, Answer]
    scores: Mapping[str, Score]
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
    questions: Sequence[AnsweredQuestion]


def load() -> Run:
    """Read the run in the current folder.

    Raises LocomoError if a file is missing, damaged, or of another run than the rest.
    """
    conversations = list(dataset.read(paths.DATASET))
    answers = dict(predictions.read(paths.PREDICTIONS))
    questions = list(_join(conversations, answers))
    first = questions[0]
    arms = tuple(answers[first.conversation.sample_id][first.index])
    return Run(run_signature(), arms, conversations, questions)


def _join(
    conversations: Sequence[Conversation], answers: Mapping[str, Sequence[Mapping[str, Answer | Failure]]]
) -> Iterator[AnsweredQuestion]:
    scores: dict[tuple[str, int], dict[str, Score]] = {}
    for score in read_scores(paths.SCORES):
        scores.setdefault((score.sample, score.question), {})[score.arm] = score
    for conversation in conversations:
        sample = conversation.sample_id
        rows = answers.get(sample, [])
        for index, question in enumerate(conversation.questions):
            row = rows[index] if index < len(rows) else {}
            given = {arm: one for arm, one in row.items() if isinstance(one, Answer)}
            failures = {arm: one.error for arm, one in row.items() if isinstance(one, Failure)}
            of_question = scores.get((sample, index), {})
            answered = AnsweredQuestion(conversation, index, question, given, of_question, failures)
            _check_fit(answered)
            yield answered


def _check_fit(answered: AnsweredQuestion) -> None:
    """Refuse files of different runs: a stage that ran alone leaves older files of the other stages."""
    answers, scores = answered.answers, answered.scores
    fit = (answers or answered.failures) and answers.keys() == scores.keys()
    fit = fit and all(scores[arm].confidence == answer.confidence for arm, answer in answers.items())
    if not fit or any(score.category is not answered.question.category for score in scores.values()):
        files = f"{paths.DATASET}, {paths.PREDICTIONS} and {paths.SCORES}"
        raise LocomoError(
            f"{files} are not of one run (they differ at {answered.id}); run `dvc repro` to make them fit"
        )


def signatures() -> dict[str, str]:
    """The signature of each arm of the run."""
    with made_by("score", paths.SIGNATURES):
        found: dict[str, str] = json.loads(paths.SIGNATURES.read_bytes())
        if not found or not all(isinstance(one, str) for one in found.values()):
            raise ValueError("no signatures")
        return found


def run_signature() -> str:
    """The signature of every arm, with `<arm>` in place of its name: the other parts are the same for all."""
    return next(iter(signatures().values())).partition("|arm:")[0] + "|arm:<arm>"

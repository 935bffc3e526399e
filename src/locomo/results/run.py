"""The joined results of a run: dataset, predictions and scores, question by question."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from locomo.core import paths
from locomo.formats import answer_key
from locomo.formats.dataset import Conversation, Question
from locomo.results import predictions
from locomo.results.predictions import Answer, Failure
from locomo.results.provenance import read_signed
from locomo.results.scores import Score, read_scores


@dataclass(frozen=True, slots=True)
class AnsweredQuestion:
    """A question, and each arm's answer to it with its score.

    An arm whose memory failed has neither; `failures` has the error that the memory raised.
    """

    conversation: Conversation
    question: Question
    answers: Mapping[str, Answer]
    scores: Mapping[str, Score]
    failures: Mapping[str, str] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """The conversation and the index, as in `conv-43/12`."""
        return f"{self.conversation.sample_id}/{self.question.index}"


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
    signed = read_signed()
    signed.check(paths.DATASET, paths.PREDICTIONS, paths.SCORES)
    conversations = list(answer_key.conversations())
    answers = dict(predictions.read(paths.PREDICTIONS))
    questions = list(_join(conversations, answers))
    return Run(signed.signature, tuple(signed.signatures), conversations, questions)


def _join(
    conversations: Sequence[Conversation], answers: Mapping[str, Sequence[Mapping[str, Answer | Failure]]]
) -> Iterator[AnsweredQuestion]:
    scores: dict[tuple[str, int], dict[str, Score]] = {}
    for score in read_scores(paths.SCORES):
        scores.setdefault((score.sample, score.question), {})[score.arm] = score
    for conversation in conversations:
        sample = conversation.sample_id
        for question, row in zip(conversation.questions, answers[sample], strict=True):
            given = {arm: one for arm, one in row.items() if isinstance(one, Answer)}
            failures = {arm: one.error for arm, one in row.items() if isinstance(one, Failure)}
            of_question = scores.get((sample, question.index), {})
            yield AnsweredQuestion(conversation, question, given, of_question, failures)

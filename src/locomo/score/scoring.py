"""Scores of a run by every measure, and the tables of their means (SPEC 11)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isnan, nan

from locomo.core.errors import LocomoError
from locomo.formats.dataset import Category, Conversation, Question
from locomo.results.predictions import Answer, Failure
from locomo.results.scores import Score
from locomo.score.averages import Table, counts, table
from locomo.score.measures import MEASURES


class QuestionScores:
    """The scores of answers to one question; equal replies and equal cites are scored once."""

    def __init__(self, question: Question) -> None:
        self._question = question
        self._known: dict[tuple[str, object], float] = {}

    def of(self, answer: Answer) -> dict[str, float]:
        """The scores of an answer, by the name of the measure."""
        return {name: self._score(name, answer) for name in MEASURES}

    def _score(self, name: str, answer: Answer) -> float:
        measure = MEASURES[name]
        if measure.reads == "context" and not answer.sourced:
            return nan
        read: object = answer.reply if measure.reads == "reply" else tuple(answer.context)
        if (name, read) not in self._known:
            self._known[name, read] = measure.of(self._question, read)
        return self._known[name, read]


def score(
    conversations: Iterable[Conversation],
    samples: Iterable[tuple[str, Sequence[Mapping[str, Answer | Failure]]]],
) -> Iterator[Score]:
    """The scores of a predictions file, in the order of its dataset; a failure has none.

    Raises LocomoError if the file answers more or fewer questions than the dataset asks.
    """
    answered = dict(samples)
    for conversation in conversations:
        rows = answered.get(conversation.sample_id, [])
        if len(rows) != len(conversation.questions):
            raise LocomoError(
                f"predictions: {conversation.sample_id} has {len(rows)} answered questions,"
                f" the dataset {len(conversation.questions)}; run `dvc repro` to make them fit"
            )
        sample = conversation.sample_id
        for question, answers in zip(conversation.questions, rows, strict=True):
            scores = QuestionScores(question)
            for arm, answer in answers.items():
                if isinstance(answer, Answer):
                    values = scores.of(answer)
                    yield Score(sample, question.index, question.category, arm, values, answer.confidence)


def tables(scores: Iterable[Score], arms: Iterable[str] = ()) -> dict[str, Table]:
    """The means of each measure, one row per arm; `arms` have a row even if they failed on all questions."""
    scores, arms = list(scores), list(arms)
    return {measure: table(_observed(scores, measure), arms) for measure in MEASURES}


def _observed(scores: Iterable[Score], measure: str) -> Iterator[tuple[str, Category, float]]:
    for score in scores:
        value = score.values[measure]
        if not isnan(value):
            yield score.arm, score.category, value


def incomplete(
    scores: Iterable[Score], arms: Iterable[str], asked: Mapping[str, int]
) -> dict[str, dict[str, int]]:
    """For each arm that failed on some question, the number of scored questions in each column.

    `asked` are the numbers of all questions by column, from `averages.counts`.
    """
    scored: dict[str, list[Category]] = {arm: [] for arm in arms}
    for score in scores:
        scored[score.arm].append(score.category)
    found = {arm: counts(categories) for arm, categories in scored.items()}
    return {arm: columns for arm, columns in found.items() if columns != asked}


def overall(scored: Mapping[str, int], asked: Mapping[str, int]) -> dict[str, int]:
    """How many of all questions were scored and how many failed, to be listed after the means."""
    return {"scored": scored["overall"], "failed": asked["overall"] - scored["overall"]}


def shares(scored: Mapping[str, Mapping[str, int]], asked: Mapping[str, int]) -> dict[str, dict[str, str]]:
    """The counts of `incomplete` as text: "839 of 841"."""
    return {
        arm: {column: f"{count:,} of {asked[column]:,}" for column, count in columns.items()}
        for arm, columns in scored.items()
    }

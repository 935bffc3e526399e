"""What the known faults of the dataset's answer key are worth to each arm."""

from collections.abc import Iterable, Mapping

from locomo.results.scores import Score
from locomo.score.averages import Row, mean, rounded
from locomo.statistics.halves import of_half

Question = tuple[str, int]
"""A sample, and the place of a question in it."""


def worth(
    published: Mapping[str, Mapping[Question, Score]], audited: Mapping[str, Mapping[Question, Score]]
) -> dict[str, dict[str, Row]]:
    """Means over answerable questions under both keys, by arm and measure; arms of both are compared.

    Each of `f1` and `recall` has the means under the `published` and the `audited` key, their `difference`,
    the second less the first, and `left_out`, the mean under the published key over the questions that the
    audited key leaves out.
    """
    return {
        arm: {measure: _row(scores, audited[arm], measure) for measure in ("f1", "recall")}
        for arm, scores in published.items()
        if arm in audited
    }


def _row(published: Mapping[Question, Score], audited: Mapping[Question, Score], measure: str) -> Row:
    before, after = _mean(published.values(), measure), _mean(audited.values(), measure)
    left_out = [score for question, score in published.items() if question not in audited]
    difference = None if before is None or after is None else rounded(after - before)
    return {
        "published": before,
        "audited": after,
        "difference": difference,
        "left_out": _mean(left_out, measure),
    }


def _mean(scores: Iterable[Score], measure: str) -> float | None:
    return mean([score.values[measure] for score in of_half(scores, "answerable")])

"""External memories against ours where both abstain equally often, with intervals."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from locomo.core import progress
from locomo.formats.dataset import ABSTENTION, Conversation
from locomo.results.scores import Score
from locomo.score.averages import mean, rounded
from locomo.score.measures.f1 import f1
from locomo.statistics.halves import HALVES, of_half
from locomo.statistics.paired import paired

UPPER_BOUND = "oracle"
"""Our memory that cites the evidence of the dataset: it shows what could be found, and is no competitor."""

Question = tuple[str, int]
"""A sample, and the number of a question in it."""


def against_ours(
    scores: Iterable[Score], external: Collection[str], conversations: Iterable[Conversation]
) -> dict[str, Any]:
    """Each of the `external` arms against each of ours; without external arms nothing is read.

    Two arms are compared on the questions that both have a score for. First the one that abstains less often
    abstains where its confidence is lowest, too, as with a higher floor, until both abstain equally often. If
    only some of several answers with equal confidence have to become abstentions, the F1 of each of them is
    the one to expect when these are drawn by chance.

    By external arm: `against` has for each arm of ours the number of `questions`, the share `abstained` of
    either arm, and for each half the mean F1 of both (`external`, `ours`) and their `difference`, the first
    less the second, with its interval from `low` to `high` as in `paired`. A half without questions has None.
    `strongest` names the arm of ours with the lowest difference on answerable questions, if there is any. The
    F1 of ours does not decide it: against each arm it is at another share of abstentions.
    """
    if not external:
        return {}
    of_arm: dict[str, dict[Question, Score]] = {}
    for score in scores:
        of_arm.setdefault(score.arm, {})[score.sample, score.question] = score
    if_abstaining = {
        (conversation.sample_id, question.index): f1(question.category, ABSTENTION, question.answer)
        for conversation in conversations
        for question in conversation.questions
    }
    ours = [arm for arm in of_arm if arm not in external and arm.partition("+")[0] != UPPER_BOUND]
    found = {}
    for arm in external:
        pairs = {other: (of_arm.get(arm, {}), of_arm[other]) for other in ours}
        against = {
            other: _compared(one, two, if_abstaining)
            for other, (one, two) in progress.over(pairs.items(), arm)
            if one.keys() & two.keys()
        }
        found[arm] = {"strongest": _strongest(against), "against": against}
    return found


def _strongest(against: Mapping[str, Mapping[str, Any]]) -> str | None:
    found = {arm: compared["answerable"]["difference"] for arm, compared in against.items()}
    known = {arm: difference for arm, difference in found.items() if difference is not None}
    return min(known, key=known.__getitem__, default=None)


def _compared(
    external: Mapping[Question, Score],
    ours: Mapping[Question, Score],
    if_abstaining: Mapping[Question, float],
) -> dict[str, Any]:
    common = [question for question in ours if question in external]
    both = [[side[question] for question in common] for side in (external, ours)]
    abstentions = max(sum(score.values["abstained"] for score in side) for side in both)
    one, two = (_abstaining(side, int(abstentions), if_abstaining) for side in both)
    (differences,) = paired([*one, *two], [(one[0].arm, two[0].arm)])["pairs"].values()
    return {
        "questions": len(common),
        "abstained": rounded(abstentions / len(common)),
        **{
            half: {"external": _mean(one, half), "ours": _mean(two, half), **differences[half]}
            for half in HALVES
        },
    }


def _abstaining(
    scores: Sequence[Score], abstentions: int, if_abstaining: Mapping[Question, float]
) -> list[Score]:
    """The scores of one arm if it abstained this often, where its confidence is lowest."""
    answered = Counter(score.confidence for score in scores if not score.values["abstained"])
    left = abstentions - (len(scores) - answered.total())
    shares = {}
    for confidence in sorted(answered):
        shares[confidence] = min(left / answered[confidence], 1.0)
        left -= min(left, answered[confidence])
    return [
        score if score.values["abstained"] else _in_part(score, shares[score.confidence], if_abstaining)
        for score in scores
    ]


def _in_part(score: Score, share: float, if_abstaining: Mapping[Question, float]) -> Score:
    expected = (1 - share) * score.values["f1"] + share * if_abstaining[score.sample, score.question]
    return score._replace(values={"f1": expected})


def _mean(scores: Iterable[Score], half: str) -> float | None:
    return mean([score.values["f1"] for score in of_half(scores, half)])

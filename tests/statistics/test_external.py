"""External memories against ours at equal abstention, on cases small enough to work out by hand."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import pytest

from helpers.talks import talk
from locomo.formats.dataset import Category, Conversation, Question
from locomo.results.scores import Score
from locomo.statistics.external import against_ours

ANSWERS = {Category.SINGLE_HOP: "kayak", Category.OPEN_DOMAIN: "Likely no", Category.ADVERSARIAL: ""}
IF_ABSTAINING = {
    Category.SINGLE_HOP: Fraction(0),
    # One of three words is one of two: precision 1/3, recall 1/2.
    Category.OPEN_DOMAIN: Fraction(2, 5),
    Category.ADVERSARIAL: Fraction(1),
}
SINGLE, OPEN, ADVERSARIAL = ANSWERS

Answer = tuple[float, float] | None
"""Its F1 and its confidence; None is an abstention."""


def asked(*categories: Category, sample: str = "talk") -> Conversation:
    """A conversation with a question of each of these categories."""
    questions = [Question("Which?", ANSWERS[category], category, ()) for category in categories]
    return replace(talk("Ada: I bought a kayak.", questions=questions), sample_id=sample)


def answered(arm: str, conversation: Conversation, *answers: Answer) -> list[Score]:
    """The scores of an arm's answers to its questions."""
    found = []
    for number, (question, answer) in enumerate(zip(conversation.questions, answers, strict=True)):
        f1, confidence = answer or (float(IF_ABSTAINING[question.category]), 0.1)
        values = {"f1": f1, "recall": 0.0, "abstained": float(answer is None)}
        found.append(Score(conversation.sample_id, number, question.category, arm, values, confidence))
    return found


FIVE = asked(SINGLE, SINGLE, SINGLE, ADVERSARIAL, ADVERSARIAL)
SPAN = answered("span", FIVE, (1, 0.9), None, (0.2, 0.5), None, (0, 0.9))
MINE = answered("mine", FIVE, (1, 0.9), (0.5, 0.4), (0.9, 0.2), (0, 0.8), (0, 0.3))


def test_the_one_that_abstains_less_abstains_where_it_is_least_sure() -> None:
    """Mine has to abstain on two more: an answer of F1 0.9 with confidence 0.2, an adversarial with 0.3."""
    found = against_ours([*SPAN, *MINE], ["mine"], [FIVE])
    assert found == {
        "mine": {
            "strongest": "span",
            "against": {
                "span": {
                    "questions": 5,
                    "abstained": 0.4,
                    "answerable": {
                        "external": 0.5,
                        "ours": 0.4,
                        "difference": 0.1,
                        "low": None,
                        "high": None,
                    },
                    "adversarial": {"external": 0.5, "ours": 0.5, "difference": 0, "low": None, "high": None},
                }
            },
        }
    }


def test_the_other_way_round() -> None:
    """The same answers, but now those of ours are surer than they should be."""
    mine, span = (
        [score._replace(arm=arm) for score in side] for arm, side in (("mine", SPAN), ("span", MINE))
    )
    found = against_ours([*span, *mine], ["mine"], [FIVE])["mine"]["against"]["span"]
    assert found["abstained"] == 0.4
    assert [found["answerable"][name] for name in ("external", "ours", "difference")] == [0.4, 0.5, -0.1]


def test_of_equal_confidence_each_becomes_an_abstention_in_part() -> None:
    """Two of three have to become abstentions: each does by two thirds."""
    three = asked(SINGLE, OPEN, ADVERSARIAL)
    scores = [
        *answered("span", three, None, (0.8, 0.9), None),
        *answered("mine", three, (0.6, 0.2), (0.1, 0.2), (0, 0.2)),
    ]
    found = against_ours(scores, ["mine"], [three])["mine"]["against"]["span"]
    # 0.6 / 3, and 0.1 / 3 + 2 / 3 * 0.4 = 0.3; span has 0 and 0.8.
    assert found["answerable"] == {
        "external": 0.25,
        "ours": 0.4,
        "difference": -0.15,
        "low": None,
        "high": None,
    }
    assert found["adversarial"]["external"] == 0.666667


def test_a_part_is_the_mean_of_all_draws_and_depends_on_no_order() -> None:
    seed = random.randrange(10**6)
    print(f"seed {seed}")
    chance = random.Random(seed)
    for _ in range(30):
        categories = [chance.choice([SINGLE, OPEN, ADVERSARIAL]) for _ in range(8)]
        talk = asked(*categories)
        f1s = [0.0 if category is ADVERSARIAL else chance.randrange(5) / 4 for category in categories]
        sure = [chance.choice([0.25, 0.5]) for _ in categories]
        most = chance.randrange(len(categories) + 1)
        mine = answered("mine", talk, *zip(f1s, sure, strict=True))
        span = answered("span", talk, *[None] * most, *[(0.5, 0.9)] * (len(categories) - most))
        found = against_ours([*span, *mine], ["mine"], [talk])["mine"]["against"]["span"]
        for half, inside in (("answerable", [SINGLE, OPEN]), ("adversarial", [ADVERSARIAL])):
            places = [place for place, category in enumerate(categories) if category in inside]
            if places:
                assert found[half]["external"] == pytest.approx(
                    float(by_drawing(categories, f1s, sure, most, places)), abs=6e-7
                )
        mixed = [*span, *mine]
        chance.shuffle(mixed)
        assert against_ours(mixed, ["mine"], [talk])["mine"]["against"]["span"] == found


def by_drawing(
    categories: Sequence[Category],
    f1s: Sequence[float],
    sure: Sequence[float],
    most: int,
    places: Sequence[int],
) -> Fraction:
    """The mean F1 of some questions over every choice of the `most` answers of least confidence."""
    means = []
    for chosen in combinations(range(len(sure)), most):
        rest = [sure[place] for place in range(len(sure)) if place not in chosen]
        if chosen and rest and max(sure[place] for place in chosen) > min(rest):
            continue
        f1 = [
            IF_ABSTAINING[categories[place]] if place in chosen else Fraction(f1s[place]) for place in places
        ]
        means.append(sum(f1) / len(f1))
    return sum(means, Fraction(0)) / len(means)


def test_the_interval_is_over_conversations() -> None:
    """As in `test_two_conversations_by_hand` of paired differences: none abstains, so nothing changes."""
    one, three = asked(SINGLE, sample="one"), asked(SINGLE, SINGLE, SINGLE, sample="three")
    scores = [
        *answered("span", one, (1, 0.5)),
        *answered("span", three, (0, 0.5), (0, 0.5), (0, 0.5)),
        *answered("mine", one, (0, 0.5)),
        *answered("mine", three, (0, 0.5), (0, 0.5), (0, 0.5)),
    ]
    found = against_ours(scores, ["mine"], [one, three])["mine"]["against"]["span"]
    assert found["answerable"] == {"external": 0, "ours": 0.25, "difference": -0.25, "low": -1, "high": 0}
    assert set(found["adversarial"].values()) == {None}


def test_what_one_of_the_two_failed_on_is_left_out() -> None:
    found = against_ours([*SPAN, *MINE[1:]], ["mine"], [FIVE])["mine"]["against"]["span"]
    assert found["questions"] == 4
    assert found["answerable"]["ours"] == 0.1
    assert against_ours(SPAN, ["mine"], [FIVE]) == {"mine": {"strongest": None, "against": {}}}


def test_the_strongest_is_the_one_with_the_lowest_difference_on_answerable_questions() -> None:
    """The oracle is an upper bound and no competitor; of equals the first is taken."""
    scores = [
        *answered("vector", FIVE, (0, 0.9), (0, 0.9), (0, 0.9), None, None),
        *SPAN,
        *answered("oracle+set", FIVE, (1, 0.9), (1, 0.9), (1, 0.9), None, None),
        *[score._replace(arm="scoped") for score in SPAN],
        *MINE,
    ]
    found = against_ours(scores, ["mine"], [FIVE])["mine"]
    assert list(found["against"]) == ["vector", "span", "scoped"]
    assert found["strongest"] == "span"
    # Mine has the F1 of this one where it abstains as often, lower as it is: 1 / 3.
    scores += answered("path", FIVE, (1, 0.9), None, None, None, None)
    assert against_ours(scores, ["mine"], [FIVE])["mine"]["strongest"] == "path"


def test_without_an_external_memory_nothing_is_read() -> None:
    def conversations() -> Iterator[Conversation]:
        raise AssertionError
        yield

    assert against_ours(SPAN, [], conversations()) == {}


def test_none_of_ours() -> None:
    assert against_ours(MINE, ["mine"], [FIVE]) == {"mine": {"strongest": None, "against": {}}}

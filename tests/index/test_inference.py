"""SPEC 5: who did something with a thing did it with the thing's name."""

import pytest

from locomo.index.claims import Claim
from locomo.index.inference import derive

Fact = tuple[str, str, str]


def derived(*facts: Fact) -> tuple[list[tuple[Fact, int]], int]:
    """What follows of facts claimed one a turn: (fact, turn) of each claim, and the number of facts."""
    claims, count = derive([Claim(*fact, turn, 7) for turn, fact in enumerate(facts)])
    assert all(claim.sentence is None for claim in claims)
    return [(claim.fact, claim.turn) for claim in claims], count


ADOPTED, NAMED, CONCLUSION = ("Ada", "adopted", "dog"), ("dog", "named", "rex"), ("Ada", "adopted", "rex")


def test_a_claim_for_the_turn_of_each_premise() -> None:
    assert derived(ADOPTED, ("Bob", "likes", "tea"), NAMED) == ([(CONCLUSION, 0), (CONCLUSION, 2)], 1)
    assert derived(NAMED, ADOPTED) == ([(CONCLUSION, 1), (CONCLUSION, 0)], 1)  # in the order of the premises


def test_two_premises_of_one_turn_give_two_claims() -> None:
    claims, count = derive([Claim(*ADOPTED, 4, 7), Claim(*NAMED, 4, 7)])
    assert claims == [Claim(*CONCLUSION, 4, None)] * 2 and count == 1


def test_a_repeated_claim_is_one_fact_that_of_its_first_turn() -> None:
    assert derived(ADOPTED, NAMED, NAMED, ADOPTED) == ([(CONCLUSION, 0), (CONCLUSION, 1)], 1)


@pytest.mark.parametrize(
    "facts",
    [
        [ADOPTED, NAMED, CONCLUSION],  # already claimed, be it later
        [ADOPTED, ("Dog", "named", "rex")],  # compared as written
        [ADOPTED, ("dog", "Named", "rex")],
        [ADOPTED, ("dog", "called", "rex")],
        [("Ada", "adopted", "old dog"), NAMED],
        # Both premises the same fact: it would have to name a thing by itself, and so concludes nothing new.
        [("rex", "named", "rex")],
    ],
)
def test_nothing_follows(facts: list[Fact]) -> None:
    assert derived(*facts) == ([], 0)


def test_a_naming_is_a_premise_like_any_other_and_there_is_one_round() -> None:
    found, count = derived(ADOPTED, NAMED, ("rex", "named", "max"))
    # (Ada, adopted, max) would take (Ada, adopted, rex), which is itself derived.
    dog_max = ("dog", "named", "max")
    assert found == [(CONCLUSION, 0), (CONCLUSION, 1), (dog_max, 1), (dog_max, 2)]
    assert count == 2


def test_order_is_by_the_first_premise_then_the_second() -> None:
    found, count = derived(("dog", "named", "tiny"), ("Bob", "fed", "dog"), NAMED, ADOPTED)
    assert [fact for fact, _ in found[::2]] == [
        ("Bob", "fed", "tiny"),
        ("Bob", "fed", "rex"),
        ("Ada", "adopted", "tiny"),
        ("Ada", "adopted", "rex"),
    ]
    assert count == 4


def test_what_follows_twice_is_one_fact_from_its_first_premises() -> None:
    found, count = derived(ADOPTED, ("Ada", "adopted", "pup"), ("pup", "named", "rex"), NAMED)
    assert found == [(CONCLUSION, 0), (CONCLUSION, 3)] and count == 1

"""Abstaining in other words than the metric's: scored as before, but counted by category and quoted."""

import random

import pytest

from helpers.given import ADVERSARIAL, SINGLE, about, asked, given, matched
from locomo.formats.dataset import ABSTENTION, Category
from locomo.score.measures.abstained import abstains
from locomo.score.measures.f1 import f1
from locomo.submissions.abstention import likely_abstains
from locomo.submissions.comparison import compare, counts
from locomo.submissions.diagnosis import remarks
from locomo.submissions.matching import Matched


@pytest.mark.parametrize(
    "reply",
    [
        "I don't know.", "I don’t know", "i do not know the answer", "We cannot tell from the conversation.",
        "Unknown", "unknown.", "UNKNOWN", "Unknown - Ada has no son.", "Not specified", "Not stated.", "idk",
        "I'm not sure.", "I am unsure", "No idea", "No answer.", "Not sure.", "Unclear",
        "There is no information about this.", "No relevant information found.", "No direct evidence.",
        "No mention of a dog.", "There is no record of that.", "Insufficient information",
        "Not enough context to answer.", "The conversation does not mention a kayak.",
        "Ada hasn't mentioned running.", "It is not specified in the conversation.",
        "The text doesn't say, and it was never stated.", "It cannot be determined.", "Cannot answer.",
        "Unable to determine from the context", "The memories do not contain her age.",
        "It isn't explicitly stated.",
    ],
)  # fmt: skip
def test_other_words_for_it(reply: str) -> None:
    assert likely_abstains(reply) and not abstains(reply)
    assert f1(Category.ADVERSARIAL, reply, "x") == 0


@pytest.mark.parametrize(
    "reply",
    [
        "", "a kayak", "7 May 2023", "No", "Yes", "None", "no dogs", "Nothing", "A note", "An unknown singer",
        "To the unknown country", "They did not go", "He does not like tea", "She couldn't find her keys",
        "not allowed", "Never", "knowledge", "Information technology", "the details of the trip",
        "Ada likes tea. I don't know more.", "In May\nI don't know the day.",
        "Her record collection, not her books",
    ],
)  # fmt: skip
def test_answers(reply: str) -> None:
    assert not likely_abstains(reply)


@pytest.mark.parametrize(
    "reply", [ABSTENTION, "It is not mentioned.", "I don't know: no information available"]
)
def test_the_words_of_the_metric_are_no_other_words(reply: str) -> None:
    assert abstains(reply) and not likely_abstains(reply)
    assert f1(Category.ADVERSARIAL, reply, "x") == 1


def system(adversarial: list[str], single: list[str], judged: float | None = None) -> Matched:
    """Replies to adversarial and to single-hop questions."""
    asked_for = [(reply, ADVERSARIAL) for reply in adversarial] + [(reply, SINGLE) for reply in single]
    random.Random(7).shuffle(asked_for)
    conversation = asked(*((f"{n}?", kind) for n, (_, kind) in enumerate(asked_for)))
    labels = () if judged is None else (judged,)
    return matched(
        conversation,
        *(given(f"{n}?", kind, reply, judged=labels) for n, (reply, kind) in enumerate(asked_for)),
    )


SAID = "likely abstaining in other words"


def test_it_is_0_and_is_counted_by_category_and_quoted() -> None:
    one = system(["I don't know."] * 46, ["tea"] * 7 + ["Unknown"] * 2)
    (comparison,) = compare([one], {})
    assert comparison.table("f1")["mine"]["adversarial"] == 0.0
    assert comparison.table("abstained")["mine"]["adversarial"] == 0.0
    found = counts(one)
    assert found["abstained"]["adversarial"] == found["abstained"]["overall"] == 0
    assert {name: n for name, n in found["likely_abstained"].items() if n} == {
        "single_hop": 2,
        "adversarial": 46,
        "answerable": 2,
        "overall": 48,
    }
    assert about(one, SAID) == (
        "46 replies to adversarial questions likely abstaining in other words, which score 0 all the same,"
        ' and 2 to answerable ones, such as "I don\'t know." (46)'
    )
    assert "none of them can be right" in about(one, "in words that the metric knows")


def test_an_official_phrase_to_another_category_does_not_suppress_it() -> None:
    """One official phrase anywhere did; it is judged on the replies of the category."""
    one = system(["I don't know."] * 46, ["tea", ABSTENTION])
    assert about(one, SAID).startswith("46 replies to adversarial")
    assert "none of them can be right" in about(one, "in words that the metric knows")


def test_an_official_phrase_in_the_category_does_not_suppress_the_count() -> None:
    one = system(["I don't know."] * 45 + [ABSTENTION], ["tea"])
    assert about(one, SAID).startswith("45 replies to adversarial")
    assert (
        counts(one)["abstained"]["adversarial"] == 1 and counts(one)["likely_abstained"]["adversarial"] == 45
    )
    assert not any("none of them can be right" in remark for remark in remarks(one))


def test_what_the_judge_accepted_stands_beside() -> None:
    one = system(["Unknown"] * 3 + ["tea"], ["Unknown", "tea"], judged=1.0)
    assert about(one, "judge") == (
        "its judge accepted 4 of 4 replies to adversarial questions, and 1 of 1 likely abstentions on"
        " answerable ones"
    )


def test_official_words_alone_are_not_remarked_on() -> None:
    one = system([ABSTENTION] * 3, ["tea"])
    assert not any("abstain" in remark for remark in remarks(one))

"""Answers matched to the questions: what counts as the same question, and what is said of the rest."""

import math
from typing import Any

import pytest

from helpers.talks import talk
from locomo.formats.dataset import Category, Conversation, Question
from locomo.submissions.diagnosis import remarks
from locomo.submissions.matching import Matched, match
from locomo.submissions.reading import Given

SINGLE, MULTI, TEMPORAL, ADVERSARIAL = (
    Category.SINGLE_HOP,
    Category.MULTI_HOP,
    Category.TEMPORAL,
    Category.ADVERSARIAL,
)


def asked(*questions: tuple[str, Category]) -> Conversation:
    """The conversation `talk` with turns D1:1 and D1:2, and these questions."""
    return talk(
        "Ada: Tea.", "Bob: Yes.", questions=[Question(text, "x", kind, ("D1:1",)) for text, kind in questions]
    )


def given(
    question: str,
    category: Category | None = None,
    reply: str | None = "No information available",
    **others: Any,
) -> Given:
    fields = {
        "place": "here",
        "arm": "mine",
        "sample": "talk",
        "context": ["D1:1"],
        "confidence": None,
        "error": "",
    }
    return Given(question=question, category=category, reply=reply, **(fields | others))


def matched(conversation: Conversation, *answers: Given) -> Matched:
    (one,) = match(answers, [conversation])
    return one


def replies(one: Matched) -> dict[int, str | None]:
    return {index: answer.reply for (_, index), answer in one.answers.items()}


def about(one: Matched, words: str) -> str:
    (remark,) = (remark for remark in remarks(one) if words in remark)
    return remark


@pytest.mark.parametrize(
    "text",
    [
        'What is Ada\'s "tea"?',
        "What is Ada’s “tea”?",
        "  What is\tAda`s\n «tea»? ",
        "What is Ada´s ''tea''?",
        "What is\u00a0Adas tea?",
    ],
)
def test_white_space_and_quote_characters_do_not_matter(text: str) -> None:
    one = matched(asked(('What is Ada\'s "tea"?', SINGLE)), given(text, SINGLE, "x"))
    assert replies(one) == {0: "x"} and not one.unknown


def test_another_word_is_another_question_and_the_closest_is_named() -> None:
    conversation = asked(("Who is it, then?", SINGLE), ("Where does Ada drink her tea?", SINGLE))
    one = matched(conversation, given("Where does Ada drink her coffee?", place="line 7"), given("Why?"))
    assert about(one, "question that the conversation") == (
        "2 records of a question that the conversation doesn't have:"
        " line 7 ('talk', 'Where does Ada drink her coffee?') close to talk/1, here ('talk', 'Why?')"
    )
    assert one.missing == [("talk", 0), ("talk", 1)]


def test_a_question_that_stands_twice_is_answered_in_order() -> None:
    conversation = asked(("Who?", SINGLE), ("Why?", SINGLE), ("Who?", SINGLE))
    answers = [given("Who?", SINGLE, "a"), given("Why?", SINGLE, "b"), given("Who?", SINGLE, "c")]
    assert replies(matched(conversation, *answers)) == {0: "a", 1: "b", 2: "c"}
    assert replies(matched(conversation, *answers[:2])) == {0: "a", 1: "b"}


def test_the_category_goes_before_the_order() -> None:
    conversation = asked(("Who?", SINGLE), ("Who?", ADVERSARIAL))
    adversarial, single, plain = (
        given("Who?", ADVERSARIAL, "a"),
        given("Who?", SINGLE, "s"),
        given("Who?", None, "p"),
    )
    assert replies(matched(conversation, adversarial, single)) == {0: "s", 1: "a"}
    assert replies(matched(conversation, adversarial)) == {1: "a"}
    assert replies(matched(conversation, plain, adversarial)) == {0: "p", 1: "a"}
    assert replies(matched(conversation, plain, plain)) == {0: "p", 1: "p"}
    # A second answer to the one is no answer to the other.
    one = matched(conversation, single, single)
    assert replies(one) == {0: "s"} and one.twice == [single]
    # A category that neither has is wrong, and takes what is left.
    assert replies(matched(conversation, given("Who?", MULTI, "m"), single)) == {0: "s", 1: "m"}


def test_what_is_answered_again_is_left_out_unless_the_first_call_failed() -> None:
    conversation = asked(("Who?", SINGLE))
    first, again = given("Who?", SINGLE, "a"), given("Who?", SINGLE, "b", place="line 9")
    one = matched(conversation, first, again)
    assert replies(one) == {0: "a"} and one.twice == [again]
    assert "1 record of a question that has an answer already, left out" in about(one, "already")
    assert about(one, "already").endswith("line 9 ('talk', 'Who?')")
    assert replies(matched(conversation, given("Who?", SINGLE, "", error="timeout"), again)) == {0: "b"}
    assert replies(matched(conversation, given("Who?", SINGLE, None), again)) == {0: "b"}


def test_each_system_is_matched_by_itself() -> None:
    conversation = asked(("Who?", SINGLE))
    one, other = match([given("Who?", arm="b"), given("Who?", arm="a")], [conversation])
    assert (one.arm, other.arm) == ("b", "a") and not one.twice and not other.twice


def test_conversations_that_the_dataset_does_not_have() -> None:
    one = matched(asked(("Who?", SINGLE)), *(given("Who?", sample=sample) for sample in ("talk-1", "x", "x")))
    assert about(one, "conversation that") == (
        "3 records of a conversation that the dataset doesn't have: 'talk-1' (1), 'x' (2); it has talk"
    )


def test_a_file_without_fault_is_told_nothing_but_what_it_cites() -> None:
    conversation = asked(("Who?", SINGLE), ("Why?", MULTI))
    one = matched(conversation, given("Who?", SINGLE), given("Why?", MULTI))
    assert remarks(one) == [
        "recall grows with what is cited: here up to 1 id an answer, by our arms up to their k"
    ]


def test_a_mapping_of_categories_that_is_wrong_throughout_is_named() -> None:
    conversation = asked(*((f"{n}?", kind) for n, kind in enumerate([SINGLE, SINGLE, MULTI, TEMPORAL])))
    kinds = [MULTI, MULTI, SINGLE, TEMPORAL]  # as several public reports have it
    one = matched(conversation, *(given(f"{n}?", kind) for n, kind in enumerate(kinds)))
    assert about(one, "mapped wrongly") == (
        "the file's categories are mapped wrongly: it has single_hop (4) for multi_hop (1), multi_hop (1) for"
        " single_hop (4); that explains 4 of 4 records"
    )
    assert about(one, "of another category").startswith(
        "3 records of another category than the dataset's, scored by the dataset's:"
        " here has multi_hop (1) for single_hop (4), "
    )


def test_categories_that_are_wrong_here_and_there_are_no_mapping() -> None:
    conversation = asked(*((f"{n}?", SINGLE) for n in range(4)), ("Why?", MULTI), ("When?", MULTI))
    answers = [*(given(f"{n}?", SINGLE) for n in range(4)), given("Why?", SINGLE), given("When?", MULTI)]
    told = remarks(matched(conversation, *answers))
    assert not any("mapped" in remark for remark in told)
    assert any(remark.startswith("1 record of another category") for remark in told)


@pytest.mark.parametrize(
    ("context", "cited"),
    [
        (["D1:1", "D1:2"], ["D1:1", "D1:2"]),
        (["D1:1", "D9:9"], ["D1:1"]),
        (["S1"], ["S1"]),
        (["S1", "D1:1", "S9"], ["S1"]),  # the metric takes all for sessions if the first is one
        (["D1:1", "S1"], ["D1:1"]),
        (["", "D1:1"], ["D1:1"]),
        (["e5a1"], []),
        ([], []),
        (None, []),
    ],
)
def test_what_is_cited(context: list[str] | None, cited: list[str]) -> None:
    one = matched(asked(("Who?", SINGLE)), given("Who?", context=context))
    assert one.cited(one.scored["talk", 0]) == cited and one.cites is bool(cited)
    lost = len(context or []) - len(cited)
    told = [remark for remark in remarks(one) if "name no turn" in remark]
    assert [remark.split(" of ")[0] for remark in told] == ([str(lost)] if lost else [])
    assert (
        any("recall is not available (-), which is not 0" in remark for remark in remarks(one)) is not cited
    )


def test_confidences() -> None:
    conversation = asked(("Who?", SINGLE), ("Why?", SINGLE), ("When?", SINGLE))
    odd = [given("Who?", confidence=math.nan), given("Why?", confidence=1.5, place="line 4")]
    one = matched(conversation, *odd, given("When?", confidence=1.0))
    assert (
        about(one, "not from 0 to 1")
        == "2 confidences not from 0 to 1, taken as not given: nan at here, 1.5 at line 4"
    )
    assert about(one, "ROC").startswith("2 of 3 answers without a confidence")
    assert not any("confidence" in remark for remark in remarks(matched(conversation, given("Who?"))))

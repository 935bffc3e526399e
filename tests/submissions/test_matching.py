"""Answers matched to the questions: what counts as the same question, and what is said of the rest."""

import math
from dataclasses import replace

import pytest

from helpers.given import ADVERSARIAL, MULTI, SINGLE, TEMPORAL, about, asked, given, matched
from helpers.talks import talk
from locomo.core.errors import LocomoError
from locomo.formats.dataset import Category, Conversation, Question
from locomo.submissions.diagnosis import remarks
from locomo.submissions.matching import Matched, match


def replies(one: Matched) -> dict[int, list[str]]:
    """The replies to each question, by its place."""
    return {index: [answer.reply for answer in answers] for (_, index), answers in one.answers.items()}


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
    assert replies(one) == {0: ["x"]} and not one.unknown


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
    assert replies(matched(conversation, *answers)) == {0: ["a"], 1: ["b"], 2: ["c"]}
    assert replies(matched(conversation, *answers[:2])) == {0: ["a"], 1: ["b"]}


def test_the_category_goes_before_the_order() -> None:
    conversation = asked(("Who?", SINGLE), ("Who?", ADVERSARIAL))
    adversarial, single, plain = (
        given("Who?", ADVERSARIAL, "a"),
        given("Who?", SINGLE, "s"),
        given("Who?", None, "p"),
    )
    assert replies(matched(conversation, adversarial, single)) == {0: ["s"], 1: ["a"]}
    assert replies(matched(conversation, adversarial)) == {1: ["a"]}
    assert replies(matched(conversation, plain, adversarial)) == {0: ["p"], 1: ["a"]}
    assert replies(matched(conversation, plain, plain)) == {0: ["p"], 1: ["p"]}
    # A second answer to the one is no answer to the other.
    assert replies(matched(conversation, single, single)) == {0: ["s", "s"]}
    # A category that neither has is wrong, and takes what is left.
    assert replies(matched(conversation, given("Who?", MULTI, "m"), single)) == {0: ["s"], 1: ["m"]}


def test_the_place_that_a_file_gives_goes_before_the_category() -> None:
    conversation = asked(("Who?", SINGLE), ("Why?", SINGLE), ("Who?", SINGLE))
    second, first = given("Who?", SINGLE, "c", position=2), given("Who?", SINGLE, "a", position=0)
    assert replies(matched(conversation, second, first)) == {2: ["c"], 0: ["a"]}
    # A place of another question tells nothing: the text does.
    assert replies(matched(conversation, given("Why?", SINGLE, "b", position=0))) == {1: ["b"]}


def test_a_place_without_a_text_finds_the_question() -> None:
    conversation = asked(("Who?", SINGLE), ("Why?", SINGLE))
    answers = [given("", None, reply, position=place) for place, reply in ((0, "a"), (1, "b"), (2, "?"))]
    one = matched(conversation, *answers)
    assert replies(one) == {0: ["a"], 1: ["b"]} and one.unknown == [answers[2]]


# ---- several answers to a question


def test_several_answers_are_kept_and_counted() -> None:
    """They were left out before; now they are runs, and the score is their mean."""
    conversation = asked(("Who?", SINGLE), ("Why?", SINGLE))
    both = [given(text, SINGLE, reply) for reply in "ab" for text in ("Who?", "Why?")]
    one = matched(conversation, *both)
    assert replies(one) == {0: ["a", "b"], 1: ["a", "b"]}
    assert [[given.reply for given in run.values()] for run in one.runs] == [["a", "a"], ["b", "b"]]
    assert about(one, "runs") == "2 runs: a question's score is the mean over them"


def test_runs_of_which_one_lacks_a_question_are_said_not_to_be_comparable() -> None:
    conversation = asked(("Who?", SINGLE), ("Why?", SINGLE))
    one = matched(conversation, *(given(text, SINGLE) for text in ("Who?", "Why?", "Who?", "Who?")))
    assert one.runs == []
    assert about(one, "several answers") == (
        "1 question with several answers, up to 3: the score is their mean; not every run has every question,"
        " so that the spread of runs is not available"
    )


def test_runs_go_by_their_names_whatever_the_order() -> None:
    conversation = asked(("Who?", SINGLE), ("Why?", SINGLE))
    order = [("Who?", "2"), ("Who?", "1"), ("Why?", "1"), ("Why?", "2")]
    one = matched(conversation, *(given(text, SINGLE, run, run=run) for text, run in order))
    assert [{given.reply for given in run.values()} for run in one.runs] == [{"2"}, {"1"}]


def test_duplicate_questions_in_each_of_several_runs() -> None:
    conversation = asked(("Who?", SINGLE), ("Why?", SINGLE), ("Who?", SINGLE))
    texts = [("Who?", "a"), ("Why?", "b"), ("Who?", "c")]
    named = [given(text, SINGLE, f"{reply}{run}", run=run) for run in "12" for text, reply in texts]
    assert replies(matched(conversation, *named)) == {0: ["a1", "a2"], 2: ["c1", "c2"], 1: ["b1", "b2"]}
    plain = [one._replace(run="") for one in named]
    assert replies(matched(conversation, *plain)) == {0: ["a1", "a2"], 2: ["c1", "c2"], 1: ["b1", "b2"]}


def test_a_failed_call_beside_an_answer_is_left_out_and_said() -> None:
    conversation = asked(("Who?", SINGLE))
    failed, again = given("Who?", SINGLE, "", failure="timeout"), given("Who?", SINGLE, "b")
    for answers in ([failed, again], [again, failed]):
        one = matched(conversation, *answers)
        assert [one.reply for one in one.scored["talk", 0]] == ["b"] and not one.failed
        assert about(one, "failed call") == (
            "1 failed call of a question that another answer is scored for, left out"
        )
    one = matched(conversation, failed, failed)
    assert not one.scored and one.failed == {("talk", 0): failed}


def test_each_system_is_matched_by_itself() -> None:
    conversation = asked(("Who?", SINGLE))
    one, other = match([given("Who?", arm="b"), given("Who?", arm="a")], [conversation])
    assert (one.arm, other.arm) == ("b", "a")
    assert replies(one) == replies(other) == {0: ["No information available"]}


# ---- how a file names the conversations


def test_conversations_that_the_dataset_does_not_have() -> None:
    one = matched(
        asked(("Who?", SINGLE)), *(given("Who?", sample=sample) for sample in ("talk", "talk-7", "x", "x"))
    )
    assert about(one, "conversation that") == (
        "3 records of a conversation that the dataset doesn't have: 'talk-7' (1), 'x' (2); it has talk;"
        " --samples NAME=ID,... says which is which"
    )


def conversations(*ids: str) -> list[Conversation]:
    """Conversations with one question each, which no other has."""
    return [
        replace(talk("Ada: Tea.", questions=[Question(f"Of {id}?", "x", SINGLE, ("D1:1",))]), sample_id=id)
        for id in ids
    ]


LIKE_LOCOMO = ("conv-26", "conv-30", "conv-41")


@pytest.mark.parametrize(
    "names",
    [
        LIKE_LOCOMO,
        ("26", "30", "41"),
        ("locomo_conv26", "locomo_conv30", "locomo_conv41"),
        ("conv_26", "conv_30", "conv_41"),
        ("0", "1", "2"),
        ("locomo_experiment_user_0", "locomo_experiment_user_1", "locomo_experiment_user_2"),
        ("1", "2", "3"),
        ("user 1", "user 2", "user 3"),
    ],
)
def test_conversations_are_named_in_any_way_that_ends_in_their_number(names: tuple[str, ...]) -> None:
    talks = conversations(*LIKE_LOCOMO)
    answers = [given(f"Of {id}?", sample=name) for id, name in zip(LIKE_LOCOMO, names, strict=True)]
    (one,) = match(reversed(answers), talks)  # their order in the file does not matter
    assert one.samples == dict(zip(names, LIKE_LOCOMO, strict=True))
    assert not one.elsewhere and not one.unknown and len(one.scored) == 3
    if names != LIKE_LOCOMO:
        assert f"'{names[2]}' is conv-41" in about(one, "under other names")


def test_a_name_is_taken_in_the_way_that_finds_the_most_questions() -> None:
    """Names 1 and 2 may count from 0 or from 1: the questions decide."""
    talks = conversations(*LIKE_LOCOMO)
    (one,) = match([given("Of conv-26?", sample="1"), given("Of conv-30?", sample="2")], talks)
    assert one.samples == {"1": "conv-26", "2": "conv-30"}
    (one,) = match([given("Of conv-30?", sample="1"), given("Of conv-41?", sample="2")], talks)
    assert one.samples == {"1": "conv-30", "2": "conv-41"}


def test_samples_says_which_conversation_a_name_means() -> None:
    talks = conversations(*LIKE_LOCOMO)
    answers = [given("Of conv-41?", sample="mine"), given("Of conv-26?", sample="0")]
    (one,) = match(answers, talks, {"mine": "conv-41"})
    assert one.samples == {"mine": "conv-41", "0": "conv-26"} and len(one.scored) == 2
    (one,) = match([given("Of conv-41?", sample="0")], talks, {"0": "conv-41"})
    assert len(one.scored) == 1
    with pytest.raises(LocomoError, match=r"--samples: conv-99: not in the dataset; it has conv-26, conv-30"):
        match(answers, talks, {"mine": "conv-99"})
    with pytest.raises(LocomoError, match=r"--samples: other: no answer is of it; the file has mine, 0"):
        match(answers, talks, {"other": "conv-41"})


# ---- what is said


def test_a_file_without_fault_is_told_nothing_but_what_it_cites() -> None:
    conversation = asked(("Who?", SINGLE), ("Why?", MULTI))
    one = matched(conversation, given("Who?", SINGLE), given("Why?", MULTI))
    assert remarks(one) == [
        "recall grows with what is cited: here up to 1 id an answer, by our arms up to their k"
    ]


def by_category(*kinds: tuple[Category, Category, int]) -> Matched:
    """Answers of one category to questions of another, so many."""
    pairs = [(right, theirs) for right, theirs, n in kinds for _ in range(n)]
    conversation = asked(*((f"{n}?", right) for n, (right, _) in enumerate(pairs)))
    return matched(conversation, *(given(f"{n}?", theirs) for n, (_, theirs) in enumerate(pairs)))


def test_a_mapping_of_categories_that_is_wrong_throughout_is_named() -> None:
    """As several public reports have it: single and multi hop exchanged."""
    one = by_category((SINGLE, MULTI, 12), (MULTI, SINGLE, 10), (TEMPORAL, TEMPORAL, 10))
    assert about(one, "mapped wrongly") == (
        "the file's categories are mapped wrongly: it has single_hop (4) for multi_hop (1), multi_hop (1) for"
        " single_hop (4); that explains 32 of 32 records"
    )
    assert about(one, "of another category").startswith(
        "22 records of another category than the dataset's, scored by the dataset's:"
        " here has multi_hop (1) for single_hop (4), "
    )


@pytest.mark.parametrize(
    "kinds",
    [
        # One typo in five records.
        [(TEMPORAL, SINGLE, 1), (TEMPORAL, TEMPORAL, 4)],
        # Wrong here and there.
        [(SINGLE, SINGLE, 4), (MULTI, SINGLE, 2)],
        [(SINGLE, SINGLE, 40), (MULTI, SINGLE, 20)],
        # Wrong throughout, but of nine records: fewer than the ten that a claim needs.
        [(SINGLE, MULTI, 9), (TEMPORAL, TEMPORAL, 40)],
    ],
)
def test_no_mapping_is_claimed_from_few_or_from_mixed_records(
    kinds: list[tuple[Category, Category, int]],
) -> None:
    told = remarks(by_category(*kinds))
    assert not any("mapped" in remark for remark in told)
    wrong = sum(n for right, theirs, n in kinds if right is not theirs)
    assert any(remark.startswith(f"{wrong} record") and "of another category" in remark for remark in told)


def test_another_reference_answer_is_said() -> None:
    conversation = asked(("Who?", SINGLE), ("Why?", SINGLE), ("When?", ADVERSARIAL), answer="Tea, please.")
    references = {"Who?": " tea  please", "Why?": "coffee", "When?": "cocoa"}
    one = matched(
        conversation,
        *(
            given(text, reference=theirs, place=f"line {n}")
            for n, (text, theirs) in enumerate(references.items())
        ),
    )
    assert about(one, "reference") == (
        "1 record with another reference answer than the dataset's, scored by the dataset's: line 1"
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

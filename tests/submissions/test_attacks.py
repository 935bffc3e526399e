"""Inputs that look right and gave wrong figures without a warning, found by trying."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from helpers.given import MULTI, SINGLE, Record, about, asked, given, matched
from locomo.core.errors import LocomoError
from locomo.submissions.comparison import compare, scores_of
from locomo.submissions.matching import match
from locomo.submissions.reading import read

Write = Callable[[str, Any], Path]
RECORD: Record = {"sample_id": "talk", "question": "Who?", "prediction": "Ada"}


@pytest.mark.parametrize("cited", ["D1:1-D1:2", "D1:2/D1:1", "9_D1:1", "other3_D1:1"])
def test_an_id_with_another_id_or_a_number_before_it_is_not_read(cited: str) -> None:
    """The last of several ids was taken for the only one; an id of another conversation for one of this."""
    one = matched(asked(("Who?", SINGLE), ("Why?", SINGLE)), given("Who?", context=[cited]), given("Why?"))
    assert one.recalled(one.scored["talk", 0][0]) is None
    assert "1 answer with ids that cannot be read" in about(one, "cannot be read")


@pytest.mark.parametrize("cited", ["aws-s1", "uuid-S1", "chunk-S1"])
def test_names_that_end_like_a_session_are_none(cited: str) -> None:
    one = matched(asked(("Who?", SINGLE), ("Why?", SINGLE)), given("Who?", context=[cited]), given("Why?"))
    assert not one.by_session


def test_ids_of_another_conversation_by_the_name_that_the_file_has_for_it() -> None:
    talks = [asked((f"{name}?", SINGLE)) for name in ("Who", "Why")]
    talks = [
        type(talk)(f"talk-{n}", talk.speaker_a, talk.speaker_b, talk.sessions, talk.turns, talk.questions)
        for n, talk in enumerate(talks, 7)
    ]
    (one,) = match(
        [
            given("Who?", sample="0", context=["1_D1:1"]),
            given("Why?", sample="1", context=["1_D1:1"]),
        ],
        talks,
    )
    recalls = [score.values["recall"] for score in scores_of(one).values()]
    assert recalls == [0.0, 1.0]


def test_lists_under_keys_are_systems_where_the_records_name_their_conversations(file: Write) -> None:
    answers = read(file("a.json", {"good": [RECORD], "bad": [RECORD | {"prediction": "Eve"}]}))
    assert [(one.arm, one.reply) for one in answers.given] == [("good", "Ada"), ("bad", "Eve")]


def test_one_label_beside_two_replies_judges_neither(file: Write) -> None:
    record = {
        "sample_id": "talk",
        "question": "Who?",
        "llm_score": 1,
        "a_prediction": "x",
        "b_prediction": "y",
    }
    path = file("a.json", [record])
    assert [one.judged for one in read(path).given] == [(), ()]
    with pytest.raises(LocomoError, match="--judge-key: one label does not say which of 'a_pred"):
        read(path, judge_key="llm_score")
    (one,) = read(path, "b_prediction", "llm_score").given
    assert (one.arm, one.judged) == ("b", (1.0,))


@pytest.mark.parametrize("labels", [[1, 5], ["CORRECT", "PARTIAL"], [0, 10], ["no", "a reference"]])
def test_a_judge_of_another_scale_is_none(labels: list[object], file: Write) -> None:
    """Only what lay from 0 to 1 was read: the worst replies gave a mean of 1."""
    answers = read(file("a.json", [RECORD | {"grade": label} for label in labels]))
    assert [one.judged for one in answers.given] == [(), ()]
    assert "judge" not in answers.recognised


def test_systems_judged_on_other_questions_do_not_share_a_table() -> None:
    talk = asked(("Who?", SINGLE), ("Why?", SINGLE))
    systems = match(
        [
            given("Who?", arm="a", judged=(1.0,)),
            given("Why?", arm="a"),
            given("Who?", arm="b", judged=(1.0,)),
            given("Why?", arm="b", judged=(0.0,)),
        ],
        [talk],
    )
    one, two = compare(systems, {})
    assert (one.table("judge")["a"]["overall"], two.table("judge")["b"]["overall"]) == (1.0, 0.5)


def test_a_run_that_failed_counts_as_0_in_the_row_that_says_so() -> None:
    """Named runs: one right, one failed. Left out the mean is 1, as 0 it is a half."""
    talk = asked(("Who?", SINGLE), answer="Ada")
    answers = [
        given("Who?", reply="Ada", run="1"),
        given("Who?", reply="", run="2", failure="timeout"),
    ]
    (comparison,) = compare(match(answers, [talk]), {})
    assert comparison.table("f1")["mine"]["overall"] == 1.0
    assert comparison.failures_as_0("f1")["mine"]["overall"] == 0.5


@pytest.mark.parametrize(
    ("value", "reply"), [(2022.0, "2022"), (2022, "2022"), (0.5, "0.5"), (1e20, str(10**20))]
)
def test_whole_floats_are_whole_numbers(value: float, reply: str, file: Write) -> None:
    """A column of pandas with a gap holds floats."""
    assert read(file("a.json", [RECORD | {"prediction": value}])).given[0].reply == reply


def test_conversations_as_floats() -> None:
    talks = [asked(("Who?", SINGLE)), asked(("Why?", SINGLE))]
    talks = [
        type(talk)(f"talk-{n}", talk.speaker_a, talk.speaker_b, talk.sessions, talk.turns, talk.questions)
        for n, talk in enumerate(talks, 7)
    ]
    (one,) = match([given("Who?", sample="0.0"), given("Why?", sample="1.0")], talks)
    assert list(one.scored) == [("talk-7", 0), ("talk-8", 0)]


def test_places_that_count_from_1() -> None:
    talk = asked(("Who?", SINGLE), ("Why?", MULTI))
    one = matched(talk, given("", position=1, reply="a"), given("", position=2, reply="b"))
    assert {key: answers[0].reply for key, answers in one.scored.items()} == {
        ("talk", 0): "a",
        ("talk", 1): "b",
    }
    assert about(one, "by its place").endswith("from 1")
    # The category tells, too.
    one = matched(talk, given("", MULTI, position=1))
    assert list(one.scored) == [("talk", 1)]


def test_places_that_may_count_from_0_or_from_1_are_refused() -> None:
    with pytest.raises(LocomoError, match="question_id: no question has place 0"):
        matched(asked(("Who?", SINGLE), ("Why?", SINGLE)), given("", position=1))


def test_a_run_of_another_project_is_none_of_ours(file: Write) -> None:
    qa = [{"question": "Who?", "m_prediction": "Error: 429"}]
    (one,) = read(file("a.json", [{"sample_id": "talk", "run": {"model": "gpt"}, "qa": qa}])).given
    assert one.failure == "the reply is 'Error: 429'"

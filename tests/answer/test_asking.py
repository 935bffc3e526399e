"""Every arm's answer to every question: SPEC 8 to 10 put together."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.talks import talk
from locomo.answer import asking
from locomo.answer.arms import ARMS, select
from locomo.formats.dataset import Category, Conversation, Question
from locomo.index.indexer import build
from locomo.reader.base import ReaderSettings
from locomo.results.predictions import Answer

SETTINGS = ReaderSettings(k=5, floor=0.3, span=4, band=0.9, parts=2)


def asking_of(question: str, *evidence: str) -> Question:
    return Question(question, "tea", Category.SINGLE_HOP, evidence)


def answers(conversation: Conversation, *arms: str) -> dict[str, list[Answer]]:
    return asking.answer(conversation, build(conversation, True)[0], select(arms), SETTINGS)


def test_a_question_asked_twice_takes_the_evidence_of_the_last() -> None:
    lines = ("Ada: I row.", "Bob: I row boats.", "Ada: Tea.")
    questions = [asking_of("Who rows?", "D1:1"), asking_of("Tea?", "D1:3"), asking_of("Who rows?", "(D1:2)")]
    found = answers(talk(*lines, questions=questions), "oracle")["oracle"]
    assert [given.context for given in found] == [["D1:2"], ["D1:3"], ["D1:2"]]


def test_arms_of_one_memory_cite_the_same_with_the_same_confidence() -> None:
    conversation = talk(
        "Ada: I painted boats with kites.", "Bob: Tea?", questions=[asking_of("What did Ada paint?")]
    )
    graph, edge = (given[0] for given in answers(conversation, "graph+edge", "graph").values())
    # Focus: ada, paint. "ada" is in no turn and weighs ln 3, "paint" in one of two, ln(3/2) = 0.405: 0.27.
    assert graph.context == edge.context == ["D1:1"]
    assert graph.confidence == edge.confidence == pytest.approx(0.4054651 / (1.0986123 + 0.4054651))
    assert graph.reply == edge.reply == "No information available"  # below the floor of 0.3


def test_neither_category_nor_answer_nor_evidence_reaches_a_reader() -> None:
    lines = ("Ada: I painted boats in May.", "Bob: Tea?", "Ada: When I row, I row.")
    texts = ["When did Ada paint?", "What did Ada row?", "Tea?"]
    some = talk(*lines, questions=[asking_of(text) for text in texts])
    other = talk(*lines, questions=[Question(text, "x", Category.ADVERSARIAL, ("D1:3",)) for text in texts])
    arms = [arm for arm in ARMS if not arm.startswith("oracle")]
    assert answers(some, *arms) == answers(other, *arms)


@pytest.mark.parametrize("lines", [["Ada: "], ["Ada: ", "Bob: "]])
def test_a_talk_without_a_word_answers_nothing(lines: list[str]) -> None:
    found = answers(talk(*lines, questions=[asking_of("Who rows?", "D1:1")]), *ARMS)
    assert {given[0].reply for given in found.values()} == {"No information available"}
    assert {arm: given[0].context for arm, given in found.items() if given[0].context} == {
        "oracle": ["D1:1"],
        "oracle+set": ["D1:1"],
    }


WORDS = ["Ada", "Bob", "when", "painted", "boats", "tea", "rowed", "zebra"]


@settings(deadline=None, print_blob=True, max_examples=25)
@given(
    st.lists(st.lists(st.sampled_from(WORDS), max_size=5).map(" ".join), min_size=1, max_size=7),
    st.integers(1, 60),
)
def test_answers_do_not_depend_on_what_else_is_asked(asked: list[str], size: int) -> None:
    lines = (
        "Ada: I painted boats.",
        "Bob: You painted tea boats. I rowed.",
        "Ada: Bob rowed, tea.",
        "Bob: Boats?",
    )
    conversation = talk(*lines, questions=[asking_of(text, "D1:2", "D1:4") for text in asked])
    with pytest.MonkeyPatch.context() as patch:
        together = answers(conversation, *ARMS)
        patch.setattr(asking, "BLOCK", size)
        assert answers(conversation, *ARMS) == together

"""The ids of cited turns and sessions, in any spelling: read where they are clear, else without recall."""

import math
from typing import Any

import pytest

from helpers.given import SINGLE, about, asked, given, matched
from helpers.talks import talk
from locomo.formats.dataset import Question
from locomo.submissions.cites import KnownIds
from locomo.submissions.comparison import compare, scores_of
from locomo.submissions.diagnosis import remarks
from locomo.submissions.matching import match
from locomo.submissions.sessions import SESSION_RECALL

SAMPLES = {name: name for name in ("conv-26", "conv-30", "conv-3")}
KNOWN = KnownIds("conv-26", frozenset({"D1:3", "D1:13", "D2:1", "D12:1"}), SAMPLES)


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("D1:3", ["D1:3"]),
        (" D1:3 ", ["D1:3"]),
        ("D1:03", ["D1:3"]),
        ("D01:003", ["D1:3"]),
        ("D1: 3", ["D1:3"]),
        ("D1 : 3", ["D1:3"]),
        ("d1:3", ["D1:3"]),
        ("[D1:3]", ["D1:3"]),
        ("(D1:3)", ["D1:3"]),
        ("conv-26_D1:3", ["D1:3"]),
        ("conv-26/D1:3", ["D1:3"]),
        ("conv-26:D1:3", ["D1:3"]),
        ("CONV-26_d1:03", ["D1:3"]),
        ("S1", ["S1"]),
        ("s1", ["S1"]),
        ("session_1", ["S1"]),
        ("session_12", ["S12"]),
        ("Session 1", ["S1"]),
        ("session-01", ["S1"]),
        ("conv-26_session_1", ["S1"]),
        ("D1:3 D2:1", ["D1:3", "D2:1"]),
        ("D1:3,D2:1", ["D1:3", "D2:1"]),
        ("D1:3; d2:01", ["D1:3", "D2:1"]),
        ("['D1:3', 'D2:1']", ["D1:3", "D2:1"]),
        ('["D1:3", "D2:1"]', ["D1:3", "D2:1"]),
        ("session_1, session_2", ["S1", "S2"]),
        ("D1:3 session_2", ["D1:3", "S2"]),
        ("D9:9", ["D9:9"]),
    ],
)
def test_spellings(text: str, ids: list[str]) -> None:
    cites = KNOWN.read([text])
    assert (cites.ids, cites.unread) == (ids, [])


@pytest.mark.parametrize(
    "text",
    [
        "e5a1", "", "[]x", "3", "D1", "1:3", "D1-3", "D1:3-5", "D1:3a", "XD1:3", "turn 3", "D1:3 and D2:1",
        "Ada: I bought a kayak.", "D1:3 Ada: I bought a kayak.", "D1:3:4", "session", "September",
    ],
)  # fmt: skip
def test_what_is_not_clear_is_not_read(text: str) -> None:
    cites = KNOWN.read([text])
    assert (cites.ids, cites.unread) == ([], [text])


@pytest.mark.parametrize(
    ("texts", "respelled"),
    [
        (["D1:3", "D2:1"], {}),
        (["D1:3 D2:1"], {}),
        (['["D1:3", "D2:1"]'], {}),
        (["S1"], {}),
        (["D1:03"], {"D1:03": "D1:3"}),
        (["conv-26_D1:3", "D2:1"], {"conv-26_D1:3": "D1:3"}),
        (["session_1"], {"session_1": "S1"}),
    ],
)
def test_another_spelling_is_reported(texts: list[str], respelled: dict[str, str]) -> None:
    assert KNOWN.read(texts).respelled == respelled


def test_a_turn_of_another_conversation_is_cited_but_is_no_turn_of_this_one() -> None:
    cites = KNOWN.read(["conv-30_D1:3", "conv-26_D2:1"])
    assert cites.ids == ["conv-30_D1:3", "D2:1"] and cites.unread == []
    assert cites.ids[0] not in KNOWN and cites.ids[1] in KNOWN
    # The end of one name is the start of no other: conv-3 is a conversation, too.
    assert KNOWN.read(["conv-3_D1:3"]).ids == ["conv-3_D1:3"]


# ---- what comes of it

EVIDENCE = ("D1:1", "D2:1")


def two_sessions() -> Any:
    """A conversation with D1:1, D1:2, D2:1, and two questions with evidence in both sessions."""
    questions = [Question(text, "x", SINGLE, EVIDENCE) for text in ("Who?", "Why?")]
    return talk("Ada: a", "Bob: b", "Ada: c", ids=("D1:1", "D1:2", "D2:1"), questions=questions)


def recalls(*contexts: list[str] | None) -> tuple[list[float], list[float]]:
    """Recall by turn and by session of answers with these contexts."""
    (one,) = match(
        [given(text, SINGLE, context=c) for text, c in zip(("Who?", "Why?"), contexts, strict=False)],
        [two_sessions()],
    )
    scores = scores_of(one).values()
    return [s.values["recall"] for s in scores], [s.values[SESSION_RECALL] for s in scores]


def same(found: list[float], expected: list[float]) -> bool:
    return all(a == b or (math.isnan(a) and math.isnan(b)) for a, b in zip(found, expected, strict=True))


NAN = math.nan


@pytest.mark.parametrize(
    ("contexts", "by_turn", "by_session"),
    [
        ([["D1:1"], ["D1:1", "D2:1"]], [0.5, 1], [0.5, 1]),
        ([["D1:01"], ["talk_D1:1", "d2: 1"]], [0.5, 1], [0.5, 1]),
        ([["D1:2"], []], [0, 0], [0.5, 0]),
        # One odd id takes the recall of its answer, and of no other: it may be the evidence.
        ([["D1:1", "e5a1"], ["D1:1"]], [NAN, 0.5], [NAN, 0.5]),
        # Ids that no answer has in a known form: not available, which is not 0.
        ([["e5a1"], ["7f0c"]], [NAN, NAN], [NAN, NAN]),
        ([["D9:9"], []], [NAN, NAN], [NAN, NAN]),
        ([None, ["D1:1"]], [NAN, 0.5], [NAN, 0.5]),
        # Where sessions are cited, recall of turns is of no answer.
        ([["S1"], ["D1:1", "D2:1"]], [NAN, NAN], [0.5, 1]),
        ([["session_2"], ["S1 S2"]], [NAN, NAN], [0.5, 1]),
        ([["D1:2", "S2"], ["S1"]], [NAN, NAN], [1, 0.5]),
    ],
)
def test_recall(contexts: list[list[str] | None], by_turn: list[float], by_session: list[float]) -> None:
    found = recalls(*contexts)
    assert same(found[0], by_turn) and same(found[1], by_session), found


def test_recall_by_session_never_stands_in_the_column_of_turns() -> None:
    (one,) = match([given("Who?", SINGLE, context=["S1"])], [two_sessions()])
    (comparison,) = compare([one], {})
    assert comparison.measures == ["f1", SESSION_RECALL, "abstained"]
    assert comparison.table(SESSION_RECALL)["mine"]["single_hop"] == 0.5
    assert about(one, "recall is of sessions") == (
        "sessions are cited: recall is of sessions, for our arms too; it is easier than recall of turns"
    )


def test_systems_that_cite_turns_and_that_cite_sessions_share_no_table() -> None:
    turns, sessions = match(
        [given("Who?", SINGLE, arm="t"), given("Who?", SINGLE, arm="s", context=["S1"])], [two_sessions()]
    )
    assert [one.measures[1] for one in compare([turns, sessions], {})] == ["recall", SESSION_RECALL]


def test_a_session_that_is_not_there_does_not_make_recall_one_of_sessions() -> None:
    """An id such as s99 may be of a piece of text; no session of the conversation has it."""
    (one,) = match(
        [given("Who?", SINGLE, context=["D1:1", "s99"]), given("Why?", SINGLE, context=["D1:1"])],
        [two_sessions()],
    )
    assert not one.by_session


def test_remarks() -> None:
    conversation = asked(*((f"{n}?", SINGLE) for n in range(5)))
    contexts: list[Any] = [["D1:01"], ["D1:1", "e5a1"], ["D9:9", "D1:1"], None, ["D1:1", "D1:2"]]
    one = matched(
        conversation,
        *(given(f"{n}?", SINGLE, context=c, place=f"line {n}") for n, c in enumerate(contexts)),
    )
    assert about(one, "spelling") == (
        "1 answer with ids in another spelling than the dataset's, such as 'D1:01', read as D1:1"
    )
    assert about(one, "cannot be read") == (
        "1 answer with ids that cannot be read, without recall: 'e5a1' at line 1"
    )
    assert (
        about(one, "name no turn") == "1 of 6 cited ids name no turn of their conversation: 'D9:9' at line 2"
    )
    assert about(one, "without a context") == "1 answer without a context: recall is over the others"
    assert "up to 2 ids an answer" in about(one, "recall grows")


@pytest.mark.parametrize("context", [["D1:1"], ["D1:01"], ["[D1:1]"], ["talk_D1:1"], ["S1"], ["session_1"]])
def test_no_message_says_that_an_existing_turn_is_not_there(context: list[str]) -> None:
    one = matched(asked(("Who?", SINGLE)), given("Who?", SINGLE, context=context))
    assert not any("name no turn" in remark or "cannot be read" in remark for remark in remarks(one))


def test_no_id_that_is_known_is_said_once() -> None:
    one = matched(asked(("Who?", SINGLE)), given("Who?", SINGLE, context=["e5a1"]))
    assert "recall is not available (-), which is not 0" in about(one, "no answer has an id")

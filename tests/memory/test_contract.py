"""What an external memory may declare and return."""

import math
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from itertools import count
from typing import Any

import numpy as np
import pytest

from helpers.externals import memory, plugin, sessions
from locomo.core.errors import LocomoError
from locomo.memory.contract import Contract, Declared, Fault, Returned, take

TALK = sessions(("Ada: Boats.", "Bob: Kites."), ("Ada: Tea.",))
"""Turns D1:1, D1:2 and D2:1, sessions S1 and S2."""


def checked(returned: object, k: int = 2, **declared: Any) -> Returned:
    return Contract(TALK, Declared(**declared)).checked(take(returned, k), k)


def fault(returned: object, k: int = 2, **declared: Any) -> str:
    with pytest.raises(Fault) as caught:
        checked(returned, k, **declared)
    return str(caught.value)


# ---- forms

TWO = Returned(["D1:1", "D2:1"], [2.0, 1.0], [None, None])
PAIRS = [("D1:1", 2), ("D2:1", 1)]


@pytest.mark.parametrize(
    "returned",
    [
        PAIRS,
        tuple(PAIRS),
        (pair for pair in PAIRS),
        {"cites": PAIRS},
        {"cites": iter(PAIRS), "confidence": None},
        [["D1:1", 2.0, None], ["D2:1", 1.0, ""]],
        [("D1:1", np.float32(2), " \n"), ("D2:1", np.int64(1))],
        [(np.str_("D1:1"), 2), ("D2:1", 1)],
    ],
)
def test_every_form_of_a_list_of_cites(returned: object) -> None:
    found = checked(returned)
    assert found == TWO
    assert [type(score) for score in found.scores] == [float, float]
    assert (found.turns, found.sessions, found.texts) == (True, False, False)


@pytest.mark.parametrize(("given", "read"), [(0, 0.0), (1, 1.0), (0.25, 0.25), (np.float32(0.5), 0.5)])
def test_a_confidence_is_a_number_from_0_to_1(given: object, read: float) -> None:
    found = checked({"cites": PAIRS, "confidence": given})
    assert found.confidence == read and type(found.confidence) is float


@pytest.mark.parametrize(
    "given",
    [-0.1, 1.1, math.nan, math.inf, 10**400, True, np.True_, "0.5", [0.5], Decimal("0.5")],
    ids=lambda given: repr(given)[:20],
)
def test_nothing_else_is_a_confidence(given: object) -> None:
    said = fault({"cites": PAIRS, "confidence": given})
    assert said.startswith("has the confidence ") and said.endswith("; expected a number from 0 to 1")


def test_sessions_and_texts() -> None:
    found = checked([("S2", 1), ("S1", 1, "boats")])
    assert found == Returned(["S2", "S1"], [1.0, 1.0], [None, "boats"])
    assert (found.turns, found.sessions, found.texts) == (False, True, False)
    found = checked({"cites": [(None, 0.5, "Ada rows.")], "confidence": 1})
    assert found == Returned([None], [0.5], ["Ada rows."], 1.0)
    assert (found.turns, found.sessions, found.texts) == (False, False, True)
    # A text beside a turn or a session is read with it.
    assert checked([("D1:1", 1), (None, 0, "x")]).ids == ["D1:1", None]
    assert checked([(None, 1, "x"), ("S1", 0)]).ids == [None, "S1"]
    assert checked([(None, 1, "S1"), (None, 1, "D1:1")]).ids == [None, None]
    assert "cites sessions and turns for one question" in fault([("S1", 1), ("D1:1", 1)])
    assert "cites sessions and turns for one question" in fault([("S1", 1), (None, 1, "x"), ("D1:1", 1)], 3)


@pytest.mark.parametrize(
    ("returned", "said"),
    [
        ({}, "returned {}; expected a list of cites"),
        ({"cites": None}, "returned {'cites': None}; expected a list of cites"),
        ({"cites": PAIRS, "confidance": 1}, "returned 'confidance'; expected `cites` and `confidence`"),
        ({"D1:1": 1}, "returned 'D1:1'; expected `cites` and `confidence`"),
        ({3: 1, "x": 2}, "returned 3; expected `cites` and `confidence`"),
        (None, "returned None; expected a list of cites"),
        (TALK.turns, "cite 0 is Turn(id='D1:1', "),
        ([None], "cite 0 is None; expected (id, score) or (id, score, phrase)"),
        (dict.fromkeys("a"), "returned 'a'; expected `cites` and `confidence`"),
        ({"D1:1", "D2:1"}, "cite 0 is 'D"),
        (np.zeros((2, 2)), "cite 0 is array([0., 0.]); expected (id, score)"),
    ],
)
def test_what_is_no_list_of_cites(returned: object, said: str) -> None:
    assert fault(returned).startswith(said)


@pytest.mark.parametrize(
    ("cite", "said"),
    [
        ((None, 1), "has neither an id nor a text; expected (None, score, text)"),
        ((None, 1, " \n"), "has neither an id nor a text"),
        (("", 1, "text"), "names ''; expected the id of one of its turns, such as 'D1:1', or of a session,"),
        (("S3", 1), "names 'S3'; "),
        (("S01", 1), "names 'S01'; "),
        (("s1", 1), "names 's1'; "),
        ((b"D1:1", 1), "names b'D1:1'; "),
        ((["D1:1"], 1), "names ['D1:1']; "),
        (("D1:1", None), "scores None; expected a finite number"),
        (("D1:1", True), "scores True; "),
        (("D1:1", np.True_), "scores True; " if np.__version__ < "2" else "scores np.True_; "),
        (("D1:1", math.nan), "scores nan; "),
        (("D1:1", -math.inf), "scores -inf; "),
        (("D1:1", 10**400), "scores 1000"),
        (("D1:1", 1j), "scores 1j; "),
        (("D1:1", Fraction(1)), "scores Fraction(1, 1); "),
        (("D1:1", np.array([1])), "scores array([1]); "),
        (("D1:1", 1, b"x"), "has the phrase b'x'; expected text or None"),
        (("D1:1", 1, "ok \ud83d"), r"has the phrase 'ok \ud83d'; it holds half a surrogate pair"),
        ((None, 1, "ok \ud83d"), r"has the phrase 'ok \ud83d'; it holds half a surrogate pair"),
        ((), "is (); expected (id, score) or (id, score, phrase)"),
    ],
)
def test_a_wrong_cite_is_named_by_its_place(cite: object, said: str) -> None:
    assert fault([("D2:1", 1), cite]).startswith(f"cite 1 {said}")


def test_what_never_ends_is_taken_one_further_than_asked() -> None:
    taken = []

    def endless() -> Iterator[tuple[str, int]]:
        for number in count():
            taken.append(number)
            yield "D1:1", 1

    expected = "returned more than 3 cites; expected at most as many as asked for"
    assert fault(endless(), 3) == expected and taken == [0, 1, 2, 3]
    assert fault({"cites": endless()}, 3) == expected


# ---- scores


def test_a_score_below_0_counts_as_0() -> None:
    assert checked([("D1:1", 5), ("D1:2", 0), ("D2:1", -3)], 3).scores == [5.0, 0.0, 0.0]
    assert checked([("D1:1", -1), ("D1:2", -2)]).scores == [0.0, 0.0]  # such as logarithms


def test_distances_are_read_as_nearness() -> None:
    given = [("D1:1", 0), ("D1:2", 1), ("D2:1", 3.0)]
    assert checked(given, 3, distances=True).scores == [1.0, 0.5, 0.25]
    assert checked([("D1:1", -1), ("D1:2", 0)], distances=True).scores == [1.0, 1.0]  # by rounding
    assert checked([("D1:1", 1e308), ("D1:2", 1.7e308)], distances=True).scores[1] > 0


def test_the_best_comes_first() -> None:
    rising, falling = [("D1:1", 1), ("D1:2", 1.5)], [("D1:1", 1.5), ("D1:2", 1)]
    hint = ", or `distances = True` in the class if lower is better"
    assert fault(rising) == f"cite 1 scores 1.5, more than 1.0 before it; expected the best first{hint}"
    assert fault([("D1:1", -2), ("D1:2", -1)]).startswith("cite 1 scores -1.0, more than -2.0 before it")
    expected = "cite 1 scores 1.0, less than 1.5 before it; expected the best first"
    assert fault(falling, distances=True) == expected
    assert checked(falling).scores == [1.5, 1.0]


# ---- numbers


@pytest.mark.parametrize(
    ("returned", "k", "said"),
    [
        ([], 2, "returned 0, though there are 3 more turns; expected 2, or `partial = True` in the class"),
        (PAIRS, 3, "returned 2, though there is 1 more turn; expected 3"),
        ([("D1:1", 1)] * 2, 3, "returned 2, though there are 2 more turns; expected 3"),
        ([("S1", 1)], 2, "returned 1, though there is 1 more session; expected 2"),
    ],
)
def test_only_a_partial_memory_cites_less_than_there_is(returned: Any, k: int, said: str) -> None:
    assert fault(returned, k).startswith(said)
    assert len(checked(returned, k, partial=True).ids) == len(returned)


@pytest.mark.parametrize(
    "cites",
    [
        [("D1:1", 1), ("D1:2", 1), ("D2:1", 1)],  # all turns
        [("D1:1", 1), ("D1:2", 1), ("D2:1", 1), ("D1:1", 1)],
        [("S2", 1), ("S1", 1)],  # all sessions
        [(None, 1, "all that there is to say")],  # nobody knows how many texts there are
        [("D1:1", 1), (None, 1, "x")],
    ],
)
def test_all_there_is_may_be_less_than_k(cites: list[Any]) -> None:
    assert len(checked(cites, 2000).ids) == len(cites)


# ---- what a class declares


def test_a_class_declares_nothing_by_default() -> None:
    assert Declared.of(memory("pass")) == Declared(False, False, False, 8)
    every = "partial = distances = batch = True; concurrency = 1"
    assert Declared.of(memory("pass", every)) == Declared(True, True, True, 1)


@pytest.mark.parametrize("name", ["partial", "distances", "batch"])
@pytest.mark.parametrize("value", ["1", "0", "'yes'", "None"])
def test_a_switch_is_true_or_false(name: str, value: str) -> None:
    found = memory("pass", f"{name} = {value}")
    with pytest.raises(LocomoError) as caught:
        Declared.of(found)
    said = f"memory mine: memories/mine.py: {name} is {value}; expected True or False"
    assert str(caught.value) == said


@pytest.mark.parametrize("value", ["0", "-1", "2.0", "True", "None", "'8'"])
def test_concurrency_is_a_number(value: str) -> None:
    with pytest.raises(LocomoError) as caught:
        Declared.of(memory("pass", f"concurrency = {value}"))
    assert str(caught.value).endswith(f"concurrency is {value}; expected a whole number, 1 or more")


def test_a_property_is_no_declaration() -> None:
    found = plugin("class Memory:\n    partial = property(lambda self: True)\n    def ask(self, q, k): ...\n")
    with pytest.raises(LocomoError, match=r"partial is <property .*; expected True or False"):
        Declared.of(found)

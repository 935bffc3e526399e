"""An external memory: what it is given, how what it returns is checked, what becomes of its failures."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helpers.externals import memory, plugin
from helpers.ran import PROVENANCE
from helpers.shared import ROOT
from helpers.talks import numbered, talk
from locomo.answer import asking
from locomo.answer.arms import Arm, CiteReturned, origins
from locomo.core.errors import LocomoError
from locomo.core.settings import Base
from locomo.formats.dataset import Category, Conversation, Question
from locomo.index.indexer import build
from locomo.memory import ask
from locomo.memory.base import UNCUT
from locomo.memory.external import Failures
from locomo.memory.plugins import Plugin
from locomo.reader.base import ReaderSettings
from locomo.results.predictions import (
    Answer,
    Failure,
    as_sample,
    by_question,
    read,
    read_origins,
    write,
)
from locomo.score.scoring import incomplete, score, shares, tables
from locomo.statistics.paired import paired
from locomo.statistics.separation import separation
from locomo.study import reach
from locomo.study.control import control
from locomo.study.sweep import not_asked, points, rows, sweep
from locomo.submissions import reading

SETTINGS = ReaderSettings(k=2, floor=0, span=4, band=0.9, parts=2)
SINGLE, ADVERSARIAL = Category.SINGLE_HOP, Category.ADVERSARIAL
LINES = ("Ada: I painted boats.", "Bob: Boats sink.", "Ada: Kites fly.")
QUESTIONS = [
    Question("What did Ada paint?", "boats", SINGLE, ("D1:1",)),
    Question("What sinks?", "boats", SINGLE, ("D1:2",)),
    Question("What flies?", "kites", SINGLE, ("D1:3",)),
    Question("What did Bob fly?", "kites", ADVERSARIAL, ("D1:3",)),
]
ASKED = talk(*LINES, questions=QUESTIONS)


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def arms_of(found: Plugin, *ks: int, may_fail: bool = False, asked: Conversation = ASKED) -> dict[str, Arm]:
    """Two arms of a memory that was asked at each k."""
    allowed = Failures(found, allowed=may_fail, limit=20)
    make = CiteReturned(ask.ask(found, asked, build(asked, True)[0], ks, allowed).answers)
    return {
        "mine": Arm("mine", make, plugin=found),
        "mine+set": Arm("mine", make, "set", plugin=found),
    }


def answered(
    found: Plugin, k: int = 2, may_fail: bool = False, asked: Conversation = ASKED
) -> dict[str, list[Any]]:
    store = build(asked, True)[0]
    arms = arms_of(found, k, may_fail=may_fail, asked=asked)
    return asking.answer(asked, store, arms, SETTINGS._replace(k=k))


# ---- what it is given and gives


def test_it_is_given_turns_and_vocabulary_and_no_question() -> None:
    body = """
assert (question, k) in [(q, 2) for q in self.known]
return [(self.ids[0], 1), (self.ids[1], 0)]"""
    found = plugin(f"""
class Memory:
    def __init__(self, conversation, vocabulary):
        assert conversation.sample_id == "talk" and conversation.questions == ()
        assert conversation.turns[1].line.endswith('Bob said, "Boats sink."')
        # "boat" is in two of three turns: ln(4/3).
        assert round(vocabulary.weight("boat"), 6) == 0.287682
        vocabulary.weights[:] = 0  # its own copy
        self.ids = [turn.id for turn in conversation.turns]
        self.known = {[q.question for q in QUESTIONS]!r}
    def ask(self, question, k):{body.replace(chr(10), chr(10) + "        ")}
""")
    # "Ada" is in no turn: ln 4; "paint" in one: ln 2. The first turn covers a third of the question.
    first = answered(found)["mine"][0]
    assert first.context == ["D1:1", "D1:2"] and first.confidence == pytest.approx(1 / 3)
    assert first.reply == "boats"  # the second scores below 0.9 of the first


def test_the_readers_take_phrases_and_repeated_turns() -> None:
    found = memory("return [(self.ids[2], 1, 'red kites'), (self.ids[2], np.float32(0.5), 'blue kites')]")
    found = plugin("import numpy as np\n" + found.source.decode())
    given = answered(found)
    assert given["mine"][1] == Answer("kites fly", ["D1:3", "D1:3"], 0.0)
    assert given["mine+set"][1] == Answer("red kites, blue kites", ["D1:3", "D1:3"], 0.0)


@pytest.mark.parametrize(
    ("body", "k", "cited"),
    [
        ("return ((id, 1) for id in self.ids[:k])", 2, ["D1:1", "D1:2"]),  # any iterable
        ("return [[id, 0.0, None] for id in self.ids[:k]]", 2, ["D1:1", "D1:2"]),
        ("return [(id, 1) for id in self.ids]", 50, ["D1:1", "D1:2", "D1:3"]),  # k above the number of turns
        ("return [(id, 1) for id in [*self.ids, self.ids[0]]]", 4, ["D1:1", "D1:2", "D1:3", "D1:1"]),
    ],
)
def test_what_is_allowed(body: str, k: int, cited: list[str]) -> None:
    assert answered(memory(body), k)["mine"][3].context == cited


def test_a_memory_that_cites_what_it_finds_says_so() -> None:
    found = memory("return []", "partial = True")
    assert answered(found)["mine"][0] == Answer("No information available", [], 0.0)


# ---- faults

WHERE = "memory mine: talk, question 0 ('What did Ada paint?'), asked for 2: "
CITE = "expected (id, score) or (id, score, phrase)"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (
            "return [('D9:9', 1), ('D1:1', 0)]",
            "cite 0 names 'D9:9'; expected the id of one of its turns, such as 'D1:1'",
        ),
        ("return [(self.ids[0], 1), (1, 0)]", "cite 1 names 1; expected the id"),
        (
            "return [(id, 1) for id in self.ids]",
            "returned more than 2 cites; expected at most as many as asked for",
        ),
        (
            "import itertools\nreturn ((self.ids[0], 1) for _ in itertools.count())",
            "returned more than 2 cites",
        ),
        (
            "return [(self.ids[0], 1)]",
            "returned 1, though there are 2 more turns; expected 2, or `partial = True`",
        ),
        ("return []", "returned 0, though there are 3 more turns"),
        (
            "return [(id, float('nan')) for id in self.ids[:2]]",
            "cite 0 scores nan; expected a finite number",
        ),
        (
            "return [(self.ids[0], float('inf')), (self.ids[1], 0)]",
            "cite 0 scores inf; expected a finite number",
        ),
        ("return [(id, '1') for id in self.ids[:2]]", "cite 0 scores '1'; expected a finite number"),
        ("return [(id, True) for id in self.ids[:2]]", "cite 0 scores True; expected a finite number"),
        (
            "return [(self.ids[0], 1), (self.ids[1], 1.5)]",
            "cite 1 scores 1.5, more than 1.0 before it; expected the best first",
        ),
        ("return self.ids[:2]", f"cite 0 is 'D1:1'; {CITE}"),
        ("return [(id,) for id in self.ids[:2]]", f"cite 0 is ('D1:1',); {CITE}"),
        ("return [(id, 1, 'a', 'b') for id in self.ids[:2]]", "cite 0 is ('D1:1', 1, 'a', 'b'); "),
        ("return [(id, 1, 3) for id in self.ids[:2]]", "cite 0 has the phrase 3; expected text or None"),
        ("return None", "returned None; expected a list of cites"),
        ("return 3", "returned 3; expected a list of cites"),
        ("return 'D1:1'", f"cite 0 is 'D'; {CITE}"),
    ],
)
@pytest.mark.parametrize("may_fail", [False, True])
def test_a_fault_names_memory_question_and_what_is_expected(body: str, said: str, may_fail: bool) -> None:
    with pytest.raises(LocomoError) as caught:
        answered(memory(body), may_fail=may_fail)
    assert str(caught.value).startswith(WHERE + said)


def test_long_questions_and_returns_are_cut() -> None:
    asked = talk(*LINES, questions=[Question("Why " * 100, "x", SINGLE, ())])
    with pytest.raises(LocomoError) as caught:
        answered(memory("return ['x' * 1000]"), asked=asked)
    assert "question 0 ('Why Why" in str(caught.value) and len(str(caught.value)) < 350


def test_an_error_names_the_question_and_the_line_of_the_memory() -> None:
    body = (
        "if 'sinks' in question:\n    raise ValueError('no\\nidea')\nreturn [(id, 1) for id in self.ids[:k]]"
    )
    with pytest.raises(LocomoError) as caught:
        answered(memory(body))
    assert str(caught.value) == (
        "memory mine: talk, question 1 ('What sinks?'), asked for 2: ValueError: no idea"
        " (memories/mine.py:7); to count such questions as failed and go on, name it in params.yaml:"
        " may_fail: [mine]"
    )


def test_a_memory_that_cannot_be_made() -> None:
    found = plugin(
        "class Memory:\n    def __init__(self, conversation):\n        pass\n    def ask(self, q, k): ...\n"
    )
    with pytest.raises(
        LocomoError, match=r"memory mine: cannot be made for talk: TypeError: .*positional argument"
    ):
        answered(found)
    found = plugin(
        "class Memory:\n    def __init__(self, *_):\n        [][0]\n    def ask(self, q, k): ...\n"
    )
    with pytest.raises(LocomoError, match=r"cannot be made for talk: IndexError: .* \(memories/mine\.py:3\)"):
        answered(found)
    failure = Failure("IndexError: list index out of range")
    assert answered(found, may_fail=True) == {"mine": [failure] * 4, "mine+set": [failure] * 4}


# ---- failures

FAILING = memory(
    "if 'sinks' in question or 'Bob' in question:\n"
    "    raise RuntimeError('timeout')\n"
    "return [(id, 1) for id in self.ids[:k]]"
)
FAILURE = Failure("RuntimeError: timeout")


@pytest.fixture
def failed() -> dict[str, list[Any]]:
    """The answers of a memory that failed on the second and the fourth question, beside two that did not."""
    return {"vector": [Answer("boats", ["D1:1"], sure) for sure in (0.5, 0.25, 0.75, 1.0)]} | answered(
        FAILING, may_fail=True
    )


def test_a_failure_is_no_answer(failed: dict[str, list[Any]]) -> None:
    assert [isinstance(one, Failure) for one in failed["mine"]] == [False, True, False, True]
    assert failed["mine"][1] == failed["mine+set"][3] == FAILURE
    assert failed["mine"][0].context == ["D1:1", "D1:2"]


def test_a_failure_in_the_predictions_file(failed: dict[str, list[Any]], tmp_path: Path) -> None:
    path = tmp_path / "predictions.json"
    write(path, [as_sample(ASKED, failed, PROVENANCE, origins(arms_of(FAILING, 2, may_fail=True)))])
    ((sample, rows),) = read(path)
    assert (sample, rows) == ("talk", by_question(failed))
    # Whoever reads the official shape finds a call that failed.
    others = [one for one in reading.read(path).given if one.arm == "mine"]
    assert [one.failure for one in others] == ["", repr(FAILURE.error), "", repr(FAILURE.error)]
    assert others[1].context is None and others[1].confidence is None
    origin = read_origins(path)["mine"]
    assert (origin.where, origin.sha256, origin.partial) == ("memories/mine.py", FAILING.sha256, False)


def test_means_are_over_the_questions_that_did_not_fail() -> None:
    yes, no = Answer("boats", ["D1:1"], 1.0), Answer("No information available", [], 0.0)
    given = {"vector": [yes, yes, no, no], "mine": [yes, FAILURE, no, FAILURE], "other": [FAILURE] * 4}
    scores = list(score([ASKED], [("talk", by_question(given))]))
    assert [(one.arm, one.question) for one in scores if one.arm != "vector"] == [("mine", 0), ("mine", 2)]
    table = tables(scores, given)
    # vector: 1, 1 (boats sink), 0 of the answerable, 1 of the adversarial; mine: 1 and 0, nothing else.
    assert [table["f1"]["vector"][c] for c in ("answerable", "adversarial", "overall")] == [
        0.666667,
        1.0,
        0.75,
    ]
    assert [table["f1"]["mine"][c] for c in ("answerable", "adversarial", "overall")] == [0.5, None, 0.5]
    assert [table["recall"]["mine"][c] for c in ("answerable", "overall")] == [0.5, 0.5]
    assert [table["abstained"]["mine"][c] for c in ("answerable", "overall")] == [0.5, 0.5]
    assert set(table["f1"]["other"].values()) == {None}
    asked = {"single_hop": 3, "multi_hop": 0, "temporal": 0, "open_domain": 0, "adversarial": 1}
    asked |= {"answerable": 3, "overall": 4}
    fewer = incomplete(scores, given, asked)
    assert list(fewer) == ["mine", "other"]
    assert shares(fewer, asked)["mine"]["answerable"] == "2 of 3"
    assert shares(fewer, asked)["mine"]["overall"] == "2 of 4"
    assert shares(fewer, asked)["other"]["adversarial"] == "0 of 1"


def test_a_pair_is_compared_where_both_answered() -> None:
    yes, no = Answer("boats", ["D1:1"], 1.0), Answer("No information available", [], 0.0)
    other = Conversation("other", "Ada", "Bob", 1, ASKED.turns, numbered(QUESTIONS))
    given = {"vector": [yes, yes, yes, no], "mine": [no, FAILURE, no, FAILURE], "graph": [yes, no, no, no]}
    samples = [("talk", by_question(given)), ("other", by_question(given | {"mine": given["graph"]}))]
    scores = list(score([ASKED, other], samples))
    found = paired(scores)
    # F1 by question: vector 1 1 0 | 1 1 0, graph 1 0 0 | 1 0 0, mine 0 - 0 | 1 0 0.
    assert found["pairs"]["graph - vector"]["answerable"]["difference"] == -0.333333
    assert found["pairs"]["mine - vector"]["answerable"]["difference"] == -0.4  # (-1 + 0) + (0 - 1 + 0), of 5
    assert found["pairs"]["graph - mine"]["answerable"]["difference"] == 0.2
    # Resamples, by hand: talk twice -1/2 (of 2), both -2/5, other twice -1/3.
    assert found["pairs"]["mine - vector"]["answerable"]["low"] == -0.5
    assert found["pairs"]["mine - vector"]["answerable"]["high"] == -0.333333
    # Of two adversarial questions one conversation alone is left: no interval.
    assert found["pairs"]["mine - vector"]["adversarial"] == {"difference": 0.0, "low": None, "high": None}
    assert found["left_out"] == {
        pair: {"answerable": 1, "adversarial": 1} for pair in ("graph - mine", "mine - vector")
    }
    assert found["bootstrap"]["answerable"] == {"conversations": 2, "resamples": 3, "exact": True}
    # Without failures nothing more is said, and the pair of others is the same.
    without = paired([one for one in scores if one.arm != "mine"])
    assert "left_out" not in without
    assert without["pairs"]["graph - vector"] == found["pairs"]["graph - vector"]
    assert separation(scores)["mine"]["abstained_answerable"] == 80.0  # two of two, and two of three


def test_pairs_of_two_that_failed_on_different_questions() -> None:
    yes = Answer("boats", [], 1.0)
    given = {"a": [yes, FAILURE, yes, yes], "b": [FAILURE, yes, yes, yes]}
    found = paired(list(score([ASKED], [("talk", by_question(given))])))
    assert found["left_out"] == {"a - b": {"answerable": 2, "adversarial": 0}}
    assert found["bootstrap"]["answerable"]["conversations"] == 1
    assert found["pairs"]["a - b"]["answerable"] == {"difference": 0.0, "low": None, "high": None}
    nothing = {"a": [yes, FAILURE, yes, FAILURE], "b": [FAILURE, yes, yes, yes]}
    found = paired(list(score([ASKED], [("talk", by_question(nothing))])))
    assert found["pairs"]["a - b"]["adversarial"] == {"difference": None, "low": None, "high": None}


BASE = Base(k=2, floor=0.0, span=4, band=0.9, parts=2)


def swept(found: Plugin, *ks: int, may_fail: bool = False, **values: list[float]) -> list[Any]:
    """The rows of a sweep of a memory that was asked at these k."""
    arms, every = arms_of(found, *ks, may_fail=may_fail), points(BASE, values)
    store = build(ASKED, True)[0]
    return rows(every, arms, [sweep(ASKED, store, arms, every)], not_asked(every, arms, ks))


def test_a_sweep_is_over_the_questions_that_did_not_fail(failed: dict[str, list[Any]]) -> None:
    alone = tables(score([ASKED], [("talk", by_question(failed))]))
    found = {
        (point.value, arm): means for point, arm, means in swept(FAILING, 1, 2, 3, may_fail=True, k=[1, 2, 3])
    }
    for arm in ("mine", "mine+set"):
        expected = {column: alone["f1"][arm][column] for column in ("answerable", "adversarial", "overall")}
        expected |= {"abstained": alone["abstained"][arm]["overall"], "scored": 2}
        assert found[2, arm] == expected


def test_each_k_of_a_sweep_is_asked_for_itself() -> None:
    # Another turn first for another k: the first of three is not what one alone would be.
    found = memory("return [(id, 1) for id in (self.ids if k % 2 else self.ids[::-1])[:k]]")
    store = build(ASKED, True)[0]
    means = {(p.value, arm): row for p, arm, row in swept(found, 1, 2, 3, k=[1, 2, 3], floor=[0.0, 0.5])}
    for k in (1, 2, 3):
        answers = asking.answer(ASKED, store, arms_of(found, k), SETTINGS._replace(k=k))
        alone = tables(score([ASKED], [("talk", by_question(answers))]))
        for arm in ("mine", "mine+set"):
            assert means[k, arm]["overall"] == alone["f1"][arm]["overall"]
            assert "scored" not in means[k, arm]


def test_a_memory_that_fails_for_some_k_only() -> None:
    found = memory("if k == 3:\n    raise ValueError\nreturn [(id, 1) for id in self.ids[:k]]")
    scored = {
        (p.value, arm): row["scored"] for p, arm, row in swept(found, 1, 2, 3, may_fail=True, k=[1, 2, 3])
    }
    assert scored == {(k, arm): 0 if k == 3 else 4 for k in (1, 2, 3) for arm in ("mine", "mine+set")}


def test_reach_leaves_failures_out() -> None:
    store = build(ASKED, True)[0]
    found = reach.reach(ASKED, store, arms_of(FAILING, UNCUT, may_fail=True))
    assert found.recalls == [("mine", SINGLE, 1.0), ("mine", SINGLE, 1.0)]  # every turn is cited
    assert reach.summary([found, found], ["mine"])["failed"] == {"mine": 4}


def test_the_control_reads_the_same_cites() -> None:
    arms, store = arms_of(FAILING, 2, may_fail=True), build(ASKED, True)[0]
    seeing, blind = (asking.answer(ASKED, one, arms, SETTINGS) for one in (store, store.blinded()))
    scores = score([ASKED], [("talk", by_question(seeing))])
    assert control([ASKED], arms, [seeing], [blind], scores)["identical"] == ["mine", "mine+set"]


# ---- the example


def test_the_example_ranks_as_bm25_does() -> None:
    source = ROOT.joinpath("memories/bm25.py").read_text(encoding="utf-8")
    pytest.importorskip("bm25s")
    found = plugin(source, "bm25")
    made = found.load()(ASKED, None)
    # "boats" is in two of three lines; the second is as long as the first: (8 May, 2023) Ada said, "I painted
    # boats." has the words may 2023 ada said painted boats, the second may 2023 bob said boats sink.
    (one, first), (two, second) = made.ask("boats", 5)
    assert (one, two) == ("D1:1", "D1:2") and first == second > 0
    # As Lucene has it: ln(1 + (3 - 2 + 0.5) / (2 + 0.5)) * 1 / (1 + 1.5 * (1 - 0.75 + 0.75 * 6 / 6)).
    assert first == pytest.approx(np.log(1.6) / 2.5, abs=1e-6)
    assert [id for id, _ in made.ask("Who painted boats?", 5)] == ["D1:1", "D1:2"]
    assert made.ask("Who painted boats?", 1) == made.ask("Who painted boats?", 5)[:1]
    assert made.ask("xyzzy", 5) == made.ask("", 5) == []
    assert found.load().partial is True
    assert len([line for line in source.splitlines() if line.strip()]) <= 30

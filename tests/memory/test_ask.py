"""Asking an external memory: each question once, one by one, in batches or several at once."""

import gc
import json
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from helpers.externals import asked, memory, noted, plugin, sessions
from locomo.core.errors import LocomoError
from locomo.formats.dataset import Category, Conversation, Question
from locomo.index.indexer import build
from locomo.memory import ask
from locomo.memory.ask import Cost
from locomo.memory.contract import Returned
from locomo.memory.external import Failures, question_texts
from locomo.memory.plugins import Plugin

TEXTS = ["What did Ada paint?", "What sinks?", "What flies?", "What did Bob fly?"]


def about(*texts: str, sample: str = "talk") -> Conversation:
    questions = [Question(text, "x", Category.SINGLE_HOP, ()) for text in texts]
    return sessions(
        ["Ada: I painted boats.", "Bob: Boats sink."], ["Ada: Kites."], questions=questions, sample=sample
    )


TALK = about(*TEXTS)
IN_ORDER = "return [(id, 1) for id in self.ids[:k]]"
FOUND = Returned(["D1:1", "D1:2"], [1.0, 1.0], [None, None])
"""What a memory returns that cites the turns in order, asked for 2."""


@pytest.fixture(autouse=True)
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where memories of `noting` note what happens; and all that is kept is kept elsewhere."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "log"


def noting(ask: str, extra: str = "pass", asks: str = "def ask(self, question, k)") -> Plugin:
    """A memory that notes in `log` when it is made, and what `ask` notes."""
    lines = "\n".join(f"        {line}" for line in ask.splitlines())
    return plugin(f"""
import asyncio
def note(what):
    with open("log", "a") as file:
        file.write(f"{{what}}\\n")
class Memory:
    {extra}
    def __init__(self, conversation, vocabulary):
        note(f"made for {{conversation.sample_id}}")
        self.ids = [turn.id for turn in conversation.turns]
    {asks}:
{lines}
""")


# ---- once


def test_made_once_and_asked_once_for_each_text_and_k(log: Path) -> None:
    found = noting(f'note(f"{{k}} {{question}}")\n{IN_ORDER}')
    twice = about(*TEXTS[:2], TEXTS[0])
    done = asked(found, twice, 2, 5, 2)
    assert noted(log) == ["made for talk", *(f"{k} {text}" for k in (2, 5) for text in TEXTS[:2])]
    every = Returned(["D1:1", "D1:2", "D2:1"], [1.0] * 3, [None] * 3)
    assert done.answers == {2: dict.fromkeys(TEXTS[:2], FOUND), 5: dict.fromkeys(TEXTS[:2], every)}
    expected = Counter(constructed=1, calls=4, questions=4, turns=4)
    assert +done.cost.counts == expected and len(done.cost.seconds) == 4


def test_a_conversation_without_questions_is_not_asked_about(log: Path) -> None:
    done = asked(noting(IN_ORDER), about(), 2)
    assert done.answers == {2: {}} and noted(log) == [] and not +done.cost.counts


def test_the_cost_counts_what_was_cited() -> None:
    found = memory(
        "return {'paint': {'cites': [('S1', 1)], 'confidence': 0.5}, 'sinks': [(None, 1, 'x')],"
        " 'flies': [('S2', 1), (None, 1, 'x')], 'Bob': []}[next(w for w in"
        " ('paint', 'sinks', 'flies', 'Bob') if w in question)]",
        "partial = True",
    )
    counts = asked(found, TALK, 2).cost.counts
    names = ("questions", "own_confidence", "turns", "sessions", "texts", "failed")
    assert [counts[name] for name in names] == [4, 1, 0, 2, 2, 0]


def test_the_cost_of_several_conversations_by_hand() -> None:
    whole = Cost()
    whole.add(Cost(Counter(constructed=1, calls=3), 2.0, [0.1, 0.2, 0.3]))
    whole.add(Cost(Counter(constructed=1, calls=1, failed=1), 0.5, [0.4]))
    expected: dict[str, float] = dict.fromkeys(("questions", "kept", "own_confidence"), 0)
    expected |= {"turns": 0, "sessions": 0, "texts": 0, "constructed": 2, "calls": 4, "failed": 1}
    # Between the second and the third of four; 0.95 of the way from the first to the last.
    expected |= {"construct_seconds": 2.5, "ask_seconds": 1.0, "p50_ms": 250.0, "p95_ms": 385.0}
    assert whole.as_json() == expected
    assert Cost().as_json()["p95_ms"] == 0


def test_one_memory_cites_turns_or_sessions() -> None:
    found = memory("return [('S1' if 'sinks' in question else 'D1:1', 1)]", "partial = True")
    cost = asked(found, TALK, 2).cost
    with pytest.raises(LocomoError) as caught:
        cost.check("mine")
    said = "memory mine: cites turns for 3 questions and sessions for 1; expected one kind"
    assert str(caught.value) == said


def test_a_generator_is_asked_too(log: Path) -> None:
    found = noting("for id in self.ids[:k]:\n    yield id, 1")
    assert asked(found, TALK, 2).answers[2] == dict.fromkeys(TEXTS, FOUND)
    found = noting("yield self.ids[0], 1\nraise ValueError('late')")
    with pytest.raises(LocomoError, match=r"question 0 .*: ValueError: late \(memories/mine\.py:13\); to"):
        asked(found, TALK, 2)


def test_what_a_question_says_of_itself() -> None:
    # Known are ada and bob, who speak, and margaret, twice with a capital inside sentences.
    talk = sessions(["Ada: I saw Margaret.", "Bob: Does Margaret row?"])
    store = build(talk, True)[0]
    texts = ["Did Bob give Margaret the boats of Ada?", "Who rows?", "What did ada do?"]
    first, second, third = question_texts(store, texts)
    assert [first, second, third] == texts and json.dumps(first) == json.dumps(texts[0])
    assert (first.names, first.subject) == (("margaret", "ada", "bob"), "margaret")
    # Without stop words and the subject: "did", "the" and "of".
    assert first.focus == ("bob", "give", "boat", "ada")
    assert (second.names, second.subject, second.focus) == ((), "", ("row",))
    assert (third.names, third.subject, third.focus) == (("ada",), "ada", ())


def test_a_memory_gets_what_a_question_says_of_itself(log: Path) -> None:
    asked(noting(f"note((question.subject, *question.focus))\n{IN_ORDER}"), about(TEXTS[0]), 2)
    assert noted(log)[1:] == ["('ada', 'paint')"]
    log.unlink()
    body = f"note([q.subject for q in questions])\nreturn [{IN_ORDER[7:]} for q in questions]"
    asked(noting(body, "batch = True", "def ask(self, questions, k)"), TALK, 2)
    assert noted(log)[1:] == ["['ada', '', '', 'bob']"]


# ---- in batches


def in_batches(returns: str, before: str = "pass") -> Plugin:
    asks = "def ask(self, questions, k)"
    return noting(f'{before}\nnote(f"{{k}} {{len(questions)}}")\nreturn {returns}', "batch = True", asks)


EACH = "[[(id, 1) for id in self.ids[:k]] for _ in questions]"


def test_a_batch_is_one_call_for_each_k(log: Path) -> None:
    done = asked(in_batches(EACH), TALK, 2, 5)
    assert noted(log) == ["made for talk", "2 4", "5 4"]
    assert done.answers[2] == dict.fromkeys(TEXTS, FOUND)
    assert done.cost.counts["calls"] == 2 and done.cost.counts["questions"] == 8
    # Each question has its share of the time.
    first, *others = done.cost.seconds[:4]
    assert others == [first] * 3


def test_a_batch_may_be_a_generator(log: Path) -> None:
    found = in_batches("({'cites': ((id, 1) for id in self.ids[:k]), 'confidence': 1} for _ in questions)")
    answers = asked(found, TALK, 2).answers[2]
    assert answers == dict.fromkeys(TEXTS, Returned(FOUND.ids, FOUND.scores, FOUND.phrases, 1.0))


@pytest.mark.parametrize(
    ("returns", "said"),
    [
        (f"{EACH}[1:]", "returned answers to 3 questions; expected one list of cites for each of the 4"),
        (f"{EACH} * 2", "returned answers to 5 questions; expected"),  # it may never end
        ("None", "returned answers to 0 questions; expected"),
        (f"{EACH}[0]", "returned answers to 2 questions; expected"),  # the answer to one question
    ],
)
@pytest.mark.parametrize("allowed", [False, True])
def test_a_batch_with_another_number_of_answers(returns: str, said: str, allowed: bool) -> None:
    found = in_batches(returns)
    with pytest.raises(LocomoError) as caught:
        asked(found, TALK, 2, failures=Failures(found, allowed=allowed, limit=20))
    where = "memory mine: talk, 4 questions from question 0 ('What did Ada paint?') on, asked for 2: "
    assert str(caught.value).startswith(where + said)


def test_a_fault_in_a_batch_names_its_question() -> None:
    with pytest.raises(LocomoError) as caught:
        asked(in_batches(f"[*{EACH}[:2], [('D9:9', 1)], []]"), TALK, 2)
    where = "memory mine: talk, question 2 ('What flies?'), asked for 2: cite 0 names 'D9:9'; "
    assert str(caught.value).startswith(where)


def test_an_error_fails_the_whole_batch() -> None:
    found = in_batches(EACH, "if k == 5: raise OSError('down')")
    done = asked(found, TALK, 5, 2, failures=Failures(found, allowed=True, limit=20))
    failed = Returned.failed("OSError: down")
    assert done.answers == {5: dict.fromkeys(TEXTS, failed), 2: dict.fromkeys(TEXTS, FOUND)}
    assert done.cost.counts["failed"] == 4
    with pytest.raises(LocomoError, match=r"4 questions from question 0 .* on, asked for 5: OSError: down "):
        asked(found, TALK, 5, 2)


# ---- several at once


def at_once(body: str, extra: str = "pass") -> Plugin:
    return noting(body, extra, "async def ask(self, question, k)")


MEASURED = """
self.now = getattr(self, "now", 0) + 1
self.most = max(getattr(self, "most", 0), self.now)
await asyncio.sleep(0.01)
self.now -= 1
note(self.most)
return [(id, 1) for id in self.ids[:k]]"""


@pytest.mark.parametrize(("extra", "most"), [("pass", 8), ("concurrency = 3", 3), ("concurrency = 1", 1)])
def test_so_many_wait_at_once_as_the_class_says(log: Path, extra: str, most: int) -> None:
    talk = about(*(f"What is {number}?" for number in range(12)))
    assert len(asked(at_once(MEASURED, extra), talk, 2).answers[2]) == 12
    assert int(noted(log)[-1]) == most


def test_answers_belong_to_their_questions_in_whatever_order_they_come(log: Path) -> None:
    body = """
place = [word in question for word in ('paint', 'sinks', 'flies', 'Bob')].index(True)
await asyncio.sleep(0.04 - 0.01 * place)
note(place)
return [(self.ids[place % 3], 1)]"""
    done = asked(at_once(body, "partial = True"), TALK, 2)
    assert noted(log)[1:] == ["3", "2", "1", "0"]
    assert list(done.answers[2]) == TEXTS
    assert [one.ids for one in done.answers[2].values()] == [["D1:1"], ["D1:2"], ["D2:1"], ["D1:1"]]
    assert all(0.005 < seconds < 0.2 for seconds in done.cost.seconds)


@pytest.mark.parametrize("fails", ["raise OSError('down')", "return 3"])
def test_an_error_ends_all_and_leaves_nothing_pending(log: Path, fails: str) -> None:
    body = f"""
try:
    note("began")
    if 'sinks' in question:
        await asyncio.sleep(0.02)
        {fails}
    if 'paint' not in question:
        await asyncio.sleep(60)
    return [(id, 1) for id in self.ids[:k]]
except asyncio.CancelledError:
    note("ended")
    raise"""
    talk = about(*TEXTS, *(f"What is {number}?" for number in range(12)))
    found = at_once(body, "concurrency = 4")
    with warnings.catch_warnings(), pytest.raises(LocomoError) as caught:
        warnings.simplefilter("error")
        asked(found, talk, 2)
    said = "OSError: down (memories/mine.py:" if "raise" in fails else "returned 3; expected a list"
    assert f"question 1 ('What sinks?'), asked for 2: {said}" in str(caught.value)
    # Five began, one of which was answered and one of which failed; no other was ever asked.
    assert Counter(noted(log)) == {"made for talk": 1, "began": 5, "ended": 3}
    # What was answered is kept.
    again = asked(found, about("What did Ada paint?"), 2)
    assert again.cost.counts["kept"] == 1 and again.cost.counts["calls"] == 0


def test_errors_that_are_allowed_fail_their_questions_alone() -> None:
    found = at_once(f"await asyncio.sleep(0)\nif 'What f' in question: raise OSError\n{IN_ORDER}")
    done = asked(found, TALK, 2, failures=Failures(found, allowed=True, limit=20))
    assert [one.failure for one in done.answers[2].values()] == ["", "", "OSError", ""]
    assert done.cost.counts["failed"] == 1 and done.cost.counts["calls"] == 4


def test_all_is_asked_in_one_loop() -> None:
    """A client of a service, or a lock that was waited for, works in one loop only."""
    body = f"""
if not hasattr(self, "lock"):
    self.lock = asyncio.Lock()
async with self.lock:
    await asyncio.sleep(0)
{IN_ORDER}"""
    found, twice = at_once(body), []
    answers = ask.ask(
        found,
        TALK,
        build(TALK, True)[0],
        [2],
        Failures(found, allowed=False, limit=20),
        then=lambda made, questions: made.ask(
            questions, Failures(found, allowed=False, limit=20), lambda call, found, _: twice.extend(found)
        ),
    ).answers
    assert answers[2] == dict.fromkeys(TEXTS, FOUND) and twice == [FOUND] * 4


def test_batches_may_be_awaited_too(log: Path) -> None:
    found = noting(
        f"await asyncio.sleep(0)\nnote(len(questions))\nreturn {EACH}",
        "batch = True",
        "async def ask(self, questions, k)",
    )
    assert asked(found, TALK, 2, 3).answers[2] == dict.fromkeys(TEXTS, FOUND)
    assert noted(log) == ["made for talk", "4", "4"]


def test_a_memory_may_run_a_loop_of_its_own() -> None:
    body = f"async def answer():\n    await asyncio.sleep(0)\n    {IN_ORDER}\nreturn asyncio.run(answer())"
    assert asked(noting(body), TALK, 2).answers[2] == dict.fromkeys(TEXTS, FOUND)


@pytest.mark.filterwarnings("ignore:coroutine .* was never awaited")
def test_what_has_to_be_awaited_is_no_list_of_cites() -> None:
    body = "async def answer(): ...\nreturn answer()"
    with pytest.raises(
        LocomoError, match=r"returned <coroutine object .*; expected a list of cites"
    ) as caught:
        asked(noting(body), TALK, 2)
    del caught
    gc.collect()  # Python, too, says that nobody awaited it


# ---- failures


FAILING = "if {}: raise OSError('down')\n" + IN_ORDER


def failing(when: str) -> Plugin:
    return memory(FAILING.format(when))


def test_the_first_error_of_a_memory_that_may_not_fail_ends_the_run() -> None:
    with pytest.raises(LocomoError) as caught:
        asked(failing("'sinks' in question"), TALK, 2)
    assert str(caught.value) == (
        "memory mine: talk, question 1 ('What sinks?'), asked for 2: OSError: down (memories/mine.py:6);"
        " to count such questions as failed and go on, name it in params.yaml: may_fail: [mine]"
    )


@pytest.mark.parametrize(("error", "said"), [("SystemExit(2)", "SystemExit: 2"), ("KeyError()", "KeyError")])
def test_a_memory_cannot_end_the_run_by_itself(error: str, said: str) -> None:
    found = memory(f"raise {error}")
    done = asked(found, TALK, 2, failures=Failures(found, allowed=True, limit=20))
    assert {one.failure for one in done.answers[2].values()} == {said}


def test_ctrl_c_is_no_failure() -> None:
    found = memory("raise KeyboardInterrupt")
    with pytest.raises(KeyboardInterrupt):
        asked(found, TALK, 2, failures=Failures(found, allowed=True, limit=20))


def test_half_a_character_in_an_error_is_escaped() -> None:
    found = memory("raise OSError('no \\ud83d')")
    done = asked(found, TALK, 2, failures=Failures(found, allowed=True, limit=20))
    assert {one.failure for one in done.answers[2].values()} == {r"OSError: no \ud83d"}


def test_so_many_failures_in_a_row_end_the_run() -> None:
    found = failing("'sinks' not in question")
    allowed = Failures(found, allowed=True, limit=3)
    # Fails, succeeds, fails, fails; then in the next conversation fails: that is three.
    done = asked(found, TALK, 2, failures=allowed)
    assert [one.failure for one in done.answers[2].values()] == ["OSError: down", "", *["OSError: down"] * 2]
    with pytest.raises(LocomoError) as caught:
        asked(found, about(*TEXTS, sample="next"), 2, failures=allowed)
    assert str(caught.value) == (
        "memory mine: next, question 0 ('What did Ada paint?'), asked for 2: OSError: down"
        " (memories/mine.py:6); that is 3 failures in a row (setting failures_in_a_row). What was answered"
        " is kept: run again, and it goes on there"
    )
    # A failure is not kept, an answer is.
    again = asked(found, TALK, 2, failures=Failures(found, allowed=True, limit=20))
    assert (again.cost.counts["kept"], again.cost.counts["calls"]) == (1, 3)


def test_a_success_between_failures_counts_them_from_0() -> None:
    found = failing("question in ('What did Ada paint?', 'What flies?', 'What did Bob fly?')")
    assert asked(found, TALK, 2, failures=Failures(found, allowed=True, limit=3)).cost.counts["failed"] == 3


def test_a_kept_answer_between_failures_counts_them_from_0() -> None:
    """Asked again are only the questions that failed: one, and then two in a row."""
    found = failing("'sinks' not in question")
    for kept in (0, 1):
        done = asked(found, TALK, 2, failures=Failures(found, allowed=True, limit=3))
        assert (done.cost.counts["kept"], done.cost.counts["failed"]) == (kept, 3)


MADE_FOR_SOME = """
class Memory:
    def __init__(self, conversation, vocabulary):
        if conversation.sample_id != "good":
            raise OSError("down")
        self.ids = [turn.id for turn in conversation.turns]
    def ask(self, question, k):
        return [(id, 1) for id in self.ids[:k]]
"""


def test_a_memory_that_cannot_be_made_fails_that_conversation() -> None:
    found = plugin(MADE_FOR_SOME)
    allowed = Failures(found, allowed=True, limit=3)
    done = [asked(found, about(*TEXTS, sample=name), 2, 5, failures=allowed) for name in ("bad", "good", "x")]
    assert [one.cost.counts["failed"] for one in done] == [8, 0, 8]
    assert [one.cost.counts["constructed"] for one in done] == [0, 1, 0]
    assert [one.cost.counts["calls"] for one in done] == [0, 8, 0]
    assert done[0].answers[5]["What sinks?"] == Returned.failed("OSError: down")
    asked(found, about(*TEXTS, sample="y"), 2, failures=allowed)
    with pytest.raises(LocomoError, match=r"cannot be made for z: OSError: down .*; that is 3 failures in a"):
        asked(found, about(*TEXTS, sample="z"), 2, failures=allowed)
    with pytest.raises(
        LocomoError, match=r"^memory mine: cannot be made for bad: OSError: down .*; to count"
    ):
        asked(found, about(*TEXTS, sample="bad"), 2)


def nothing_declared(**values: Any) -> str:
    return "; ".join(f"{name} = {value!r}" for name, value in values.items())


def test_a_wrong_declaration_is_no_failure_to_be_allowed() -> None:
    found = memory(IN_ORDER, nothing_declared(batch=1))
    with pytest.raises(LocomoError, match="batch is 1; expected True or False"):
        asked(found, TALK, 2, failures=Failures(found, allowed=True, limit=20))

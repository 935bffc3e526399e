"""What learns is fitted to other conversations than the one that it is used on."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from helpers.externals import asked, memory, noted, plugin, sessions
from helpers.shared import make_tiny
from helpers.stages import change, project, run
from locomo.answer import arms, asking, fitting
from locomo.answer.arms import Arm
from locomo.core.errors import LocomoError
from locomo.formats.dataset import Category, Conversation, Question
from locomo.index.indexer import build
from locomo.memory.plugins import Plugin
from locomo.reader.base import AskedQuestion, Prepared, ReaderSettings, Reply
from locomo.reader.reply import ReplyReader
from locomo.results.predictions import Answer

QUESTION = Question("Who rows?", "Ada", Category.SINGLE_HOP, ("D1:1",))


@pytest.fixture(autouse=True)
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "log"


def talks(number: int) -> list[Conversation]:
    return [sessions(["Ada: I row."], questions=[QUESTION], sample=f"conv-{i}") for i in range(number)]


FITTING = """
class Memory:
    def __init__(self, conversation, vocabulary, fitted):
        assert conversation.questions == ()
        self.fitted = fitted

    @classmethod
    def fit(cls, conversations):
        with open("log", "a") as file:
            file.write(f"fitted to {len(conversations)}\\n")
        assert all(one.questions[0].answer == "Ada" for one in conversations)
        assert all(one.questions[0].evidence == ("D1:1",) for one in conversations)
        return {"seen": [one.sample_id for one in conversations]}

    def ask(self, question, k):
        return [(None, 1, " ".join(self.fitted["seen"]) or "nothing")]
"""
"""A memory that answers with the conversations that it was fitted to."""


def seen(found: Plugin, number: int, **options: Any) -> dict[str, list[str]]:
    return {
        sample: fitted["seen"] for sample, fitted in fitting.memory(found, talks(number), **options).items()
    }


@pytest.mark.parametrize("number", [2, 3, 20])
def test_each_conversation_is_left_out_in_turn(log: Path, number: int) -> None:
    names = [f"conv-{i}" for i in range(number)]
    assert seen(plugin(FITTING), number) == {name: [n for n in names if n != name] for name in names}
    assert noted(log) == [f"fitted to {number - 1}"] * number


def test_a_tenth_is_left_out_at_a_time_of_many(log: Path) -> None:
    found = seen(plugin(FITTING), 25)
    assert list(found) == [f"conv-{i}" for i in [*range(0, 25, 10), *range(1, 25, 10)]] + [
        f"conv-{i}" for first in range(2, 10) for i in range(first, 25, 10)
    ]
    # 25 in ten parts: 0, 10 and 20 are one, ..., 5 and 15 another.
    left_out = {name: {f"conv-{i}" for i in range(25)} - set(others) for name, others in found.items()}
    assert left_out["conv-20"] == {"conv-0", "conv-10", "conv-20"}
    assert left_out["conv-5"] == {"conv-5", "conv-15"}
    assert all(name in out for name, out in left_out.items()) and len(left_out) == 25
    assert sorted(noted(log)) == ["fitted to 22"] * 5 + ["fitted to 23"] * 5


def test_a_conversation_alone_leaves_nothing_to_fit_to(log: Path) -> None:
    assert seen(plugin(FITTING), 1) == {"conv-0": []}


def test_a_memory_without_fit_is_not_fitted() -> None:
    assert fitting.memory(memory("return []"), talks(3)) == {}


def test_the_constructor_gets_what_it_was_fitted_to_and_a_copy_of_it(log: Path) -> None:
    source = FITTING.replace('" ".join(self.fitted["seen"])', '" ".join(self.fitted.pop("seen"))')
    found = plugin(source)
    fitted = fitting.memory(found, talks(3))["conv-1"]
    done = asked(found, talks(3)[1], 1, fitted=fitted)
    assert done.answers[1]["Who rows?"].phrases == ["conv-0 conv-2"]
    assert fitted == {"seen": ["conv-0", "conv-2"]}


def test_what_was_fitted_is_kept(log: Path) -> None:
    first = seen(plugin(FITTING), 3)
    assert seen(plugin(FITTING), 3) == first and len(noted(log)) == 3
    # One conversation more: every part is another.
    assert len(seen(plugin(FITTING), 4)) == 4 and len(noted(log)) == 7
    assert seen(plugin(FITTING), 3) == first and len(noted(log)) == 7
    assert seen(plugin(FITTING), 3, fresh=True) == first and len(noted(log)) == 10
    assert seen(plugin(FITTING + "# edited\n"), 3) == first and len(noted(log)) == 13


def test_only_what_is_needed_is_fitted(log: Path) -> None:
    assert seen(plugin(FITTING), 3, samples=["conv-1"]) == {"conv-1": ["conv-0", "conv-2"]}
    assert noted(log) == ["fitted to 2"]


def test_other_answers_in_the_dataset_fit_again(log: Path) -> None:
    """What a memory is asked does not depend on them, but what it is fitted to does."""
    found = plugin(FITTING.replace('== "Ada"', '!= ""'))
    fitting.memory(found, talks(3))
    other = Question("Who rows?", "Bob", Category.SINGLE_HOP, ("D1:1",))
    fitting.memory(found, [*talks(2), sessions(["Ada: I row."], questions=[other], sample="conv-2")])
    assert len(noted(log)) == 5  # all but the one that leaves it out


@pytest.mark.parametrize(
    ("returns", "said"),
    [
        ("float('nan')", "ValueError: Out of range float values are not JSON compliant"),
        ("object()", "TypeError: Object of type object is not JSON serializable"),
        ("{1, 2}", "TypeError: Object of type set is not JSON serializable"),
        ("{(1, 2): 3}", "TypeError: keys must be str, int, float, bool or None, not tuple"),
        ("1 / 0", "ZeroDivisionError: division by zero (memories/mine.py:6)"),
        ("__import__('sys').exit('no')", "SystemExit: no (memories/mine.py:6)"),
    ],
)
def test_anything_but_json_is_refused(returns: str, said: str) -> None:
    found = memory(
        "return []", "\n    @classmethod\n    def fit(cls, conversations):\n        return RETURNS"
    )
    found = plugin(found.source.decode().replace("RETURNS", f"\\\n            {returns}"))
    with pytest.raises(LocomoError) as caught:
        fitting.memory(found, talks(3))
    assert str(caught.value).startswith(f"memory mine: cannot be fitted to conv-1, conv-2: {said}")
    assert str(caught.value).endswith("; expected `fit(conversations)`, a class method that returns JSON")


def test_fit_that_is_no_class_method_is_named() -> None:
    found = memory("return []", "def fit(self, conversations): return 1")
    with pytest.raises(
        LocomoError, match=r"TypeError: .*missing 1 required .*; expected `fit\(conversations\)`"
    ):
        fitting.memory(found, talks(3))
    with pytest.raises(
        LocomoError, match=r"^memory mine: cannot be fitted to no other conversation: TypeError"
    ):
        fitting.memory(found, talks(1))


# ---- a reader


class Learned(ReplyReader):
    """Replies with the number of the conversation that is left out, once it is fitted."""

    def __init__(self, of: int | None = None) -> None:
        self.of = of

    def fit(self, conversations: Sequence[Conversation]) -> int:
        """Of a talk of two the other one is missing."""
        ids = [one.sample_id for one in conversations]
        assert len(ids) == 1 and conversations[0].questions
        return {"conv-2": 1, "conv-1": 2}[ids[0]]

    def fitted(self, value: Any) -> "Learned":
        return Learned(value)

    def prepare(self, question: AskedQuestion, cites: Any) -> Any:
        return Constant(Reply(f"left out is {self.of}", 1.0))


class Constant(Prepared):
    def __init__(self, reply: Reply) -> None:
        self._reply = reply

    def reply(self, settings: ReaderSettings) -> Reply:
        return self._reply


def test_a_reader_that_learns_gets_held_out_values_in_every_stage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(arms.READERS, "learned", Learned())
    monkeypatch.setitem(arms.ARMS, "vector+learned", Arm("vector", arms.ARMS["vector"].make, "learned"))
    first, second = make_tiny()
    asks = {"question": "Who?", "answer": "x", "category": 4, "evidence": ["D1:1"]}
    first["qa"], second["qa"] = [asks | {"answer": "left out is 1"}], [asks | {"answer": "left out is 2"}]
    folder = project(tmp_path / "project", [first, second])
    change(folder, arms=["vector", "vector+learned"], k=1)
    run(folder, "arms", "ask", "answer", "score", "sweep", "control", "reach")
    assert json.loads((folder / "data/cites/(readers).json").read_bytes()) == {
        "learned": {"conv-1": 1, "conv-2": 2}
    }
    predictions = json.loads((folder / "data/predictions.json").read_bytes())
    replies = [sample["qa"][0]["vector+learned_prediction"] for sample in predictions]
    assert replies == ["left out is 1", "left out is 2"]
    # Had a sweep or the control any other value, F1 would be 2/3 or answers would change.
    for setting in ("floor", "k", "span"):
        lines = (folder / f"reports/sweeps/{setting}.csv").read_text().splitlines()
        rows = [line.split(",") for line in lines if line.startswith("vector+learned,")]
        assert rows and {row[2] for row in rows} == {"1.0"}
    assert json.loads((folder / "metrics/control.json").read_bytes())["identical"] == [
        "vector",
        "vector+learned",
    ]
    # Without that reader nothing is fitted, and nothing is left of it.
    change(folder, arms=["vector"])
    run(folder, "arms", "ask", "answer")
    assert json.loads((folder / "data/cites/(readers).json").read_bytes()) == {}


def test_a_reader_is_fitted_for_the_conversation_that_is_read() -> None:
    reader = Learned()
    pair = [sessions(["Ada: I row."], questions=[QUESTION], sample=f"conv-{i}") for i in (1, 2)]
    found = fitting.readers({"learned": reader}, pair)
    assert found == {"learned": {"conv-1": 1, "conv-2": 2}}
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(arms.READERS, "learned", reader)
        arm = {"vector+learned": Arm("vector", arms.ARMS["vector"].make, "learned")}
        for talk, number in zip(pair, (1, 2), strict=True):
            chosen = arms.given(arm, {}, {"learned": found["learned"][talk.sample_id]})
            settings = ReaderSettings(k=1, floor=0, span=4, band=0.9, parts=2)
            (answer,) = asking.answer(talk, build(talk, True)[0], chosen, settings)["vector+learned"]
            assert isinstance(answer, Answer) and answer.reply == f"left out is {number}"

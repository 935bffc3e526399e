"""Memories as people write them: behind a service that fails, with state, and over windows of sentences."""

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from helpers.externals import asked, plugin, sessions
from helpers.services import CLIENT, Service, serving
from helpers.shared import ROOT
from helpers.stages import change, project, run
from locomo.answer import asking
from locomo.answer.arms import Arm, CiteReturned
from locomo.core.errors import LocomoError
from locomo.formats.dataset import Category, Question
from locomo.index.indexer import build
from locomo.reader.base import ReaderSettings
from locomo.results.predictions import Answer

QUESTIONS = 2 * 120
"""Of the demonstration set, each at k = 5 and at k = 2000."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demonstration set after stages fetch and build, with the client of the service; copy it."""
    samples = json.loads((ROOT / "demo/conversations.json").read_bytes())
    folder = project(tmp_path_factory.mktemp("made") / "project", samples)
    (folder / "memories/mine.py").write_text(CLIENT, encoding="utf-8")
    return folder


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    return shutil.copytree(made, tmp_path / "project")


def ask(folder: Path, service: Service | None, **settings: Any) -> dict[str, int]:
    """Run stages `arms` and `ask`, with the service or while it is down; what `metrics/cost.json` says."""
    change(folder, arms=["mine"], **settings)
    with pytest.MonkeyPatch.context() as patch:
        if service is None:
            patch.setenv("SERVICE", "9")  # the port where nobody listens
            run(folder, "arms", "ask")
        else:
            with serving(service) as port:
                patch.setenv("SERVICE", str(port))
                run(folder, "arms", "ask")
    cost: dict[str, int] = json.loads((folder / "metrics/cost.json").read_bytes())["mine"]
    return cost


def cites(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in (folder / "data/cites/mine").rglob("*.json")}


def counts(cost: dict[str, int], *names: str) -> list[int]:
    return [cost[name] for name in names or ("calls", "kept", "failed")]


# ---- a service that fails


def test_a_service_that_works(folder: Path) -> None:
    service = Service()
    assert counts(ask(folder, service)) == [QUESTIONS, 0, 0]
    assert len(service.asked) == len(set(service.asked)) == QUESTIONS
    assert service.built == ["demo-1", "demo-2", "demo-3"]
    # All is kept: it can be down.
    assert counts(ask(folder, None), "calls", "kept", "constructed") == [0, QUESTIONS, 0]


def test_a_service_that_is_down_from_the_start(folder: Path) -> None:
    where = "memory mine: cannot be made for demo-1: ConnectionRefusedError: "
    with pytest.raises(LocomoError, match=rf"^{where}.* \(memories/mine\.py:\d+\); to count such"):
        ask(folder, None)
    # Where it may fail, so do all questions.
    assert counts(ask(folder, None, may_fail=["mine"])) == [0, 0, QUESTIONS]
    # Nothing of that is kept.
    assert counts(ask(folder, Service())) == [QUESTIONS, 0, 0]


@pytest.mark.parametrize(
    ("status", "error"), [(500, "RuntimeError: status 500"), (0, "RemoteDisconnected: Remote end closed")]
)
@pytest.mark.parametrize("may_fail", [[], ["mine"]])
def test_a_service_that_dies_goes_on_where_it_died(
    folder: Path, status: int, error: str, may_fail: list[str]
) -> None:
    service = Service(lambda number: 200 if number < 100 else status)
    where = r"memory mine: demo-\d, question \d+ \('.*'\), asked for \d+"
    with pytest.raises(LocomoError, match=f"^{where}: {error}") as caught:
        ask(folder, service, may_fail=may_fail)
    if may_fail:
        assert "that is 20 failures in a row (setting failures_in_a_row)" in str(caught.value)
    assert not (folder / "data/cites").exists() and len(service.asked) == 100
    other = Service()
    assert counts(ask(folder, other, may_fail=may_fail)) == [QUESTIONS - 100, 100, 0]
    assert not set(other.asked) & set(service.asked) and len(other.asked) == QUESTIONS - 100
    # As if it had never died.
    whole = cites(folder)
    shutil.rmtree(folder / "home")
    ask(folder, Service(), may_fail=may_fail)
    assert cites(folder) == whole


def test_other_limits_of_failures(folder: Path) -> None:
    with pytest.raises(LocomoError, match=r"that is 3 failures in a row \(setting failures_in_a_row\)"):
        ask(folder, Service(lambda number: 500), may_fail=["mine"], failures_in_a_row=3)
    # Two of three fail, and never three in a row.
    service = Service(lambda number: 500 if number % 3 else 200)
    cost = ask(folder, service, may_fail=["mine"], failures_in_a_row=3)
    assert counts(cost) == [QUESTIONS, 0, QUESTIONS * 2 // 3]


def test_what_failed_is_asked_again_and_nothing_else(folder: Path) -> None:
    service = Service(lambda number: 503 if number % 4 == 0 else 200)
    left = QUESTIONS // 4
    assert counts(ask(folder, service, may_fail=["mine"])) == [QUESTIONS, 0, left]
    assert counts(ask(folder, service, may_fail=["mine"])) == [left, QUESTIONS - left, left // 4]
    again = ask(folder, service, may_fail=["mine"])
    assert counts(again, "calls", "kept") == [left // 4, QUESTIONS - left // 4]
    assert max(Counter(service.asked).values()) == 1  # of those that it answered


def test_a_memory_that_tries_again_does_not_fail(folder: Path) -> None:
    tries = "\n    def ask(self, question, k):\n        try:\n            return self.once(question, k)\n"
    tries += "        except RuntimeError:\n            return self.once(question, k)\n"
    path = folder / "memories/mine.py"
    path.write_text(CLIENT.replace("def ask", "def once") + tries, encoding="utf-8")
    service = Service(lambda number: 503 if number % 2 == 0 else 200)
    assert counts(ask(folder, service)) == [QUESTIONS, 0, 0] and len(service.asked) == QUESTIONS


def test_a_conversation_that_the_service_does_not_take(folder: Path) -> None:
    service = Service()
    service.refuses = "demo-1"
    cost = ask(folder, service, may_fail=["mine"])
    answered = len(service.asked)
    assert 0 < answered < QUESTIONS and "demo-1" not in service.built
    assert counts(cost) == [answered, 0, QUESTIONS - answered]
    service.refuses = ""
    assert counts(ask(folder, service, may_fail=["mine"])) == [QUESTIONS - answered, answered, 0]


def test_a_slow_service_is_asked_several_at_once(folder: Path) -> None:
    text = CLIENT.replace("def ask(self", "concurrency = 6\n\n    async def ask(self")
    text = text.replace("return call(", "return await asyncio.to_thread(call, ")
    (folder / "memories/mine.py").write_text(f"import asyncio\n{text}", encoding="utf-8")
    service = Service(seconds=0.02)
    cost = ask(folder, service)
    assert service.most == 6 and counts(cost) == [QUESTIONS, 0, 0]
    assert len(set(service.asked)) == QUESTIONS
    at_once = cites(folder)
    (folder / "memories/mine.py").write_text(CLIENT, encoding="utf-8")
    service = Service()
    ask(folder, service)
    assert service.most == 1
    assert [json.loads(one)["questions"] for one in cites(folder).values()] == [
        json.loads(one)["questions"] for one in at_once.values()
    ]


def test_what_a_service_returns_is_checked(folder: Path) -> None:
    class Wrong(Service):
        def ask(self, sample: str, question: str, k: int) -> tuple[int, Any]:
            return 200, [["D99:1", 0.5]]

    with pytest.raises(LocomoError, match=r"question 0 .*, asked for 5: cite 0 names 'D99:1'; exp"):
        ask(folder, Wrong(), may_fail=["mine"])


# ---- one with state


def test_a_memory_whose_state_changes_what_it_cites_is_read_the_same_by_all_stages(folder: Path) -> None:
    """`locomo run` finds such a memory; the stages do, too, if they ask it more than once."""
    (folder / "memories/mine.py").write_text(
        """
class Memory:
    def __init__(self, conversation, vocabulary):
        self.ids, self.asked = [turn.id for turn in conversation.turns], 0

    def ask(self, question, k):
        self.asked += 1
        shift = self.asked % len(self.ids)
        return [(id, 1) for id in (self.ids[shift:] + self.ids[:shift])[:k]]
""",
        encoding="utf-8",
    )
    change(folder, arms=["mine", "mine+set"], floor=0.0)
    run(folder, "arms", "ask", "answer", "score", "sweep", "control")
    control = json.loads((folder / "metrics/control.json").read_bytes())
    assert control["identical"] == ["mine", "mine+set"]
    # At floor 0, as the answers are.
    lines = (folder / "reports/sweeps/floor.csv").read_text(encoding="utf-8").splitlines()
    header, *rows = (line.split(",") for line in lines)
    swept = {row[0]: float(row[header.index("overall")]) for row in rows if float(row[1]) == 0}
    assert swept == {
        arm: json.loads((folder / f"metrics/f1/{arm}.json").read_bytes())["overall"] for arm in swept
    }
    assert len(swept) == 2


# ---- windows of sentences

WINDOWS = """
import bm25s
from locomo.text.tokens import sentences, stems

class Memory:
    partial = True

    def __init__(self, conversation, vocabulary):
        self.windows = []
        for turn in conversation.turns:
            spoken = sentences(turn.text)
            for place, sentence in enumerate(spoken):
                window = " ".join(spoken[max(place - 1, 0) : place + 2])
                self.windows.append((turn.id, sentence, stems(f"{turn.speaker}: {window}")))
        self.index = bm25s.BM25()
        self.index.index([stems for _, _, stems in self.windows], show_progress=False)

    def ask(self, question, k):
        scores = self.index.get_scores(stems(question))
        best, found = sorted(range(len(scores)), key=lambda place: -scores[place]), {}
        for place in best:
            id, sentence, _ = self.windows[place]
            if scores[place] > 0 and len(found) < k:
                found.setdefault(id, (id, scores[place], sentence))
        return list(found.values())
"""


def test_windows_of_sentences_by_hand() -> None:
    pytest.importorskip("bm25s")
    lines = ["Ada: I rest. I sail old boats. It rains.", "Bob: Tea helps. Cats sleep."]
    question = Question("Who sails boats?", "x", Category.SINGLE_HOP, ("D1:1",))
    talk = sessions(lines, questions=[question])
    found = asked(plugin(WINDOWS), talk, 2)
    # All three windows of the first turn hold "I sail old boats."; those of the first and last sentence are
    # the shortest, and the first of equals stays.
    one = found.answers[2][question.question]
    assert one.ids == ["D1:1"] and one.phrases == ["I rest."]
    make = CiteReturned(found.answers)
    arms = {f"mine+{reads}": Arm("mine", make, reads) for reads in ("", "edge", "set")}
    settings = ReaderSettings(k=2, floor=0, span=4, band=0.9, parts=2)
    answers = asking.answer(talk, build(talk, True)[0], arms, settings)
    replies = [answer.reply for (answer,) in answers.values() if isinstance(answer, Answer)]
    # Out of the turn the best sentence, "old" being the only new word; out of the phrase "rest".
    assert replies == ["old", "rest", "rest"]


def test_windows_of_sentences_run_as_arms(folder: Path) -> None:
    pytest.importorskip("bm25s")
    (folder / "memories/mine.py").write_text(WINDOWS, encoding="utf-8")
    names = ["mine", "mine+edge", "mine+set"]
    change(folder, arms=["vector", *names])
    run(folder, "arms", "ask", "answer", "score")
    f1 = {arm: json.loads((folder / f"metrics/f1/{arm}.json").read_bytes())["answerable"] for arm in names}
    recall = {json.loads((folder / f"metrics/recall/{arm}.json").read_bytes())["overall"] for arm in names}
    assert len(set(f1.values())) == 3 and len(recall) == 1  # phrases are read, and cites are the same
    assert min(f1.values()) > 0 and recall.pop() > 0.5

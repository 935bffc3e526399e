"""What is kept of earlier runs: nothing is asked twice, whatever ends a run."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from helpers.externals import asked, noted, plugin, sessions
from helpers.shared import ROOT
from helpers.stages import change, project, run
from locomo.core import parallel
from locomo.core.errors import LocomoError
from locomo.formats.dataset import Category, Question
from locomo.memory import kept
from locomo.memory.ask import Asked
from locomo.memory.contract import Returned
from locomo.memory.external import Failures
from locomo.memory.kept import Kept, KeptAnswer
from locomo.memory.plugins import Plugin, find

QUESTIONS = [Question(text, "x", Category.SINGLE_HOP, ()) for text in ("Who paints?", "Who rows?")]
TALK = sessions(["Ada: I painted boats.", "Bob: Boats sink."], questions=QUESTIONS)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for memories and what they note in `log`, and a cache of its own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "memories").mkdir()
    return tmp_path


NOTING = """
from pathlib import Path
import json, time
def note(what):
    with open("log", "a") as file:
        file.write(f"{what}\\n")
class Memory:
    def __init__(self, conversation, vocabulary):
        self.sample, self.ids = conversation.sample_id, [turn.id for turn in conversation.turns]
        note("made")
    def ask(self, question, k):
        note(question)
        return [(id, 1) for id in self.ids[:k]]
"""


def with_lines(*lines: str) -> Plugin:
    return plugin(NOTING + "".join(f"    {line}\n" for line in lines))


def kept_and_asked(done: Asked) -> tuple[int, int]:
    return done.cost.counts["kept"], done.cost.counts["calls"]


# ---- what an answer belongs to


def test_what_was_answered_is_not_asked_again() -> None:
    found = plugin(NOTING)
    first, second = asked(found, TALK, 1), asked(found, TALK, 1, 2)
    assert noted(Path("log")) == ["made", "Who paints?", "Who rows?"] * 2
    assert (kept_and_asked(first), kept_and_asked(second)) == ((0, 2), (2, 2))
    third = asked(found, TALK, 1, 2)
    assert kept_and_asked(third) == (4, 0) and third.answers == second.answers
    assert third.cost.counts["constructed"] == 0
    # What it took then, and takes whoever has nothing kept.
    assert sorted(third.cost.seconds) == sorted(second.cost.seconds)
    assert third.cost.construct_seconds == second.cost.construct_seconds > 0


def test_everything_of_an_answer_is_kept() -> None:
    found = plugin(
        NOTING.replace(
            "return [",
            "return {'cites': [('S1', 2, 'kites ü'), (None, 0.1, 'x')], 'confidence': 1 / 3}\n        [",
        ).replace("class Memory:", "class Memory:\n    partial = True")
    )
    first = asked(found, TALK, 2).answers
    assert first[2]["Who rows?"] == Returned(["S1", None], [2.0, 0.1], ["kites ü", "x"], 1 / 3)
    again = asked(found, TALK, 2)
    assert again.answers == first and kept_and_asked(again) == (2, 0)


def test_fresh_asks_again_and_replaces_what_was_kept() -> None:
    found = plugin(NOTING.replace("[(id, 1)", "[(id, float(Path('score').read_text()))"))
    Path("score").write_text("1")
    asked(found, TALK, 1)
    Path("score").write_text("2")
    for fresh, score, counts in ((False, 1.0, (2, 0)), (True, 2.0, (0, 2)), (False, 2.0, (2, 0))):
        done = asked(found, TALK, 1, fresh=fresh)
        assert done.answers[1]["Who rows?"].scores == [score] and kept_and_asked(done) == counts


@pytest.mark.parametrize(
    "lines",
    [
        ["Ada: I painted boats!", "Bob: Boats sink."],
        ["Ada: I painted boats.", "Ada: Boats sink."],
        ["Ada: I painted boats.", "Bob: Boats sink.", "Ada: Yes."],
    ],
)
def test_another_conversation_is_asked_about(lines: list[str]) -> None:
    found = plugin(NOTING)
    asked(found, TALK, 1)
    assert kept_and_asked(asked(found, sessions(lines, questions=QUESTIONS), 1)) == (0, 2)
    assert kept_and_asked(asked(found, TALK, 1)) == (2, 0)


def test_other_questions_about_the_same_turns_change_nothing_kept() -> None:
    found = plugin(NOTING)
    asked(found, TALK, 1)
    other = Question("Who rows?", "another answer", Category.ADVERSARIAL, ("D1:1",))
    more = Question("Who sinks?", "x", Category.SINGLE_HOP, ())
    talk = sessions(["Ada: I painted boats.", "Bob: Boats sink."], questions=[more, other])
    assert kept_and_asked(asked(found, talk, 1)) == (1, 1)


def test_another_value_it_was_fitted_to_is_another_memory() -> None:
    found = plugin(
        NOTING.replace("vocabulary):", "vocabulary, fitted):")
        + "    @classmethod\n    def fit(cls, others): ...\n"
    )
    for fitted, counts in (({"a": 1}, (0, 2)), ({"a": 2}, (0, 2)), ({"a": 1}, (2, 0))):
        assert kept_and_asked(asked(found, TALK, 1, fitted=fitted)) == counts


def test_another_version_of_the_package_asks_again(monkeypatch: pytest.MonkeyPatch) -> None:
    found = plugin(NOTING)
    asked(found, TALK, 1)
    monkeypatch.setattr(kept, "__version__", "0.0.0")
    assert kept_and_asked(asked(found, TALK, 1)) == (0, 2)


def test_an_edited_memory_is_asked_again_and_others_are_not(here: Path) -> None:
    for name in ("mine", "other"):
        (here / f"memories/{name}.py").write_text(NOTING)

    def ask_both() -> list[tuple[int, int]]:
        return [kept_and_asked(asked(found, TALK, 1)) for found in map(find, ("mine", "other")) if found]

    assert ask_both() == [(0, 2), (0, 2)]
    (here / "memories/mine.py").write_text(NOTING + "# edited\n")
    assert ask_both() == [(0, 2), (2, 0)]
    (here / "memories/mine.py").write_text(NOTING)  # undone
    assert ask_both() == [(2, 0), (2, 0)]


def test_the_files_beside_a_memory_belong_to_it(here: Path) -> None:
    beside = here / "memories/mine"
    (beside / "deep").mkdir(parents=True)
    (here / "memories/mine.py").write_text(
        NOTING.replace(
            "from pathlib", "from . import index\nfrom .deep.er import LIMIT\nfrom pathlib"
        ).replace("self.ids[:k]]", "self.ids[:k] if index.ok() and LIMIT]")
    )
    (beside / "index.py").write_text(
        "from pathlib import Path\ndef ok():\n    return Path(__file__).with_name('data.txt').read_text()\n"
    )
    (beside / "deep/er.py").write_text("from ..index import ok\nLIMIT = 1\n")
    (beside / "data.txt").write_text("yes")

    def ask() -> tuple[int, int]:
        found = find("mine")
        assert found
        return kept_and_asked(asked(found, TALK, 1))

    assert [ask(), ask()] == [(0, 2), (2, 0)]
    # What Python and editors leave beside it is no part of it.
    (beside / "deep/__pycache__").mkdir(exist_ok=True)
    for name in (
        "deep/__pycache__/er.cpython-311.pyc",
        "data.txt~",
        ".index.py.swp",
        "#index.py#",
        "index.py.orig",
    ):
        (beside / name).touch()
    assert ask() == (2, 0)
    (beside / "data.txt").write_text("certainly")
    assert [ask(), ask()] == [(0, 2), (2, 0)]
    (beside / "deep/er.py").write_text("LIMIT = 100\n")
    assert ask() == (0, 2)
    (beside / "new.txt").touch()
    assert ask() == (0, 2)


def test_failures_are_not_kept() -> None:
    found = plugin(NOTING.replace("note(question)", "note(question); assert not Path('down').exists()"))
    Path("down").touch()
    allowed = Failures(found, allowed=True, limit=20)
    assert asked(found, TALK, 1, failures=allowed).cost.counts["failed"] == 2
    Path("down").unlink()
    done = asked(found, TALK, 1, failures=allowed)
    assert kept_and_asked(done) == (0, 2) and done.cost.counts["failed"] == 0


def test_an_error_that_ends_the_run_leaves_what_was_answered() -> None:
    found = plugin(NOTING.replace("note(question)", "note(question); assert 'row' not in question, 'down'"))
    for counts in (["made", "Who paints?", "Who rows?"], ["made", "Who rows?"]):
        with pytest.raises(
            LocomoError, match=r"question 1 \('Who rows\?'\), asked for 1: AssertionError: down"
        ):
            asked(found, TALK, 1)
        assert noted(Path("log")) == counts
        Path("log").unlink()


# ---- what it built


SAVING = (
    "def save(self, path): note('saved'); path.write_text(json.dumps([self.sample, self.ids]))",
    "@classmethod",
    "def load(cls, path):",
    "    note('loaded')",
    "    made = cls.__new__(cls)",
    "    made.sample, made.ids = json.loads(path.read_text())",
    "    return made",
)


def test_what_it_built_is_loaded_when_something_is_left_to_ask() -> None:
    found = with_lines(*SAVING)
    for ks, fresh, counts in (
        ([1], False, ["made", "saved", "Who paints?", "Who rows?"]),
        ([1], False, []),  # all is kept
        ([1, 2], False, ["loaded", "Who paints?", "Who rows?"]),
        ([1], True, ["made", "saved", "Who paints?", "Who rows?"]),
    ):
        asked(found, TALK, *ks, fresh=fresh)
        assert noted(Path("log")) == counts
        Path("log").unlink(missing_ok=True)
    other = sessions(["Ada: Tea."], questions=QUESTIONS)
    assert asked(found, other, 1).answers[1]["Who rows?"].ids == ["D1:1"]
    assert noted(Path("log"))[:2] == ["made", "saved"]


def test_a_folder_may_be_saved(here: Path) -> None:
    found = with_lines("def save(self, path): path.mkdir(); (path / 'index').write_text('x')")
    asked(found, TALK, 1)
    asked(found, TALK, 2)  # made again, since it cannot load
    assert noted(Path("log")).count("made") == 2
    (folder,) = (path for path in (here / "cache/locomo-bench/cites").iterdir() if path.is_dir())
    assert [path.read_text() for path in folder.glob("*/index")] == ["x"]


def test_a_save_that_raises_leaves_nothing(here: Path) -> None:
    found = with_lines("def save(self, path): path.mkdir(); (path / 'half').touch(); raise OSError('full')")
    with pytest.raises(LocomoError, match=r"cannot be made for talk: OSError: full \(memories/mine\.py:14\)"):
        asked(found, TALK, 1)
    cites = here / "cache/locomo-bench/cites"
    assert [
        path for path in cites.rglob("*") if path.name != f"{cites.name}" and "sqlite" not in path.name
    ] == [cites / f"mine-{found.sha256[:16]}"]
    allowed = Failures(found, allowed=True, limit=20)
    assert asked(found, TALK, 1, failures=allowed).cost.counts["failed"] == 2


# ---- the file


def test_a_damaged_file_is_named(here: Path) -> None:
    found = plugin(NOTING)
    asked(found, TALK, 1)
    (path,) = (here / "cache/locomo-bench/cites").glob("*.sqlite")
    path.write_bytes(b"no database" * 1000)
    with pytest.raises(LocomoError) as caught:
        asked(found, TALK, 1)
    assert str(caught.value) == (
        f"{path}: what memory mine returned cannot be kept there (file is not a database); remove the file if"
        " it is damaged, or set XDG_CACHE_HOME to another folder"
    )


def test_a_cache_that_cannot_be_written_is_named(here: Path) -> None:
    cache = here / "cache"
    cache.touch()  # a file, since nothing stops root from writing to a folder
    with pytest.raises(LocomoError) as caught:
        asked(plugin(NOTING), TALK, 1)
    assert str(caught.value).startswith(f"{cache}/locomo-bench/cites/mine-")
    assert "cannot be kept there" in str(caught.value) and "XDG_CACHE_HOME" in str(caught.value)


def test_an_error_of_a_memory_that_uses_sqlite_is_its_own() -> None:
    found = plugin(
        NOTING.replace("note(question)", "import sqlite3; sqlite3.connect(':memory:').execute('x')")
    )
    with pytest.raises(LocomoError, match=r"question 0 .*: OperationalError: near \"x\": syntax error \(mem"):
        asked(found, TALK, 1)


def test_any_question_is_kept() -> None:
    found = plugin(NOTING)
    texts = ['Who\'s "that"; DROP TABLE answers?', "\N{GRINNING FACE}?", "a\nb\0c?", "x" * 10_000]
    talk = sessions(["Ada: Tea."], questions=[Question(text, "x", Category.SINGLE_HOP, ()) for text in texts])
    first = asked(found, talk, 1)
    again = asked(found, talk, 1)
    assert list(again.answers[1]) == texts and again.answers == first.answers
    assert kept_and_asked(again) == (4, 0)


KEEP = """
import sys
from helpers.externals import plugin
from locomo.memory.contract import Returned
from locomo.memory.kept import Kept, KeptAnswer
for number in range(40):  # opened each time, as for each conversation
    with Kept.of(plugin("")) as kept:
        kept.add("scope", 1, f"{sys.argv[1]}-{number}", KeptAnswer(Returned([], [], []), 0.0))
"""


def test_several_processes_keep_at_once() -> None:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, (ROOT / "tests", ROOT / "src")))}
    command = [sys.executable, "-c", KEEP]
    running = [
        subprocess.Popen([*command, str(number)], env=environment, stderr=subprocess.PIPE)
        for number in range(4)
    ]
    assert [process.communicate()[1].decode() for process in running] == [""] * 4
    with Kept.of(plugin("")) as found:
        assert len(found.answers("scope", [1])) == 160


def test_an_answer_replaces_an_earlier_one() -> None:
    with Kept.of(plugin("")) as found:
        for score in (1.0, 2.0):
            found.add("scope", 1, "?", KeptAnswer(Returned(["D1:1"], [score], [None]), score))
        assert found.answers("scope", [1]) == {(1, "?"): KeptAnswer(Returned(["D1:1"], [2.0], [None]), 2.0)}
        assert found.answers("scope", [2]) == found.answers("other", [1]) == {}


# ---- what ends a run


SLOW = """
import asyncio, time
class Memory:
    def __init__(self, conversation, vocabulary):
        self.sample, self.ids = conversation.sample_id, [turn.id for turn in conversation.turns]
    def ask(self, question, k):
        time.sleep(0.003)
        with open("log", "a") as file:
            file.write(f"{self.sample} {k} {question}\\n")
        shift = len(question) % len(self.ids)
        return [(id, 1 / (1 + place)) for place, id in enumerate((self.ids[shift:] + self.ids[:shift])[:k])]
"""
AT_ONCE = SLOW.replace("def ask", "async def ask").replace("time.sleep", "await asyncio.sleep")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demonstration set after stages fetch, build and arms, with a slow memory, to be copied."""
    samples = json.loads((ROOT / "demo/conversations.json").read_bytes())
    folder = project(tmp_path_factory.mktemp("made") / "project", samples)
    (folder / "memories/mine.py").write_text(SLOW)
    change(folder, arms=["mine"])
    run(folder, "arms")
    return folder


@pytest.fixture(scope="module")
def uninterrupted(made: Path) -> tuple[dict[str, bytes], Counter[str]]:
    """What stage `ask` writes, and what it asks, if nothing ends it."""
    folder = shutil.copytree(made, made.parent / "uninterrupted")
    run(folder, "ask")
    return written(folder), Counter(noted(folder / "log"))


def written(folder: Path) -> dict[str, bytes]:
    cites = folder / "data/cites"
    return {path.relative_to(cites).as_posix(): path.read_bytes() for path in cites.rglob("*.json")}


def start(folder: Path, **environment: str) -> "subprocess.Popen[str]":
    """Stage `ask` in a process of its own."""
    return subprocess.Popen(
        [sys.executable, ROOT / "src/ask.py"],
        cwd=folder,
        env=os.environ | {"XDG_CACHE_HOME": str(folder / "home")} | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def ended_by(folder: Path, ends: int, **environment: str) -> "subprocess.Popen[str]":
    """The process, ended by a signal when some 60 questions are answered."""
    process = start(folder, **environment)
    until = time.monotonic() + 60
    while len(noted(folder / "log")) < 60:
        assert process.poll() is None and time.monotonic() < until, process.communicate()
        time.sleep(0.002)
    # As a terminal does it: all processes of the run get the signal.
    os.killpg(process.pid, ends)
    return process


def assert_nothing_is_asked_twice(
    folder: Path, uninterrupted: tuple[dict[str, bytes], Counter[str]], at_once: int = 1
) -> None:
    """Run again; at most what was under way when the run ended is asked once more."""
    before = len(noted(folder / "log"))
    process = start(folder)
    told, errors = process.communicate()
    assert process.returncode == 0, errors
    expected, asks = uninterrupted
    assert written(folder) == expected
    log = Counter(noted(folder / "log"))
    assert set(log) == set(asks) and log.total() <= asks.total() + at_once
    cost = json.loads((folder / "metrics/cost.json").read_bytes())["mine"]
    assert cost["calls"] == log.total() - before and cost["calls"] + cost["kept"] == asks.total() == 240
    assert before - at_once <= cost["kept"] <= before
    assert f"mine: {cost['calls']} calls, {cost['kept']} answers kept from earlier runs, 0 failed" in told


def test_a_killed_run_goes_on_where_it_ended(
    made: Path, uninterrupted: tuple[dict[str, bytes], Counter[str]], tmp_path: Path
) -> None:
    folder = shutil.copytree(made, tmp_path / "project")
    assert ended_by(folder, signal.SIGKILL).wait() == -signal.SIGKILL
    assert not (folder / "data/cites").exists() and not (folder / "metrics/cost.json").exists()
    assert_nothing_is_asked_twice(folder, uninterrupted)


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_says_nothing_and_leaves_nothing_half_written(
    made: Path, uninterrupted: tuple[dict[str, bytes], Counter[str]], tmp_path: Path, jobs: str
) -> None:
    folder = shutil.copytree(made, tmp_path / "project")
    process = ended_by(folder, signal.SIGINT, **{parallel.JOBS: jobs})
    assert process.communicate() == ("", "") and process.returncode == 130
    for path in ("data/cites", "data/.new-cites", "metrics/cost.json"):
        assert not (folder / path).exists()
    assert_nothing_is_asked_twice(folder, uninterrupted, int(jobs))


def test_ctrl_c_ends_what_is_asked_at_once(
    made: Path, uninterrupted: tuple[dict[str, bytes], Counter[str]], tmp_path: Path
) -> None:
    folder = shutil.copytree(made, tmp_path / "project")
    (folder / "memories/mine.py").write_text(AT_ONCE)
    run(folder, "arms")
    process = ended_by(folder, signal.SIGINT)
    assert process.communicate() == ("", "") and process.returncode == 130
    before = len(noted(folder / "log"))
    assert start(folder).wait() == 0
    _, asks = uninterrupted
    log = noted(folder / "log")
    assert set(log) == set(asks) and len(log) <= 240 + 8 and len(log[before:]) <= 240 - before + 8


def test_two_processes_ask_and_keep_the_same(
    made: Path, uninterrupted: tuple[dict[str, bytes], Counter[str]], tmp_path: Path
) -> None:
    folder = shutil.copytree(made, tmp_path / "project")
    process = start(folder, **{parallel.JOBS: "2"})
    assert (process.wait(), process.communicate()[1]) == (0, "")
    assert (written(folder), Counter(noted(folder / "log"))) == uninterrupted
    (folder / "log").unlink()
    assert start(folder).wait() == 0
    assert written(folder) == uninterrupted[0] and noted(folder / "log") == []
    assert start(folder, LOCOMO_FRESH="1", **{parallel.JOBS: "2"}).wait() == 0
    assert (written(folder), Counter(noted(folder / "log"))) == uninterrupted

"""External memories: where they are found, and which code they are."""

import hashlib
import pickle
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from locomo.answer.arms import ARMS, as_noted, noted, ordered, select
from locomo.core import paths
from locomo.core.errors import LocomoError
from locomo.core.files import write_json
from locomo.memory import plugins
from locomo.memory.plugins import find
from locomo.reader.gather import GatherReader
from locomo.reader.recite import ReciteReader
from locomo.reader.reply import ReplyReader

Install = Callable[[str, str, dict[str, str]], None]
MINE = "class Memory:\n    def ask(self, question, k):\n        return []\n"


@pytest.fixture(autouse=True)
def memories(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the files, in a project of its own."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "memories"
    folder.mkdir()
    return folder


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Installs a package that brings a memory: its name, its entry point, its files."""
    site = tmp_path / "site"
    monkeypatch.syspath_prepend(str(site))

    def make(package: str, entry: str, files: dict[str, str]) -> None:
        about = site / f"{package}-1.2.dist-info"
        about.mkdir(parents=True)
        about.joinpath("METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.2\n")
        about.joinpath("entry_points.txt").write_text(f"[locomo.memories]\n{entry}\n")
        for name, text in files.items():
            site.joinpath(name).parent.mkdir(parents=True, exist_ok=True)
            site.joinpath(name).write_text(text)

    before = set(sys.modules)
    yield make
    for name in set(sys.modules) - before:
        del sys.modules[name]


def test_a_file_is_a_memory_with_three_readers(memories: Path) -> None:
    (memories / "mine.py").write_text(MINE)
    found = select(["mine+set", "path", "mine", "mine+edge", "vector"])
    # Ours in the order of the table, the others as they are named.
    assert list(found) == ["vector", "path", "mine+set", "mine", "mine+edge"]
    assert list(found) == ordered(["mine+set", "path", "mine", "mine+edge", "vector"])
    assert found["vector"] is ARMS["vector"]
    readers = {name: type(arm.reader) for name, arm in found.items() if arm.plugin}
    assert readers == {"mine": ReplyReader, "mine+edge": ReciteReader, "mine+set": GatherReader}
    (plugin,) = {arm.plugin for arm in found.values() if arm.plugin}
    assert (plugin.name, plugin.where) == ("mine", "memories/mine.py")
    assert plugin.sha256 == hashlib.sha256(MINE.encode()).hexdigest()
    assert not any(arm.reads_graph for arm in found.values() if arm.plugin)


def test_another_process_needs_no_file(memories: Path) -> None:
    path = memories / "my-own_2.py"
    path.write_text(MINE + "from dataclasses import dataclass\n@dataclass\nclass Other: a: 'int'\n")
    sent = pickle.dumps(find("my-own_2"))
    path.unlink()
    kind = pickle.loads(sent).load()
    assert kind.__name__ == "Memory" and kind().ask("", 1) == []
    assert pickle.loads(sent).load() is kind  # once a process


def test_an_edited_file_is_another_memory(memories: Path) -> None:
    (memories / "mine.py").write_text(MINE)
    first = find("mine")
    (memories / "mine.py").write_text(MINE.replace("[]", "[1]"))
    second = find("mine")
    assert first and second and first.sha256 != second.sha256
    assert (first.load()().ask("", 1), second.load()().ask("", 1)) == ([], [1])


def test_an_installed_package_brings_a_memory(install: Install) -> None:
    files = {"acme/__init__.py": "", "acme/deep/own.py": MINE.replace("Memory", "Best")}
    install("acme-memory", "acme = acme.deep.own:Best", files)
    plugin = find("acme")
    assert plugin and (plugin.where, plugin.version) == ("acme-memory", "1.2")
    # By hand: of each file its path and hash, in the order of paths.
    lines = (
        f"{p.removeprefix('acme/')}\0{hashlib.sha256(t.encode()).hexdigest()}\n" for p, t in files.items()
    )
    assert plugin.sha256 == hashlib.sha256("".join(lines).encode()).hexdigest()
    kind = pickle.loads(pickle.dumps(plugin)).load()
    assert kind.__name__ == "Best"
    assert select(["acme+set"])["acme+set"].plugin == plugin


def test_what_a_package_raises_names_its_own_line(install: Install) -> None:
    text = "class Memory:\n    def ask(self, question, k):\n        return [][k]\n"
    install("solo", "solo = solo:Memory", {"solo.py": text})
    plugin = find("solo")
    assert plugin
    with pytest.raises(IndexError) as caught:
        plugin.load()().ask("", 1)
    assert plugin.told(caught.value).startswith("IndexError: list index out of range (")
    assert plugin.told(caught.value).endswith("/solo.py:3)")


def test_a_file_comes_before_a_package(memories: Path, install: Install) -> None:
    install("acme", "mine = acme:Memory", {"acme.py": MINE})
    (memories / "mine.py").write_text(MINE)
    found = find("mine")
    assert found and found.where == "memories/mine.py"


def test_two_packages_with_one_name(install: Install) -> None:
    for package in ("acme", "other"):
        install(package, f"mine = {package}:Memory", {f"{package}.py": MINE})
    with pytest.raises(
        LocomoError, match=r"memory mine: several installed packages have one: .*keep one of them"
    ):
        select(["mine"])


@pytest.mark.parametrize(
    "name", ["min", "mine+sett", "mine+", "Mine", "../mine", "mine.py", "", "+set", "_mine"]
)
def test_what_is_no_arm_is_named_with_what_there_is(memories: Path, install: Install, name: str) -> None:
    (memories / "mine.py").write_text(MINE)
    (memories / "_mine.py").write_text(MINE)
    install("acme", "acme = acme:Memory", {"acme.py": MINE})
    with pytest.raises(LocomoError) as caught:
        select(["mine", name])
    message = str(caught.value)
    assert message.startswith(f"arms: {name}: no such arm; allowed are vector, graph, graph+edge,")
    assert message.endswith("(in memories/: mine; entry points of locomo.memories: acme)")


def test_ours_cannot_be_replaced(memories: Path, install: Install) -> None:
    (memories / "vector.py").write_text(MINE)
    install("acme", "path = acme:Memory", {"acme.py": MINE})
    with pytest.raises(
        LocomoError, match=r"memory vector: memories/vector\.py has the name of one of our memories"
    ):
        select(["vector+set"])
    with pytest.raises(LocomoError, match=r"memory path: acme has the name of one of our memories"):
        select(["path"])
    with pytest.raises(LocomoError, match=r"arms: vector\+edge: no such arm"):  # nor given another reader
        select(["vector+edge"])
    assert list(select(["graph"])) == ["graph"]


@pytest.mark.parametrize("name", ["vector", "other"])
def test_only_external_memories_that_run_may_fail(memories: Path, name: str) -> None:
    (memories / "mine.py").write_text(MINE)
    (memories / "other.py").write_text(MINE)
    arms = select(["vector", "mine+set"], ["mine"])
    assert [arm.may_fail for arm in arms.values()] == [False, True]
    with pytest.raises(LocomoError, match=rf"may_fail: {name}: no external memory .* allowed are mine$"):
        select(["vector", "mine+set"], [name])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = 1\n", "expected a class `Memory` with a method `ask(question, k)`, found nothing of that name"),
        (
            "class Memory:\n    ask = 3\n",
            "expected a class `Memory` with a method `ask(question, k)`, found <class",
        ),
        ("Memory = 3\n", "expected a class `Memory` with a method `ask(question, k)`, found 3"),
        (
            "\nimport no_such_library\n",
            "ModuleNotFoundError: No module named 'no_such_library' (memories/mine.py:2)",
        ),
        ("\n\ndef (:\n", "SyntaxError: invalid syntax (mine.py, line 3) (memories/mine.py:3)"),
        ("def f():\n    1 / 0\n\nf()\n", "ZeroDivisionError: division by zero (memories/mine.py:2)"),
    ],
)
def test_a_file_that_holds_no_memory(memories: Path, text: str, said: str) -> None:
    (memories / "mine.py").write_text(text)
    plugin = find("mine")
    assert plugin
    with pytest.raises(LocomoError) as caught:
        plugin.load()
    assert str(caught.value).startswith("memory mine: memories/mine.py")
    assert said in str(caught.value)


def test_a_long_message_is_cut(memories: Path) -> None:
    assert len(plugins.raised(ValueError("far\n too long " * 100))) < 320
    assert plugins.raised(ValueError("a\n  b")) == "ValueError: a b"
    assert plugins.raised(KeyError()) == "KeyError"


def test_arms_are_those_that_were_noted(memories: Path) -> None:
    with pytest.raises(LocomoError, match=r"arms\.json: is not there; run `dvc repro arms` to make it$"):
        noted()
    (memories / "mine.py").write_text(MINE)
    names = ["mine+set", "path", "vector"]
    write_json(paths.ARMS, as_noted(names, ["mine"]))
    assert list(noted()) == ["vector", "path", "mine+set"] and noted() == select(names, ["mine"])
    (memories / "mine.py").write_text(MINE + "\n")
    with pytest.raises(LocomoError, match=r"memory mine: memories/mine\.py has changed since stage arms ran"):
        noted()
    paths.ARMS.write_text("[]")
    with pytest.raises(LocomoError, match=r"arms\.json: is damaged .*; run `dvc repro arms`"):
        noted()

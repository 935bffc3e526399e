"""Every stage that may take longer than a second shows on a terminal how long the rest will take."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pooch
import pytest

from helpers.clones import PIPELINE
from helpers.shared import ROOT, make_tiny
from helpers.stages import BESIDE, change, project, run
from helpers.terminal import TIME_LEFT, watch

MINE = """
import os, time

class Memory:
    def __init__(self, conversation, vocabulary, fitted):
        self.turns = conversation.turns
        if hangs := os.environ.get("HANGS"):
            time.sleep(20 if conversation.speaker_a == hangs else 0.2)  # long enough for a bar to move

    @classmethod
    def fit(cls, conversations):
        return len(conversations)

    def ask(self, question, k):
        return [(turn.id, 1) for turn in self.turns[:k]]
"""
WITHOUT = {
    "fetch": "shows one only if it downloads: tests/core/test_download.py",
    "arms": "takes less than a second: it asks no memory",
}
"""The stages without a bar."""
BARS = {"ask": ["fit", "ask"], "statistics": ["statistics", "mine"]}
"""The bars of a stage, if it has others than one of its own name."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run over two tiny conversations, both with questions, and with an external memory."""
    first, second = make_tiny()
    samples = [first, second | {"qa": first["qa"]}]
    made = project(tmp_path_factory.mktemp("made"), samples)
    (made / "memories/mine.py").write_text(MINE)
    change(made, arms=["vector", "graph", "mine"])
    run(made, *BESIDE)
    return made


@pytest.fixture
def environment(folder: Path) -> dict[str, str]:
    """Surroundings in which the stages find the dataset and the scorer, and keep no answer."""
    places = [str(folder / "cache"), os.environ.get("LOCOMO_CACHE", ""), str(pooch.os_cache("locomo-bench"))]
    cache = {"LOCOMO_CACHE": os.pathsep.join(places), "XDG_CACHE_HOME": str(folder / "home")}
    return os.environ | cache | {"LOCOMO_FRESH": "1"}


def command(stage: str) -> list[str]:
    return [sys.executable, str(ROOT / PIPELINE[stage]["cmd"].split()[1])]


@pytest.mark.parametrize("stage", [stage for stage in PIPELINE if stage not in WITHOUT])
def test_a_bar_with_the_time_left_on_a_terminal_and_nothing_in_a_pipe(
    folder: Path, environment: dict[str, str], stage: str, request: pytest.FixtureRequest
) -> None:
    if stage == "official":
        request.getfixturevalue("official_code")  # which skips the test where there is none
    piped = subprocess.run(command(stage), cwd=folder, env=environment, capture_output=True, text=True)
    assert (piped.returncode, piped.stderr) == (0, "")

    watched = watch(command(stage), folder, environment)
    assert watched.code == 0, watched.sent
    bars = BARS.get(stage, [stage])
    for name in bars:
        assert re.search(f"\r{name}: +{TIME_LEFT}", watched.sent), watched.sent
    # At the end each bar has a line of its own, and what is printed stands below.
    assert [line.partition(":")[0] for line in watched.screen if "100%|" in line] == bars
    assert "".join(watched.screen[len(bars) :]).split() == "".join(piped.stdout.splitlines()).split()


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_leaves_a_clean_terminal(folder: Path, environment: dict[str, str], jobs: str) -> None:
    """One conversation is done, and the memory hangs in the other."""
    watched = watch(command("ask"), folder, environment | {"HANGS": "Eve", "LOCOMO_JOBS": jobs}, "ask: +50%")
    assert watched.code == 130
    fit, ask, *below = watched.screen
    assert "fit: 100%" in fit and "ask:  50%" in ask
    assert "".join(below).strip() in ("", "^C") and not watched.screen[-1]

"""Bars on a terminal. What each stage shows is tested with the stages."""

import os
import re
import sys
from pathlib import Path

import pytest

from helpers.shared import ROOT
from helpers.terminal import TIME_LEFT, Watched, watch

START = """
from locomo.core import parallel, progress
from locomo.core.errors import LocomoError, run

def count(number):
    with progress.bar("inner", number, leave=False) as bar:
        for _ in range(number):
            bar.update(1)
    return number

def fail(number):
    raise LocomoError("what is wrong")
"""


def shown(tmp_path: Path, code: str, **environment: str) -> Watched:
    script = tmp_path / "script.py"
    script.write_text(f"{START}\ndef main():\n    {code}\n\nif __name__ == '__main__':\n    run(main)\n")
    return watch(
        [sys.executable, script], tmp_path, os.environ | {"PYTHONPATH": str(ROOT / "src")} | environment
    )


def test_a_bar_stays_and_one_within_it_vanishes(tmp_path: Path) -> None:
    watched = shown(tmp_path, "print(sum(parallel.each('outer', count, [(3,), (4,)], 2)))")
    assert watched.code == 0
    outer, *blank, printed, end = watched.screen
    assert outer.startswith("outer: 100%|") and " 2/2 [" in outer
    assert (set(blank), printed, end) == (set(), "7", "")
    assert "inner:   0%|" in watched.sent


def test_workers_show_no_bar_of_their_own(tmp_path: Path) -> None:
    watched = shown(tmp_path, "list(parallel.each('outer', count, [(3,), (4,)], 2))", LOCOMO_JOBS="2")
    assert watched.code == 0
    assert "outer: 100%|" in watched.sent and "inner" not in watched.sent


@pytest.mark.parametrize("code", ["parallel.each('outer', count, [], 0)", "progress.over([], 'outer')"])
def test_without_work_there_is_no_bar(tmp_path: Path, code: str) -> None:
    assert shown(tmp_path, f"list({code})") == Watched(0, "")


@pytest.mark.parametrize(
    "code",
    ["list(parallel.each('outer', fail, [(1,)], 1))", "[fail(x) for x in progress.over([1], 'outer')]"],
)
def test_an_error_stands_on_a_line_of_its_own(tmp_path: Path, code: str) -> None:
    watched = shown(tmp_path, code)
    assert watched.code == 1
    assert watched.screen[1:] == ["error: what is wrong", ""]


def test_the_time_left_is_that_of_the_steps_so_far(tmp_path: Path) -> None:
    """After one of five steps of half a second there are two seconds left."""
    watched = shown(tmp_path, "import time; [time.sleep(0.5) for _ in progress.over(range(5), 'slow')]")
    assert re.search(r"slow:  20%\|.*\| 1/5 \[00:00<00:02, ", watched.sent), watched.sent
    assert re.search(TIME_LEFT, watched.sent)

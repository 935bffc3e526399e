"""`make demo` in a fresh clone, with an empty home, no cache and no network."""

import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

from helpers.clones import PIPELINE, DemoRun, ran


def test_every_stage_runs_and_the_clone_stays_as_it_was(demo_run: DemoRun) -> None:
    assert ran(demo_run.said) == list(PIPELINE)
    assert demo_run.left == ""


def test_page_and_explorer_are_named_at_the_end(demo_run: DemoRun) -> None:
    last = demo_run.said.splitlines()[-2:]
    named = re.findall(r"^(.+): (file://\S+)$", "\n".join(last), re.M)
    assert [what for what, _ in named] == ["Report", "Explorer, every question"]
    for _, address in named:
        made = Path(unquote(urlsplit(address).path)).relative_to(demo_run.folder / "demo/run")
        assert (demo_run.folder / made).stat().st_size > 100_000  # where the fixture keeps it


def test_the_scorer_is_done_without(demo_run: DemoRun) -> None:
    assert "Nothing was rescored; metrics/official.json says so." in demo_run.said
    found = demo_run.json("metrics/official.json")
    assert found["available"] is False and set(found) == {"available", "sha256"}


def test_the_run_fits_a_clone_with_git(demo_run: DemoRun) -> None:
    """DVC finds nothing to do where the folder is a repository of its own."""
    demo_run.assert_as_committed()

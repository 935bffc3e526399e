"""The proof that CI makes of a fresh clone fails when it should; on a pipeline of two small stages."""

import shutil
from pathlib import Path

import pytest
import yaml

from helpers.clones import Clone, environment_as_made, repository
from helpers.shared import ROOT

STAGES = {
    "first": {
        "cmd": "mkdir -p metrics && cp source metrics/first.json",
        "deps": ["source"],
        "outs": [{"metrics/first.json": {"cache": False}}],
    },
    "last": {"cmd": "cp metrics/first.json last", "deps": ["metrics/first.json"], "outs": ["last"]},
}


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    made = repository(tmp_path / "clone")
    made.run("dvc", "init", "--quiet")
    for name in ("Makefile", "requirements.lock", "scripts/check_clone.sh"):
        (made / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, made / name)
    (made / "source").write_text("1\n")
    (made / "dvc.yaml").write_text(yaml.safe_dump({"stages": STAGES}))
    made.run("dvc", "repro", "--quiet")
    made.commit("as it came out")
    return made.within(VENV=str(environment_as_made(tmp_path / "venv")))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("source", "1", "2"), "differs from the commit:  M dvc.lock  M metrics/first.json"),
        (("dvc.yaml", "cp source", "cp nothing"), "failed to reproduce 'first'"),
        (("Makefile", " repro --force", " repro"), "stage 'first' did not run"),
        (("dvc.yaml", "cp source", "date >stray; cp source"), "differs from the commit:  M dvc.lock"),
    ],
    ids=["another-figure", "broken", "skipped", "another-command"],
)
def test_it_fails_when_it_should(clone: Clone, change: tuple[str, str, str], said: str) -> None:
    clone.edit(*change)
    clone.commit("a change")
    last = clone.run("scripts/check_clone.sh", code=1).splitlines()[-1]
    assert last.startswith("check-clone: FAILED: ") and said in last


def test_it_says_when_all_is_well(clone: Clone) -> None:
    last = clone.run("scripts/check_clone.sh").splitlines()[-1]
    commit = clone.run("git", "rev-parse", "HEAD")[:12]
    assert last == f"check-clone: OK: all 2 stages of {commit} ran and gave what is committed"

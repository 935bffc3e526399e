"""What a pull request is told of the metrics: DVC's own difference, of figures changed by hand."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import metrics_diff
from helpers.clones import Clone, repository
from helpers.shared import ROOT
from locomo.score.averages import COLUMNS


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Clone:
    """The pipeline with its metrics as they are, committed, and one arm more, which is in no table now."""
    made = repository(tmp_path_factory.mktemp("metrics") / "clone")
    for path in ("metrics", ".dvc/config", "dvc.yaml", "dvc.lock", "params.yaml"):
        (made / path).parent.mkdir(exist_ok=True)
        copy = shutil.copytree if (ROOT / path).is_dir() else shutil.copy
        copy(ROOT / path, made / path)
    for name, column in (("graph", "temporal"), ("span", "overall"), ("vector", "multi_hop")):
        edit(made / f"metrics/f1/{name}.json", {column: 0.25})
    (made / "metrics/f1/ancient.json").write_text(json.dumps(dict.fromkeys(COLUMNS, 0.5)))
    made.commit("as it was")
    return made


@pytest.fixture
def tree(clone: Clone, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The repository to change at will, as the current folder."""
    monkeypatch.chdir(clone.folder)
    for name in set(os.environ) - clone.environment.keys():
        monkeypatch.delenv(name)
    monkeypatch.setenv("DVC_SITE_CACHE_DIR", clone.environment["DVC_SITE_CACHE_DIR"])
    monkeypatch.setattr("sys.argv", ["metrics_diff.py"])
    yield clone.folder
    clone.run("git", "restore", "metrics")
    clone.run("git", "clean", "--quiet", "--force", "metrics")


def edit(path: Path, values: dict[str, Any]) -> None:
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | values))


def cells(output: str) -> list[list[str]]:
    """The cells of each line of the tables, less the rulers."""
    lines = [line for line in output.splitlines() if line.startswith("|") and "---" not in line]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_what_changed_is_grouped_and_sorted(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    f1 = tree / "metrics/f1"
    edit(tree / "metrics/recall/vector.json", {"overall": None})
    edit(f1 / "span.json", {"overall": 0.125})
    edit(f1 / "graph.json", {"temporal": 0.250012})
    edit(f1 / "vector.json", {"multi_hop": 0.2505})
    (f1 / "ancient.json").unlink()
    (f1 / "brand-new.json").write_text(json.dumps({"overall": 1.0}))
    metrics_diff.main()
    output = capsys.readouterr().out
    assert output.startswith("### Metrics against `HEAD`\n\n| f1 ")
    was = json.loads((ROOT / "metrics/recall/vector.json").read_text(encoding="utf-8"))["overall"]
    empty = dict.fromkeys(COLUMNS, "")
    assert cells(output) == [
        ["f1", *COLUMNS],
        ["vector", *(empty | {"multi_hop": "0.251 (+0.001)"}).values()],
        ["graph", *(empty | {"temporal": "0.250 (+0.000012)"}).values()],
        ["span", *(empty | {"overall": "0.125 (-0.125)"}).values()],
        ["ancient", *["none (was 0.500)"] * len(COLUMNS)],
        ["brand-new", *(empty | {"overall": "1.000 (was none)"}).values()],
        ["recall", *COLUMNS],
        ["vector", *(empty | {"overall": f"none (was {was:.3f})"}).values()],
    ]


def test_no_difference(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    metrics_diff.main()
    assert capsys.readouterr().out == "### Metrics against `HEAD`\n\nNo figure differs.\n"


def test_an_unknown_revision_is_told_and_dvc_need_not_be_on_path(tree: Path, tmp_path: Path) -> None:
    (tmp_path / "git").symlink_to(shutil.which("git") or pytest.fail("no git"))
    done = subprocess.run(
        [sys.executable, ROOT / "scripts/metrics_diff.py", "no-such-revision"],
        env=os.environ | {"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("error: dvc metrics diff --json no-such-revision: ")
    assert "unknown Git revision 'no-such-revision'" in done.stderr and "Traceback" not in done.stderr


def test_figures_from_before_the_renaming_are_paired_with_those_of_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`abstained` was `quiet`; both sides of such a figure stand in one cell."""
    clone = repository(tmp_path / "clone")
    clone.run("dvc", "init", "--quiet")
    same, moved = {"answerable": 0.25, "overall": 0.5}, {"answerable": 0.25, "overall": 0.625}
    for folder, means in (
        ("quiet", {"path": same, "graph": same}),
        ("abstained", {"path": same, "graph": moved}),
    ):
        for old in ("quiet", "abstained"):
            shutil.rmtree(clone / "metrics" / old, ignore_errors=True)
        (clone / "metrics" / folder).mkdir(parents=True)
        for arm, row in means.items():
            (clone / f"metrics/{folder}/{arm}.json").write_text(json.dumps(row))
        stage = {"cmd": "true", "metrics": [{f"metrics/{folder}": {"cache": False}}]}
        (clone / "dvc.yaml").write_text(json.dumps({"stages": {"score": stage}}))
        clone.commit(f"with {folder}")
    monkeypatch.chdir(clone.folder)
    monkeypatch.setattr("sys.argv", ["metrics_diff.py", "HEAD~1"])
    metrics_diff.main()
    (head, *rows) = cells(capsys.readouterr().out)
    assert head == ["abstained", *COLUMNS]
    assert rows == [["graph", *("0.625 (+0.125)" if column == "overall" else "" for column in COLUMNS)]]

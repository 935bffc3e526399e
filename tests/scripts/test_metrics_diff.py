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
from helpers.shared import ROOT
from locomo.score.averages import COLUMNS


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pipeline with its metrics as they are, committed, and one arm more, which is in no table now."""
    folder = tmp_path_factory.mktemp("repository")
    for path in ("metrics", ".dvc/config", "dvc.yaml", "dvc.lock", "params.yaml"):
        (folder / path).parent.mkdir(exist_ok=True)
        copy = shutil.copytree if (ROOT / path).is_dir() else shutil.copy
        copy(ROOT / path, folder / path)
    for name, column in (("graph", "temporal"), ("span", "overall"), ("vector", "multi_hop")):
        edit(folder / f"metrics/f1/{name}.json", {column: 0.25})
    (folder / "metrics/f1/ancient.json").write_text(json.dumps(dict.fromkeys(COLUMNS, 0.5)))
    for command in (
        ["init", "--quiet"],
        ["add", "--all"],
        ["-c", "user.name=Test", "-c", "user.email=test@example.org", "commit", "--quiet", "--message", "x"],
    ):
        subprocess.run(["git", *command], cwd=folder, env=environment(folder), check=True)
    return folder


def environment(folder: Path) -> dict[str, str]:
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("GIT_", "DVC_"))}
    return inherited | {"DVC_SITE_CACHE_DIR": str(folder.parent / "site")}


@pytest.fixture
def tree(repository: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The repository to change at will, as the current folder."""
    monkeypatch.chdir(repository)
    for name in set(os.environ) - environment(repository).keys():
        monkeypatch.delenv(name)
    monkeypatch.setenv("DVC_SITE_CACHE_DIR", environment(repository)["DVC_SITE_CACHE_DIR"])
    monkeypatch.setattr("sys.argv", ["metrics_diff.py"])
    yield repository
    subprocess.run(["git", "restore", "metrics"], check=True)
    subprocess.run(["git", "clean", "--quiet", "--force", "metrics"], check=True)


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

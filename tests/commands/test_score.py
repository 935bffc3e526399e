"""`locomo score` anywhere: in a folder without a run, beside the arms that come with the package."""

import json
from pathlib import Path
from typing import Any

import pytest

from helpers.given import Record, as_lines, found, printed, refused
from helpers.shared import FIGURES
from locomo import __version__
from locomo.answer.arms import ARMS
from locomo.core import paths
from locomo.score.averages import COLUMNS

VECTOR = FIGURES["tables"]["main"]["vector"]


@pytest.fixture
def mine(ran: Path, dataset_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What `vector` answered, in a folder with nothing else."""
    samples: list[dict[str, Any]] = json.loads((ran / paths.PREDICTIONS).read_bytes())
    records: list[Record] = [
        {
            "sample_id": sample["sample_id"],
            "question": question["question"],
            "prediction": question["vector_prediction"],
            "context": question["vector_prediction_context"],
            "confidence": question["vector_prediction_confidence"],
        }
        for sample in samples
        for question in sample["qa"]
    ]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LOCOMO_CACHE", str(dataset_path.parent.parent))
    return as_lines(Path("mine.jsonl"), records)


def test_the_published_arms_stand_beside(mine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    comparison = found(capsys, mine)
    assert list(comparison["f1"]) == ["mine", *ARMS, "(abstention)"]
    for measure in ("f1", "recall"):
        assert comparison[measure]["mine"] == comparison[measure]["vector"]
        rounded = {name: round(comparison[measure]["mine"][name], 3) for name in COLUMNS}
        assert rounded == {name: cells[measure] for name, cells in VECTOR.items()}
    assert comparison["separation"]["mine"] == comparison["separation"]["vector"]
    assert list(Path.cwd().iterdir()) == [Path.cwd() / mine]  # nothing was written


def test_the_same_is_printed_as_beside_a_run(
    mine: Path, ran: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = mine.absolute()
    here = printed(capsys, path, "--against", "vector", "graph")
    monkeypatch.chdir(ran)
    there = printed(capsys, path, "--against", "vector", "graph")
    published = f"compared with the published arms (locomo-bench {__version__})"
    assert published in here and "compared with data/scores.csv" in there
    assert here.replace(published, "compared with data/scores.csv") == there


def test_recall_of_sessions_is_there_too(mine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    records = [json.loads(line) for line in mine.read_text(encoding="utf-8").splitlines()]
    for record in records:
        record["context"] = [f"session_{id[1:].split(':')[0]}" for id in record["context"]]
    comparison = found(capsys, as_lines(mine, records), "--against", "vector", "span")
    assert comparison["session_recall"]["mine"] == comparison["session_recall"]["vector"]
    assert "recall" not in comparison


def test_without_the_dataset_it_says_where_to_put_it(
    mine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("LOCOMO_CACHE", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.setenv("LOCOMO_OFFLINE", "1")
    message = refused(capsys, mine)
    assert message.startswith("error: data/locomo10.json could not be downloaded:")
    assert "or set LOCOMO_CACHE to a folder that holds it as data/locomo10.json" in message


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--against", "mine"], "error: --against: mine: not in this run; allowed: vector, "),
        (
            ["--prediction-key", "text"],
            "error: mine.jsonl: --prediction-key: no record has 'text'; they have ",
        ),
        (["--judge-key", "text"], "error: mine.jsonl: --judge-key: no record has 'text'; they have "),
        (["--samples", "x=conv-26"], "error: --samples: x: no answer is of it; the file has conv-26, "),
    ],
)
def test_wrong_options(
    options: list[str], message: str, mine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert refused(capsys, mine, *options).startswith(message)

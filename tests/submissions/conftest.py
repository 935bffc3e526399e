"""Fixtures of this room: files, the run of the published tables, and a run of two questions."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from helpers.given import Record, as_json, as_lines
from helpers.ran import MakeRun
from helpers.shared import Answers
from locomo.core import paths
from locomo.formats.dataset import ABSTENTION
from locomo.results.predictions import Answer


@pytest.fixture
def file(tmp_path: Path) -> Callable[[str, Any], Path]:
    """Writes a file of answers: text or bytes as they are, records as JSON or as JSON lines."""

    def write(name: str, content: Any) -> Path:
        path = tmp_path / name
        if isinstance(content, bytes):
            path.write_bytes(content)
        elif isinstance(content, str):
            path.write_bytes(content.encode())
        elif path.suffix == ".jsonl":
            as_lines(path, content)
        else:
            as_json(path, content)
        return path

    return write


@pytest.fixture
def here(ran: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The run of the published tables, as the current folder; read it, don't change it."""
    monkeypatch.chdir(ran)
    return ran


@pytest.fixture(scope="session")
def samples(ran: Path) -> list[Record]:
    """The predictions of that run, sample by sample."""
    read: list[Record] = json.loads((ran / paths.PREDICTIONS).read_bytes())
    return read


def records_of(samples: list[Record], arm: str) -> list[Record]:
    """What an arm of ours answered, as another system would write it down."""
    return [
        {
            "sample_id": sample["sample_id"],
            "question": question["question"],
            "category": question["category"],
            "prediction": question[f"{arm}_prediction"],
            "context": question[f"{arm}_prediction_context"],
            "confidence": question[f"{arm}_prediction_confidence"],
        }
        for sample in samples
        for question in sample["qa"]
    ]


@pytest.fixture
def records(samples: list[Record]) -> list[Record]:
    """What our arm `graph` answered: it never cites more than it finds."""
    return records_of(samples, "graph")


@pytest.fixture
def vector(samples: list[Record]) -> list[Record]:
    """What our arm `vector` answered."""
    return records_of(samples, "vector")


OURS: Answers = {
    "conv-1": {
        "vector": [Answer("a red kayak, nice", ["D1:2", "D1:1"], 0.75), Answer("kayak", ["D1:1"], 0.5)],
        "graph": [Answer("kayak", ["D1:1"], 0.75), Answer(ABSTENTION, [], 0.25)],
    },
    "conv-2": {"vector": [], "graph": []},
}


@pytest.fixture
def small(make_run: MakeRun, tiny: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run of two arms over the two questions of `tiny`, as the current folder."""
    folder = make_run(tiny, OURS)
    monkeypatch.chdir(folder)
    return folder

"""`locomo score` anywhere: in a folder without a run, beside the arms that come with the package."""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from helpers.given import Record, as_lines, found, printed, refused
from helpers.shared import FIGURES
from locomo import __version__
from locomo.answer.arms import ARMS
from locomo.core import paths
from locomo.formats.dataset import Category
from locomo.score.averages import COLUMNS
from locomo.score.measures.f1 import f1

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


# ---- another answer key


@pytest.fixture
def cached(audit_path: Path, dataset_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folders = [str(path.parent.parent) for path in (audit_path, dataset_path)]
    monkeypatch.setenv("LOCOMO_CACHE", os.pathsep.join(folders))


def by_hand(mine: Path, dataset_path: Path, audit_path: Path) -> dict[str, float]:
    """F1 and recall of `mine` on answerable questions: SPEC 11 over the entries of the audit."""
    samples = json.loads(dataset_path.read_bytes())
    entries = {entry["question_id"]: entry for entry in json.loads(audit_path.read_bytes())}
    records = iter([json.loads(line) for line in mine.read_text(encoding="utf-8").splitlines()])
    f1s, recalls = [], []
    for place, sample in enumerate(samples):
        for index, asked in enumerate(sample["qa"]):
            record = next(records)
            entry = entries.get(f"locomo_{place}_qa{index}")
            if asked["category"] == 5 or (entry and entry["error_type"] != "WRONG_CITATION"):
                continue
            evidence = entry["correct_evidence"] if entry else asked["evidence"]
            ids = [f"D{one}:{two}" for id in evidence for one, two in re.findall(r"D:?(\d+):(\d+)", id)]
            f1s.append(f1(Category(asked["category"]), record["prediction"], str(asked["answer"])))
            recalls.append(sum(id in record["context"] for id in ids) / len(ids) if ids else 1.0)
    assert len(f1s) == 1441
    return {"f1": round(sum(f1s) / 1441, 6), "recall": round(sum(recalls) / 1441, 6)}


@pytest.mark.usefixtures("cached")
def test_the_audited_key_beside_the_published_arms(
    mine: Path, dataset_path: Path, audit_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = json.loads(printed(capsys, mine, "--json", "--key", "audited"))
    (comparison,) = report["comparisons"]
    mean = by_hand(mine, dataset_path, audit_path)
    for measure in ("f1", "recall"):
        assert comparison[measure]["mine"] == comparison[measure]["vector"]
        assert comparison[measure]["mine"]["answerable"] == mean[measure]
    assert list(comparison["f1"]) == ["mine", *ARMS, "(abstention)"]
    # Nothing is left that names no turn: what keeps the oracle from 1 is evidence of more than k turns.
    assert {comparison["recall"]["oracle"][name] for name in ("single_hop", "temporal")} == {1.0}
    system = comparison["systems"]["mine"]
    assert system["counts"]["asked"] == system["counts"]["scored"]
    assert system["counts"]["asked"]["answerable"] == 1441
    assert "99 records of questions that the answer key leaves out, not scored" in system["remarks"]
    assert report["answer_key"]["name"] == "audited@f298ef46263f"
    assert report["answer_key"]["questions with a wrong answer left out"] == 99
    for signature in (report["signature"], system["signature"]):
        assert "|data:79fa87e90f04|key:audited@f298ef46263f|" in signature


@pytest.mark.usefixtures("cached")
def test_the_same_key_beside_a_run(
    mine: Path, ran: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Our arms' answers are scored again, except those that were given the run's own key."""
    path = mine.absolute()
    (here,) = json.loads(printed(capsys, path, "--json", "--key", "audited"))["comparisons"]
    monkeypatch.chdir(ran)
    report = json.loads(printed(capsys, path, "--json", "--key", "audited"))
    (there,) = report["comparisons"]
    assert list(there["f1"]) == ["mine", *(arm for arm in ARMS if "oracle" not in arm), "(abstention)"]
    for measure in ("f1", "recall", "abstained"):
        assert there[measure] == {arm: here[measure][arm] for arm in there[measure]}
    assert report["compared_with"] == (
        "data/predictions.json, scored by this key"
        " (without oracle, oracle+set: they cite the evidence of the key published)"
    )
    assert printed(capsys, path, "--key", "published") == printed(capsys, path)


def test_a_corrected_copy_as_the_key(
    mine: Path,
    fork_path: Path,
    ran: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = mine.absolute()
    report = json.loads(printed(capsys, path, "--json", "--key", fork_path))
    (comparison,) = report["comparisons"]
    assert list(comparison["f1"]) == ["mine", "(abstention)"]  # no reply of ours comes with the package
    assert report["compared_with"].startswith("no arm of ours: to have them scored by this key")
    signature = comparison["systems"]["mine"]["signature"]
    assert "|data:79fa87e90f04|key:file@8f941d1c22ab|" in signature and "|scored:1979|" in signature
    assert "questions that it does not have left out" in printed(capsys, path, "--key", fork_path)
    monkeypatch.chdir(ran)
    (there,) = json.loads(printed(capsys, path, "--json", "--key", fork_path))["comparisons"]
    assert there["f1"]["mine"] == there["f1"]["vector"] == comparison["f1"]["mine"]
    assert there["recall"]["mine"] == there["recall"]["vector"] == comparison["recall"]["mine"]


def test_a_key_that_cannot_be_read(mine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    message = refused(capsys, mine, "--key", "audit")
    assert message == "error: audit: is no file; a key is published, audited or a file"

"""Our arms' scores, of the run in the current folder or as the package ships them."""

import gzip
import json
import re
import shutil
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from helpers.ran import MakeRun
from helpers.shared import ROOT
from locomo import __version__
from locomo.answer.arms import ARMS
from locomo.core import paths, settings
from locomo.core.errors import LocomoError
from locomo.formats.dataset import Category, Question
from locomo.results.predictions import Answer, Texts
from locomo.score.measures import MEASURES
from locomo.score.measures.recall import sessions
from locomo.submissions import ours
from locomo.submissions.sessions import session_recall

PUBLISHED = files("locomo") / "published"


@pytest.fixture
def run(ran: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the run of the published tables, as the current folder."""
    folder = tmp_path / "run"
    shutil.copytree(ran, folder)
    monkeypatch.chdir(folder)
    return folder


# ---- what the package ships


def test_the_published_arms_are_those_of_a_default_run(
    run: Path, dataset_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every score of every answer, to the last bit."""
    there = ours.with_session_recall(ours.load())
    monkeypatch.chdir(run.parent)
    monkeypatch.setenv("LOCOMO_CACHE", str(dataset_path.parent.parent))
    here = ours.load()
    assert list(here.scores) == list(there.scores) == list(ARMS)
    assert sum(len(scores) for scores in here.scores.values()) == 15 * 1986
    for arm, scores in there.scores.items():
        assert list(here.scores[arm].items()) == list(scores.items()), f"{arm}: run `make published`"
    assert here.signature == there.signature and here.conversations == there.conversations
    assert (here.where, there.where) == (
        f"the published arms (locomo-bench {__version__})",
        "data/scores.csv",
    )


@pytest.mark.parametrize(("key", "questions"), [("published", 1986), ("audited", 1887)])
def test_they_hold_no_text_of_the_dataset(key: str, questions: int) -> None:
    header, *rows = gzip.decompress((PUBLISHED / f"{key}.csv.gz").read_bytes()).decode().splitlines()
    words = {word for cell in header.split(",") for word in cell.split()}
    assert words == {"sample", "question", "session_recall", "confidence", *MEASURES, *ARMS}
    assert len(rows) == questions
    assert all(re.fullmatch(r"conv-\d+,\d+(,\d(\.\d+)?(e-\d+)?)+", row) for row in rows)


def test_their_dataset_is_that_of_the_settings() -> None:
    run = json.loads((PUBLISHED / "run.json").read_bytes())
    assert run["dataset"] == settings.load(ROOT / paths.PARAMS).dataset.model_dump()


def test_without_the_dataset_the_error_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LOCOMO_OFFLINE", "1")
    monkeypatch.setenv("LOCOMO_CACHE", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(LocomoError, match="set LOCOMO_CACHE to a folder that holds it"):
        ours.load()


# ---- the run in the current folder


def test_a_run_has_recall_by_session_only_where_it_is_asked_for(run: Path) -> None:
    score = ours.load().scores["graph"]["conv-26", 0]
    assert list(score.values) == list(MEASURES)
    run.joinpath(paths.PREDICTIONS).unlink()
    assert ours.load().scores["graph"]["conv-26", 0] == score
    with pytest.raises(LocomoError, match=r"data/predictions\.json: is not there"):
        ours.with_session_recall(ours.load())


@pytest.mark.parametrize("path", [paths.DATASET, paths.SCORES, paths.PREDICTIONS])
def test_files_of_different_runs_are_refused(run: Path, path: Path) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write("\n")
    with pytest.raises(LocomoError, match=f"{path}: is of another run"):
        ours.with_session_recall(ours.load())


def test_an_external_memory_that_cites_sessions_has_no_other_recall(
    make_run: MakeRun, tiny: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = {
        "halls": [Answer("x", ["S2"], 0.5), Answer("x", ["S2", "S1"], 0.5)],
        "notes": [Answer("x", Texts(["D1:1", "Ada, a boat."]), 0.5), Answer("x", ["D1:2"], 0.5)],
    }
    folder = make_run(tiny, {"conv-1": answers, "conv-2": {"halls": [], "notes": []}})
    monkeypatch.chdir(folder)
    signed = json.loads(paths.SIGNATURES.read_bytes())
    signed |= {arm: f"{signed[arm]}|memory:{arm}@{'ab' * 6}" for arm in answers}
    paths.SIGNATURES.write_text(json.dumps(signed), encoding="utf-8")
    # The evidence of both questions is D1:1. As text, so that NaN equals NaN.
    found = {
        arm: [str((one.values["recall"], one.values["session_recall"])) for one in of_arm.values()]
        for arm, of_arm in ours.load().scores.items()
    }
    assert found == {"halls": ["(nan, 0.0)", "(nan, 1.0)"], "notes": ["(nan, nan)", "(0.0, 1.0)"]}


# ---- recall by session


def test_recall_by_session_by_hand() -> None:
    asked = Question("Where?", "here", Category.SINGLE_HOP, ("D3:9", "(D2:1)", "D3:1", "D30:1"))
    assert sessions(["D3:5", "D30:2", "D3:7", "D1:2"]) == ["S3", "S30", "S1"]
    assert session_recall(asked, sessions(["D3:5", "D1:1", "D3:7"])) == 2 / 4
    assert session_recall(asked, ["S2", "S3", "S30"]) == 1
    assert session_recall(asked, []) == 0
    assert session_recall(Question("Where?", "here", Category.SINGLE_HOP, ()), ["S1"]) == 1


def test_recall_by_session_is_at_least_that_by_turn(run: Path) -> None:
    found = ours.with_session_recall(ours.load())
    scores = [score for of_arm in found.scores.values() for score in of_arm.values()]
    assert all(score.values["session_recall"] >= score.values["recall"] for score in scores)


def test_recall_by_session_of_some_answers_counted_otherwise(run: Path) -> None:
    """By comparing the part before the colon of each evidence id with that of each cited turn."""
    found = ours.with_session_recall(ours.load()).scores
    for sample in json.loads(paths.PREDICTIONS.read_bytes()):
        for place, asked in enumerate(sample["qa"]):
            evidence = [id.strip("()").split(":")[0] for id in asked["evidence"]]
            key = sample["sample_id"], place
            for arm in ("graph", "path+set", "walk3"):
                context = {id.split(":")[0] for id in asked[f"{arm}_prediction_context"]}
                expected = sum(one in context for one in evidence) / len(evidence) if evidence else 1.0
                assert found[arm][key].values["session_recall"] == expected, key

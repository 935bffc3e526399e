"""The folder of a run, as `dvc repro` leaves it, made without DVC."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from helpers.clones import made_once
from helpers.shared import ROOT, Answers, Benchmark
from locomo.core import paths, settings
from locomo.core.files import digest
from locomo.formats import dataset, keys
from locomo.formats.answer_key import AnswerKey
from locomo.formats.built import Built
from locomo.reader.base import ReaderSettings
from locomo.results import predictions
from locomo.results.provenance import Provenance, SignedRun
from locomo.results.scores import write_scores
from locomo.score import scoring
from locomo.score.measures import MEASURES
from locomo.score.signature import signature

PROVENANCE = Provenance.of(
    Built("ab" * 32, infer=True), keys.PUBLISHED, blind=False, k=5, floor=0.3, span=4, band=0.9, parts=2
)
"""That of answers at the default settings from a dataset that nobody has."""

MakeRun = Callable[[list[dict[str, Any]], Answers], Path]


@pytest.fixture(scope="session")
def ran(dataset_path: Path, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run of the published tables, one for all test processes; read it, don't change it."""

    def make(folder: Path) -> None:
        folder.joinpath(paths.DATA).mkdir()
        shutil.copy(dataset_path, folder / paths.DATASET)
        benchmark: Benchmark = request.getfixturevalue("benchmark")
        _fill(folder, benchmark.conversations, request.getfixturevalue("answers"))

    return made_once(tmp_path_factory, "ran", make)


@pytest.fixture
def make_run(tmp_path: Path) -> MakeRun:
    """Makes the folder of a run that gave these answers to the questions of a dataset, such as `tiny`."""

    def make(samples: list[dict[str, Any]], answers: Answers) -> Path:
        path = tmp_path / paths.DATASET
        path.parent.mkdir()
        path.write_text(json.dumps(samples), encoding="utf-8")
        _fill(tmp_path, list(dataset.read(path)), answers)
        return tmp_path

    return make


def _fill(folder: Path, conversations: list[dataset.Conversation], answers: Answers) -> None:
    path = folder / paths.PREDICTIONS
    chosen = settings.load(ROOT / paths.PARAMS)
    built = Built(digest(folder / paths.DATASET), chosen.infer)
    key = AnswerKey(keys.PUBLISHED, built.dataset)
    key.save(folder / paths.KEY)
    provenance = Provenance.of(built, key.name, blind=chosen.blind, **ReaderSettings.of(chosen)._asdict())
    predictions.write(
        path, (predictions.as_sample(c, answers[c.sample_id], provenance) for c in conversations)
    )
    scores = list(scoring.score(conversations, predictions.read(path)))
    write_scores(folder / paths.SCORES, list(MEASURES), scores)
    signatures = {arm: signature(provenance, arm) for arm in dict.fromkeys(score.arm for score in scores)}
    signed = SignedRun(
        provenance, digest(folder / paths.KEY), digest(path), digest(folder / paths.SCORES), signatures
    )
    signed.write(folder / paths.SIGNATURES)

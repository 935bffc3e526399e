"""What several test files share: where things are, the real dataset, and a tiny invented one."""

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from locomo.answer.arms import ARMS, select
from locomo.answer.asking import answer
from locomo.core.download import Pinned, fetch
from locomo.core.errors import LocomoError
from locomo.core.settings import PinnedDataset, load
from locomo.formats import dataset
from locomo.formats.keys import FOLDER
from locomo.formats.store import Store
from locomo.index.indexer import build
from locomo.official.scorer import load_code
from locomo.reader.base import ReaderSettings
from locomo.results.predictions import Answer, by_question
from locomo.score import scoring
from locomo.score.averages import Table

ROOT = Path(__file__).resolve().parents[2]
FIGURES = json.loads(ROOT.joinpath("tests/data/figures.json").read_text(encoding="utf-8"))
"""What was published, at the precision it was published with."""

NO_FILE = "{0.place} is in no cache folder: set LOCOMO_CACHE to one that holds it, from {0.address}"

Answers = dict[str, dict[str, list[Answer]]]
"""By conversation, then by arm: the answers to its questions, in order."""


FORK = Pinned(
    "https://raw.githubusercontent.com/dial481/locomo",
    "main",
    "data/locomo10.json",
    2_804_832,
    "8f941d1c22ab3dee4cb72521fbccc82d24c30208590a15b0b4005a2f927ff769",
    "forks/dial481/locomo",
)


def _at_hand(pinned: Pinned) -> Path:
    try:
        return fetch(pinned)
    except LocomoError:
        pytest.skip(NO_FILE.format(pinned))


@pytest.fixture(scope="session")
def dataset_path() -> Path:
    """The real dataset, from LOCOMO_CACHE, the user's cache or the network; skips without it."""
    dataset = load(ROOT / "params.yaml").dataset
    assert isinstance(dataset, PinnedDataset)
    return _at_hand(dataset.pinned())


@pytest.fixture(scope="session")
def audit_path() -> Path:
    """The public audit, from LOCOMO_CACHE, the user's cache or the network; skips without it."""
    return _at_hand(load(ROOT / "params.yaml").audit.pinned(FOLDER))


@pytest.fixture(scope="session")
def fork_path() -> Path:
    """A corrected copy of the dataset that others made; skips without it."""
    return _at_hand(FORK)


@dataclass(frozen=True)
class Benchmark:
    """All conversations as built, to be asked at any settings; the defaults are those of SPEC 10."""

    conversations: list[dataset.Conversation]
    stores: list[Store]
    counts: list[dict[str, int]]

    @classmethod
    def build(cls, conversations: list[dataset.Conversation], infer: bool) -> "Benchmark":
        stores, counts = zip(*(build(conversation, infer) for conversation in conversations), strict=True)
        return cls(conversations, list(stores), list(counts))

    def answers(
        self,
        arms: Iterable[str] = ARMS,
        *,
        k: int = 5,
        floor: float = 0.3,
        band: float = 0.9,
        parts: int = 2,
        blind: bool = False,
    ) -> Answers:
        selected, reading = select(arms), ReaderSettings(k, floor, 4, band, parts)
        return {
            conversation.sample_id: answer(
                conversation, store.blinded() if blind else store, selected, reading
            )
            for conversation, store in zip(self.conversations, self.stores, strict=True)
        }

    def tables(self, answers: Answers) -> dict[str, Table]:
        samples = ((sample, by_question(arms)) for sample, arms in answers.items())
        return scoring.tables(scoring.score(self.conversations, samples))


@pytest.fixture(scope="session")
def benchmark(dataset_path: Path) -> Benchmark:
    return Benchmark.build(list(dataset.read(dataset_path)), infer=True)


@pytest.fixture(scope="session")
def answers(benchmark: Benchmark) -> Answers:
    """Every arm's answers at the settings of the published tables."""
    return benchmark.answers()


@pytest.fixture(scope="session")
def official_code() -> ModuleType:
    """The official scorer; skips without it, or fails if LOCOMO_REQUIRE_OFFICIAL is 1."""
    pinned = load(ROOT / "params.yaml").scorer.pinned()
    try:
        return load_code(pinned)
    except LocomoError as error:
        if os.environ.get("LOCOMO_REQUIRE_OFFICIAL") == "1":
            pytest.fail(f"LOCOMO_REQUIRE_OFFICIAL is 1, but {error}")
        pytest.skip(NO_FILE.format(pinned))


@pytest.fixture
def tiny() -> list[dict[str, Any]]:
    """A valid dataset of two conversations, none of it from LoCoMo; changed at will by a test."""
    return make_tiny()


def make_tiny() -> list[dict[str, Any]]:
    return [
        {
            "sample_id": "conv-1",
            "conversation": {
                "speaker_a": "Ada",
                "speaker_b": "Bob",
                "session_1_date_time": "9:05 am on 31 January, 2024",
                "session_1": [
                    {"speaker": "Ada", "dia_id": "D1:1", "text": "I bought a kayak."},
                    {
                        "speaker": "Bob",
                        "dia_id": "D1:2",
                        "text": "Nice!",
                        "blip_caption": "a red kayak",
                        "query": "kayak",
                    },
                ],
                "session_2_date_time": "12:30 pm on 1 March, 2024",
                "session_2": [{"speaker": "Bob", "dia_id": "D2:1", "text": "My cat is called Max."}],
            },
            "qa": [
                {"question": "What did Ada buy?", "answer": "kayak", "category": 4, "evidence": ["D1:1"]},
                {
                    "question": "What did Bob sell?",
                    "adversarial_answer": "a kayak",
                    "category": 5,
                    "evidence": ["D1:1"],
                },
            ],
        },
        {
            "sample_id": "conv-2",
            "conversation": {
                "speaker_a": "Eve",
                "speaker_b": "Dan",
                "session_1_date_time": "12:00 am on 2 May, 2024",
                "session_1": [{"speaker": "Eve", "dia_id": "D1:1", "text": "Hello, Dan."}],
            },
            "qa": [],
        },
    ]

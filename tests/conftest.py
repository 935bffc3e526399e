"""What several test files share: where things are, the real dataset, and a tiny invented one."""

from pathlib import Path
from typing import Any

import pytest

from locomo.download import Pinned, fetch
from locomo.errors import LocomoError
from locomo.settings import load

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def dataset_path() -> Path:
    """The real dataset, from LOCOMO_CACHE, the user's cache or the network; skips without it."""
    pinned = Pinned(**load(ROOT / "params.yaml").dataset.model_dump())
    try:
        return fetch(pinned)
    except LocomoError:
        pytest.skip(f"no {pinned.path}: set LOCOMO_CACHE to a folder that holds it, from {pinned.address}")


@pytest.fixture
def tiny() -> list[dict[str, Any]]:
    """A valid dataset of two conversations, none of it from LoCoMo; changed at will by a test."""
    return [
        {
            "sample_id": "conv-1",
            "conversation": {
                "speaker_a": "Ada",
                "speaker_b": "Bob",
                "session_1_date_time": "9:05 am on 31 January, 2024",
                "session_1": [
                    {"speaker": "Ada", "dia_id": "D1:1", "text": "I bought a kayak."},
                    {"speaker": "Bob", "dia_id": "D1:2", "text": "Nice!", "blip_caption": "a red kayak"},
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

"""The line that stands beside a quoted figure."""

import pytest

from helpers.shared import ROOT
from locomo import __version__
from locomo.core import paths
from locomo.core.settings import Settings, load
from locomo.results.predictions import Origin
from locomo.score.signature import of_memory, signature

SETTINGS = load(ROOT / paths.PARAMS)


def test_the_signature_of_the_defaults() -> None:
    # SPEC 1's SHA-256 and SPEC 10's defaults.
    assert signature(SETTINGS, "graph+edge") == (
        f"locomo-bench:{__version__}|data:79fa87e90f04|k:5|floor:0.3|span:4|band:0.9|parts:2"
        "|blind:no|infer:yes|arm:graph+edge"
    )


@pytest.mark.parametrize(
    ("key", "value", "part"),
    [
        ("k", 20, "|k:20|"),
        ("floor", 0.0, "|floor:0.0|"),
        ("floor", 0.00001, "|floor:1e-05|"),
        ("span", 7, "|span:7|"),
        ("band", 1.0, "|band:1.0|"),
        ("parts", 1, "|parts:1|"),
        ("blind", True, "|blind:yes|"),
        ("infer", False, "|infer:no|"),
    ],
)
def test_every_setting_that_changes_an_answer_shows(key: str, value: object, part: str) -> None:
    changed = SETTINGS.model_copy(update={key: value})
    assert part in signature(changed, "path")
    assert part not in signature(SETTINGS, "path")


def test_no_setting_is_left_out() -> None:
    # The values of a sweep, the arms beside this one and the official scorer change no answer of it; where a
    # memory that may fail does, the signature has the number of failures.
    named = {part.split(":")[0] for part in signature(SETTINGS, "path").split("|")}
    assert named == (set(Settings.model_fields) - {"dataset", "scorer", "arms", "may_fail", "sweep"}) | {
        "locomo-bench",
        "data",
        "arm",
    }


def test_an_external_memory_shows_and_how_often_it_failed() -> None:
    origins = {
        "mine": Origin("memories/mine.py", "", "ab" * 32, False),
        "acme": Origin("acme-memory", "1.2", "cd" * 32, True),
    }
    counts = {"mine+set": {"scored": 1940, "failed": 46}}
    assert of_memory("vector", origins, counts) == {}
    assert of_memory("mine", origins, counts) == {"memory": "mine@abababababab"}
    assert of_memory("acme+edge", origins, counts) == {"memory": "acme@1.2+cdcdcdcdcdcd"}
    found = signature(SETTINGS, "mine+set", **of_memory("mine+set", origins, counts))
    assert found.endswith("|arm:mine+set|memory:mine@abababababab|failed:46")


def test_other_data_shows() -> None:
    source = SETTINGS.dataset.model_copy(update={"sha256": "ab" * 32})
    assert "|data:abababababab|" in signature(SETTINGS.model_copy(update={"dataset": source}), "path")


def test_which_arms_ran_beside_it_does_not_matter() -> None:
    alone = SETTINGS.model_copy(update={"arms": ("path",)})
    assert signature(alone, "path") == signature(SETTINGS, "path")

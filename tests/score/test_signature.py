"""The line that stands beside a quoted figure."""

from dataclasses import replace

import pytest

from helpers.ran import PROVENANCE
from locomo.core.settings import Settings
from locomo.results.predictions import Origin
from locomo.results.provenance import SETTINGS
from locomo.score.signature import of_memory, signature

# SPEC 1's SHA-256, at SPEC 10's defaults.
DATASET = "79fa87e90f04081343b8c8debecb80a9a6842b76a7aa537dc9fdf651ea698ff4"
DEFAULTS = replace(PROVENANCE, version="0.1.0", dataset=DATASET)


def test_the_signature_of_the_defaults() -> None:
    assert signature(DEFAULTS, "graph+edge") == (
        "locomo-bench:0.1.0|data:79fa87e90f04|key:published|k:5|floor:0.3|span:4|band:0.9|parts:2"
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
    changed = replace(DEFAULTS, settings={**DEFAULTS.settings, key: value})
    assert part in signature(changed, "path")
    assert part not in signature(DEFAULTS, "path")


def test_no_setting_is_left_out() -> None:
    # The values of a sweep, the arms beside this one and the official scorer change no answer of it; where a
    # memory that may fail does, the signature has the number of failures. Dataset and key stand as hashes.
    others = {"dataset", "answer_key", "audit", "scorer", "arms", "may_fail", "failures_in_a_row", "sweep"}
    changing = set(Settings.model_fields) - others
    named = {part.split(":")[0] for part in signature(DEFAULTS, "path").split("|")}
    assert named == changing | {"locomo-bench", "data", "key", "arm"}
    assert set(SETTINGS) == changing


def test_a_varied_setting_stands_in_its_place() -> None:
    assert "|k:5|floor:*|span:4|" in signature(DEFAULTS, "<arm>", floor="*")
    assert "|k:20|floor:0|span:4|" in signature(DEFAULTS, "<memory>", k="20", floor=0)


def test_an_external_memory_shows_and_how_often_it_failed() -> None:
    origins = {
        "mine": Origin("memories/mine.py", "", "ab" * 32, False),
        "acme": Origin("acme-memory", "1.2", "cd" * 32, True),
    }
    counts = {"mine+set": {"scored": 1940, "failed": 46}}
    assert of_memory("vector", origins, counts) == {}
    assert of_memory("mine", origins, counts) == {"memory": "mine@abababababab"}
    assert of_memory("acme+edge", origins, counts) == {"memory": "acme@1.2+cdcdcdcdcdcd"}
    found = signature(DEFAULTS, "mine+set", **of_memory("mine+set", origins, counts))
    assert found.endswith("|arm:mine+set|memory:mine@abababababab|failed:46")


def test_other_data_another_key_and_another_version_show() -> None:
    changed = replace(DEFAULTS, dataset="ab" * 32, key=f"audited@{'cd' * 6}", version="9.9")
    found = signature(changed, "path")
    assert found.startswith("locomo-bench:9.9|data:abababababab|key:audited@cdcdcdcdcdcd|k:5|")

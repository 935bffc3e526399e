"""Where there is no scorer and no network, DVC runs to the end and says that nothing was rescored."""

import hashlib
import json
from typing import Any

import yaml

from helpers.clones import Clone

KEPT = "Nothing was rescored; the committed figures of these very predictions are kept."
GONE = "Nothing was rescored; metrics/official.json says so."
OFFICIAL = "metrics/official.json"


def rescored(clone: Clone) -> dict[str, Any]:
    """What the file says after it was made where there is a scorer, as far as it is looked at."""
    scorer = yaml.safe_load((clone / "params.yaml").read_text(encoding="utf-8"))["scorer"]["sha256"]
    made = {"predictions": "data/predictions.json", "scores": "data/scores.csv"}
    digests = {name: hashlib.sha256((clone / path).read_bytes()).hexdigest() for name, path in made.items()}
    return {"available": True, "sha256": {"scorer": scorer} | digests, "f1_compared": 1800}


def test_committed_figures_are_kept_for_their_own_predictions_alone(demo: Clone) -> None:
    (demo / OFFICIAL).write_text(json.dumps(rescored(demo)), encoding="utf-8")
    assert KEPT in demo.run("dvc", "repro", "--force", "--single-item", "official")
    assert demo.json(OFFICIAL) == rescored(demo)
    demo.edit("params.yaml", "\nfloor: 0.3", "\nfloor: 0.4")
    assert GONE in demo.run("dvc", "repro", "official")
    found = demo.json(OFFICIAL)
    assert found == {"available": False, "sha256": rescored(demo)["sha256"]}


def test_dvc_repro_does_not_pretend_either(demo: Clone) -> None:
    (demo / OFFICIAL).unlink()
    assert GONE in demo.run("dvc", "repro", "official")
    assert demo.json(OFFICIAL)["available"] is False

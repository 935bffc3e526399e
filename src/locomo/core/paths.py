"""The path of each file of a run, relative to the project's folder. No other module spells them."""

from pathlib import Path

PARAMS = Path("params.yaml")
PLUGINS = Path("memories")
"""External memories, one file each."""

DATA = Path("data")
DATASET = DATA / "locomo10.json"
KEY = DATA / "key.json"
ARMS = DATA / "arms.json"
CITES = DATA / "cites"
MEMORIES = DATA / "memories"
PREDICTIONS = DATA / "predictions.json"
SCORES = DATA / "scores.csv"
EXPLORER = DATA / "explorer.html"
EXPORT = DATA / "export"

METRICS = Path("metrics")
BUILD = METRICS / "build.json"
COST = METRICS / "cost.json"
RETRIEVAL = METRICS / "retrieval"
SIGNATURES = METRICS / "signature.json"
OFFICIAL = METRICS / "official.json"
STATISTICS = METRICS / "statistics"
CONTROL = METRICS / "control.json"
REACH = METRICS / "reach.json"
CEILING = METRICS / "ceiling.json"

REPORTS = Path("reports")
SWEEPS = REPORTS / "sweeps"
FIGURES = REPORTS / "figures"
REPORT = REPORTS / "report.md"
PAGE = REPORTS / "index.html"
CATEGORIES = REPORTS / "categories.csv"
EQUAL_ABSTENTION = REPORTS / "equal_abstention.csv"


def metric(measure: str, arm: str) -> Path:
    """The file of an arm's means of a measure."""
    return METRICS / measure / f"{arm}.json"


def sweep(setting: str) -> Path:
    """The table of what a setting was swept over."""
    return SWEEPS / f"{setting}.csv"

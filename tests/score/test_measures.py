"""The registry of measures: a new file is a new measure, everywhere."""

import csv
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

from helpers.ran import MakeRun
from helpers.shared import ROOT, Answers
from locomo.core import paths
from locomo.formats.dataset import ABSTENTION
from locomo.results.predictions import Answer
from locomo.score.measures import MEASURES

CITED = '''"""How many turns are cited."""

from locomo.score.base import Measure

MEASURE = Measure("cited", "Cited: number of turns", 0, "context", lambda asked, context: len(context))
'''
ANSWERS: Answers = {
    "conv-1": {
        "vector": [Answer("kayak", ["D1:2", "D1:1"], 0.75), Answer("kayak", ["D1:1"], 0.5)],
        "graph": [Answer("kayak", ["D1:1"], 0.75), Answer(ABSTENTION, [], 0.25)],
    },
    "conv-2": {"vector": [], "graph": []},
}


def test_a_new_file_is_a_new_column_and_a_new_table(make_run: MakeRun, tiny: list[dict[str, Any]]) -> None:
    folder = make_run(tiny, ANSWERS)
    sources = folder / "src"
    shutil.copytree(ROOT / "src", sources, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / paths.PARAMS, folder)
    (sources / "locomo/score/measures/cited.py").write_text(CITED, encoding="utf-8")
    subprocess.run([sys.executable, sources / "score.py"], cwd=folder, check=True)
    with (folder / paths.SCORES).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    # In its place, which is before all others.
    assert list(rows[0])[4:-1] == ["cited", *MEASURES]
    assert [row["cited"] for row in rows] == ["2", "1", "1", "0"]
    table = {
        arm: json.loads((folder / paths.metric("cited", arm)).read_bytes()) for arm in ("vector", "graph")
    }
    assert [table["vector"][column] for column in ("single_hop", "adversarial", "overall")] == [2, 1, 1.5]
    assert [table["graph"][column] for column in ("single_hop", "adversarial", "overall")] == [1, 0, 0.5]


def test_dvc_has_a_folder_of_metrics_for_each_measure() -> None:
    stage = yaml.safe_load(ROOT.joinpath("dvc.yaml").read_text(encoding="utf-8"))["stages"]["score"]
    folders = {Path(folder): options for metric in stage["metrics"] for folder, options in metric.items()}
    assert folders == {paths.METRICS / measure: {"cache": False} for measure in MEASURES}


def test_each_measure_stands_under_its_name_in_its_place() -> None:
    assert list(MEASURES) == ["f1", "recall", "abstained"] == [one.name for one in MEASURES.values()]
    places = [one.place for one in MEASURES.values()]
    assert places == sorted(set(places))

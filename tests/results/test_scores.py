"""The file of scores, both ways."""

import csv
from collections.abc import Mapping
from pathlib import Path

import pytest

from locomo.core.errors import LocomoError
from locomo.formats.dataset import Category
from locomo.results.scores import Score, read_scores, write_scores

HEADER = "sample,question,category,arm,f1,recall,abstained,confidence\n"


def values(f1: float, recall: float, abstained: int) -> Mapping[str, float]:
    return {"f1": f1, "recall": recall, "abstained": abstained}


SCORES = [
    Score("talk", 3, Category.MULTI_HOP, "graph+edge", values(2 / 3, 0.1 + 0.2, 1), 5e-324),
    Score('a,"b', 0, Category.OPEN_DOMAIN, "path", values(1.0, 0.0, 0), 1 / 3),
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "scores.csv"


def test_scores_are_written_with_every_digit(path: Path) -> None:
    write_scores(path, ["f1", "recall", "abstained"], iter(SCORES))
    assert path.read_bytes().decode() == (
        f"{HEADER}talk,3,multi_hop,graph+edge,0.6666666666666666,0.30000000000000004,1,5e-324\n"
        '"a,""b",0,open_domain,path,1.0,0.0,0,0.3333333333333333\n'
    )
    with path.open(newline="") as file:
        assert [float(row["confidence"]) for row in csv.DictReader(file)] == [5e-324, 1 / 3]


def test_scores_are_read_back_as_written(path: Path) -> None:
    write_scores(path, ["f1", "recall", "abstained"], SCORES)
    assert read_scores(path) == SCORES


def test_a_file_of_other_measures_is_read_by_its_own_columns(path: Path) -> None:
    scores = [Score("talk", 0, Category.TEMPORAL, "path", {"length": 4.0, "f1": 1e-17}, 0.5)]
    write_scores(path, ["length", "f1"], scores)
    assert read_scores(path) == scores


def test_no_scores(path: Path) -> None:
    with pytest.raises(LocomoError, match=r"scores\.csv: is not there; run `dvc repro score` to make it$"):
        read_scores(path)


@pytest.mark.parametrize(
    "content",
    [
        "",
        HEADER.replace("arm", "memory"),
        "sample,question,category,arm,confidence\n",
        f"{HEADER}conv-1,0,single_hop,a,x,0,0,0\n",
        f"{HEADER}conv-1,0,riddle,a,0,0,0,0\n",
        f"{HEADER}conv-1,0,single_hop,a\n",
        f"{HEADER}conv-1,0,single_hop,a,0,0,0\n",
        f"{HEADER}conv-1,0,single_hop,a,0,0,0,0,0\n",
    ],
)
def test_a_damaged_file(path: Path, content: str) -> None:
    path.write_text(content, encoding="utf-8")
    with pytest.raises(
        LocomoError, match=r"scores\.csv: is damaged \(\w+\); run `dvc repro score` to make it again$"
    ):
        read_scores(path)

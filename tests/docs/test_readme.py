"""Every figure in README.md is held to the place in metrics/ that it comes from."""

import json
import re
import tomllib
from typing import Any

from bench import BLOCK
from helpers.shared import ROOT
from locomo.answer.arms import ARMS, MEMORIES
from locomo.core.settings import load

README = BLOCK.sub("", ROOT.joinpath("README.md").read_text(encoding="utf-8"))
"""What stands there of the benchmarks is held to their own figures, in test_benchmarks.py."""
BLOCKS = re.findall(r"^```(?:text|console)\n(.*?)^```$", README, re.M | re.S)
PROSE = re.sub(r"^```.*?^```$|^\|.*?$|`[^`]*`|\bCC BY-NC \d\.\d", "", README, flags=re.M | re.S)
"""README without its blocks, tables, pieces of code and the name of the dataset's licence."""


def metrics(path: str) -> Any:
    return json.loads((ROOT / "metrics" / path).read_text(encoding="utf-8"))


def test_the_main_table_is_the_one_in_metrics() -> None:
    """As `dvc metrics show` prints it: five decimals, no zeroes behind."""
    (table,) = (block for block in BLOCKS if block.startswith("Path "))
    assert f"```sh\ndvc metrics show metrics/f1\n```\n\n```text\n{table}" in README
    head, *rows = (line.split() for line in table.splitlines())
    columns = head[1:]
    assert len(columns) == 7 and len(rows) == 15
    assert sorted(rows) == sorted(
        [f"metrics/f1/{arm}.json", *(str(round(metrics(f"f1/{arm}.json")[column], 5)) for column in columns)]
        for arm in ARMS
    )


def test_the_official_marks_are_those_in_metrics() -> None:
    (block,) = (block for block in BLOCKS if "score_official.py" in block)
    _, head, _, *lines, _, compared = block.splitlines()
    columns = head.split()[2:]
    assert columns == list(metrics("f1/path.json"))
    sources = {"official": metrics("official.json")["f1"]}
    sources["ours"] = {arm: metrics(f"f1/{arm}.json") for arm in ("vector", "path")}
    assert [line.split() for line in lines] == [
        [arm, by, *(f"{sources[by][arm][column]:.3f}" for column in columns)]
        for arm in ("vector", "path")
        for by in ("official", "ours")
    ]
    both = f"{2 * metrics('build.json')['total']['questions']:,}"
    assert compared.startswith(f"{both} marks and {both} recalls compared") and compared.endswith(" 0")
    assert metrics("official.json")["largest_difference"] == 0


def test_no_other_output_is_shown() -> None:
    # The main table, a signature, the official marks; and an example that test_scored.py works out anew.
    assert len(BLOCKS) == 4 and sum("locomo score" in block for block in BLOCKS) == 1


def test_the_table_of_categories_is_the_one_in_metrics() -> None:
    rows = re.findall(r"^\| (\d) \| ([a-z ]+) \| (\d+) \| (\d+) \| (\d+) \|", README, re.M)
    assert len(rows) == 5
    keys = ("category", "questions", "with_several_evidence_turns", "with_a_year_in_the_answer")
    assert {kind: [number, *counts] for number, kind, *counts in rows} == {
        kind.replace("_", " "): [str(counted[key]) for key in keys]
        for kind, counted in metrics("build.json")["categories"].items()
    }


def test_the_signature_is_the_one_in_metrics() -> None:
    (signature,) = (block.strip() for block in BLOCKS if block.startswith("locomo-bench:"))
    assert signature == metrics("signature.json")["graph"]


def test_every_other_figure_is_named_here_with_its_source() -> None:
    built = metrics("build.json")
    project = tomllib.loads(ROOT.joinpath("pyproject.toml").read_text(encoding="utf-8"))["project"]
    sources = {
        "0.228": f"{metrics('statistics/abstention.json')['overall']:.3f}",
        "1,986": f"{built['total']['questions']:,}",
        "29,790": f"{metrics('official.json')['marks_compared']:,}",
        "446": f"{built['categories']['adversarial']['questions']}",
        "2.8": f"{load(ROOT / 'params.yaml').dataset.bytes / 1e6:.1f}",
        "15": f"{len(ARMS)}",
        "3.11": project["requires-python"].removeprefix(">="),
    }
    found = set(re.findall(r"(?<![\w.,/-])\d[\d,.]*\d(?![\w-])", PROSE))
    assert found == set(sources)
    assert sources == {figure: figure for figure in found}


def test_what_is_said_in_words_is_true() -> None:
    words, built = " ".join(README.split()), metrics("build.json")["total"]
    assert "builds ten memories of ten conversations" in words
    assert len(MEMORIES) == built["conversations"] == 10
    assert "Nine evidence ids of the dataset name no turn" in words
    assert built["evidence_without_a_turn"] == 9
    assert "`oracle`, which cites the evidence itself, reaches 1 everywhere" in words  # "not even"
    assert 0.99 < metrics("recall/oracle.json")["overall"] < 1
    assert "`vector` and `span`, which try to answer, score less than that" in words
    always_declining = metrics("statistics/abstention.json")["overall"]
    assert all(metrics(f"f1/{arm}.json")["overall"] < always_declining for arm in ("vector", "span"))

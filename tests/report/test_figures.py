"""Every figure of the published tables, worked out again on the real dataset.

A cell is the published figure beside ours, rounded as it was: three decimals, abstention in whole percent.
"""

from collections.abc import Iterator
from typing import Any

import pytest

from helpers.shared import FIGURES, Answers, Benchmark
from locomo.score.scoring import Table

DECIMALS = {"f1": 3, "recall": 3, "quiet": 2}
# How many cells each table has: arms, columns, measures. Hand-counted in the published tables.
CELLS = {"main": 4 * 7 * 3, "factor": 4 * 6 * 3, "walk": 7 * 7 * 3, "hops": 6 * 3 * 3}
Cell = tuple[str, str, str]


def cells(rows: dict[str, Any]) -> Iterator[tuple[Cell, float]]:
    """Each figure of a published table, with its arm, column and measure."""
    for arm, columns in rows.items():
        for column, measures in columns.items():
            for measure, figure in measures.items():
                yield (arm, column, measure), figure


def ours(tables: dict[str, Table], cell: Cell) -> float:
    arm, column, measure = cell
    figure = tables["abstained" if measure == "quiet" else measure][arm][column]
    assert figure is not None
    return round(figure, DECIMALS[measure])


@pytest.fixture(scope="module")
def tables(benchmark: Benchmark, answers: Answers) -> dict[str, Table]:
    return benchmark.tables(answers)


@pytest.mark.parametrize("name", CELLS)
def test_every_cell_of_the_published_tables(tables: dict[str, Table], name: str) -> None:
    published = dict(cells(FIGURES["tables"][name]))
    assert len(published) == CELLS[name]
    assert {cell: ours(tables, cell) for cell in published} == published


def test_there_is_no_further_published_table() -> None:
    assert list(FIGURES["tables"]) == list(CELLS)
    assert FIGURES["settings"] == {"k": 5, "floor": 0.3, "span": 4, "band": 0.9, "parts": 2}


def test_what_is_built_of_each_conversation(benchmark: Benchmark) -> None:
    published = FIGURES["build"]
    assert sum(len(counts) for counts in published.values()) == 10 * 6
    samples = [conversation.sample_id for conversation in benchmark.conversations]
    found = dict(zip(samples, benchmark.counts, strict=True))
    assert {s: {key: found[s][key] for key in counts} for s, counts in published.items()} == published


def test_totals(benchmark: Benchmark) -> None:
    published = dict(FIGURES["totals"])
    assert len(published) == 8
    assert len(benchmark.counts) == published.pop("conversations")
    assert {key: sum(counts[key] for counts in benchmark.counts) for key in published} == published


def test_evidence_that_names_no_turn_is_counted(benchmark: Benchmark) -> None:
    """The nine of SPEC 1."""
    assert sum(counts["evidence_without_a_turn"] for counts in benchmark.counts) == 9


def test_more_cites_and_longer_replies_on_multi_hop_questions(benchmark: Benchmark) -> None:
    published = FIGURES["k20_parts4_band05_multi_hop"]
    tables = benchmark.tables(benchmark.answers(published, k=20, parts=4, band=0.5))
    rows = dict(cells({arm: {"multi_hop": measures} for arm, measures in published.items()}))
    assert len(rows) == 2 * 2
    assert {cell: ours(tables, cell) for cell in rows} == rows


def test_what_is_within_reach(benchmark: Benchmark) -> None:
    published = FIGURES["reach_recall_k2000_floor0"]
    tables = benchmark.tables(benchmark.answers(published, k=2000, floor=0))
    rows = {(arm, column, "recall"): v for arm, columns in published.items() for column, v in columns.items()}
    assert len(rows) == 2 * 5
    assert {cell: ours(tables, cell) for cell in rows} == rows


def test_without_the_naming_rule(benchmark: Benchmark) -> None:
    published = FIGURES["without_derived_facts"]
    without = Benchmark.build(benchmark.conversations, infer=False)
    tables = without.tables(without.answers(published))
    rows = dict(cells(published))
    assert len(rows) == 2
    assert {cell: ours(tables, cell) for cell in rows} == rows
    assert sum(counts["derived"] for counts in without.counts) == 0

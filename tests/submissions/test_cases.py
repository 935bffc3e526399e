"""The inputs of `cases/make_cases.py`, which went wrong once: answers of `vector`, changed in one way each.

The script is no part of this repository; it stands beside the folder that LOCOMO_REFERENCE names.
"""

import json
import os
import re
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from helpers.clones import made_once
from helpers.given import Record, found, printed, refused
from helpers.shared import FIGURES
from locomo.formats.dataset import Category
from locomo.score.averages import COLUMNS

VECTOR = FIGURES["tables"]["main"]["vector"]
"""As published, with three decimals."""
SIZES = dict(zip(COLUMNS, (841, 282, 321, 96, 446, 1540, 1986), strict=True))


@pytest.fixture(scope="session")
def cases(ran: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the twelve files, made of the run of the published tables."""
    reference = os.environ.get("LOCOMO_REFERENCE")
    script = Path(reference or "reference").absolute().parent / "cases" / "make_cases.py"
    if reference is None or not script.exists():
        pytest.skip("cases/make_cases.py is not there: set LOCOMO_REFERENCE to the folder beside cases/")

    def make(folder: Path) -> None:
        subprocess.run([sys.executable, script, ran, folder], check=True)

    return made_once(tmp_path_factory, "cases", make)


@pytest.fixture(autouse=True)
def _here(cases: Path, here: Path) -> None:
    """The run is the current folder."""


def score(capsys: pytest.CaptureFixture[str], path: Path, *options: str) -> Any:
    return found(capsys, path, "--against", "vector", *options)


def are_those_of_vector(comparison: Any, name: str, *measures: str) -> None:
    """Whether the means are those that were published, and to the last digit those of our own arm."""
    for measure in measures:
        published = {column: cells[measure] for column, cells in VECTOR.items()}
        assert {column: round(value, 3) for column, value in comparison[measure][name].items()} == published
        assert comparison[measure][name] == comparison[measure]["vector"]


def told(comparison: Any, name: str) -> str:
    return "\n".join(comparison["systems"][name]["remarks"])


def test_all_files_have_a_test(cases: Path) -> None:
    """A new file of the script needs one."""
    source = Path(__file__).read_text(encoding="utf-8")
    files = [path.name for path in cases.iterdir() if re.match(r"\d\d_", path.name)]
    assert len(files) >= 12
    assert [name for name in files if f'"{name}"' not in source] == []


def test_a_system_called_as_a_row_is(cases: Path, capsys: pytest.CaptureFixture[str]) -> None:
    comparison = score(capsys, cases / "02_arm_named_like_a_row.jsonl")
    are_those_of_vector(comparison, "(abstention) (given)", "f1", "recall")
    # A program that always abstains is right on the 446 adversarial questions.
    assert comparison["f1"]["(abstention)"]["adversarial"] == 1
    assert "the file calls it '(abstention)'" in told(comparison, "(abstention) (given)")


def test_failures_that_arrived_as_text(
    cases: Path, vector: list[Record], capsys: pytest.CaptureFixture[str]
) -> None:
    comparison = score(capsys, cases / "05_failure_words.jsonl")
    name = "05_failure_words"
    counts = comparison["systems"][name]["counts"]
    assert (counts["failed"]["overall"], counts["scored"]["overall"]) == (70, 1916)
    assert "70 calls failed, not scored as wrong: the reply is 'None' (10), " in told(comparison, name)
    for text in ("nan", "N/A", "null", "ERROR", "Error code: 429", "[ERROR] timeout"):
        assert f"the reply is '{text}' (10)" in told(comparison, name)
    # What did not fail is scored as ours; beside it, with 0 for each that failed.
    assert comparison["f1"][name] == comparison["f1"]["vector"]
    failed = dict.fromkeys(COLUMNS, 0)
    for record in vector[:70]:
        category = Category(record["category"])
        for column in (category.label, "adversarial" if category == 5 else "answerable", "overall"):
            failed[column] += 1
    for column in ("single_hop", "multi_hop", "temporal", "open_domain", "answerable", "overall"):
        n = SIZES[column]
        with_0 = comparison["f1"][name][column] * (n - failed[column]) / n
        assert comparison["failures_as_0"]["f1"][name][column] == pytest.approx(with_0, abs=2e-6)


@pytest.mark.parametrize("file", ["07_ids_zero_padded.jsonl", "08_ids_prefixed.jsonl"])
def test_ids_in_another_spelling(file: str, cases: Path, capsys: pytest.CaptureFixture[str]) -> None:
    comparison = score(capsys, cases / file)
    name = file.removesuffix(".jsonl")
    are_those_of_vector(comparison, name, "f1", "recall")
    assert "with ids in another spelling than the dataset's, such as" in told(comparison, name)
    assert "name no turn" not in told(comparison, name)


def test_turns_and_sessions_mixed(
    cases: Path, vector: list[Record], here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Recall is of sessions, also that of our arm; it is calculated here from the files of the run."""
    comparison = score(capsys, cases / "10_mixed_sessions_turns.jsonl")
    name = "10_mixed_sessions_turns"
    assert "recall" not in comparison
    samples = json.loads((here / "data/locomo10.json").read_bytes())
    questions = [question for sample in samples for question in sample["qa"]]
    shares: dict[str, list[float]] = {column: [] for column in COLUMNS}
    for question, record in zip(questions, vector, strict=True):
        evidence = [id.strip("()").split(":")[0] for id in question["evidence"]]
        cited = {id.split(":")[0] for id in record["context"]}
        share = sum(session in cited for session in evidence) / len(evidence) if evidence else 1.0
        category = Category(question["category"])
        for column in {category.label, "adversarial" if category == 5 else "answerable", "overall"}:
            shares[column].append(share)
    by_hand = {column: pytest.approx(statistics.fmean(of), abs=1e-6) for column, of in shares.items()}
    assert comparison["session_recall"]["vector"] == by_hand
    assert comparison["session_recall"][name] == by_hand
    assert by_hand["overall"].expected > VECTOR["overall"]["recall"]
    assert comparison["questions"]["session_recall"] == SIZES
    assert "turns and sessions are cited: recall is of sessions, for our arms too" in told(comparison, name)
    are_those_of_vector(comparison, name, "f1")


def test_errors_that_are_none(cases: Path, capsys: pytest.CaptureFixture[str]) -> None:
    comparison = score(capsys, cases / "11_error_empty.jsonl")
    are_those_of_vector(comparison, "11_error_empty", "f1", "recall")
    assert comparison["systems"]["11_error_empty"]["counts"]["scored"] == SIZES


def test_objects_keyed_by_conversation(cases: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = cases / "15_by_conversation.json"
    comparison = score(capsys, path)
    are_those_of_vector(comparison, "15_by_conversation", "f1")
    assert set(comparison["recall"]["15_by_conversation"].values()) == {None}
    assert "'1' is conv-30, '2' is conv-41" in told(comparison, "15_by_conversation")
    text = printed(capsys, path, "--against", "vector")
    assert "lists by conversation; reply under 'response', reference under 'answer'" in text
    # The reference answers of the file are others ("(gold)"): the dataset's are used, and it is said.
    assert "1,540 records with another reference answer than the dataset's" in text


def test_samples_without_an_id(cases: Path, capsys: pytest.CaptureFixture[str]) -> None:
    message = refused(capsys, cases / "16_no_sample_id.json")
    assert message.endswith(
        "record 0, qa[0]: its sample has no 'sample_id', which names the conversation; it has 'qa'"
    )


def test_the_first_line_of_excel(cases: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The line is read as what it says; the one question, "q", is not of the dataset."""
    message = refused(capsys, cases / "17_excel_sep_line.csv")
    assert "1 record of a question that the conversation doesn't have: line 3 ('conv-26', 'q')" in message
    assert "cells" not in message


def test_trailing_blank_rows(cases: Path, capsys: pytest.CaptureFixture[str]) -> None:
    comparison = score(capsys, cases / "18_excel_blank_rows.csv")
    counts = comparison["systems"]["18_excel_blank_rows"]["counts"]
    assert (counts["scored"]["overall"], counts["missing"]["overall"]) == (1, 1985)
    assert "blank" not in told(comparison, "18_excel_blank_rows")


def test_one_typo_is_no_mapping(cases: Path, capsys: pytest.CaptureFixture[str]) -> None:
    comparison = score(capsys, cases / "19_one_typo.jsonl")
    assert "1 record of another category than the dataset's" in told(comparison, "19_one_typo")
    assert "mapped wrongly" not in told(comparison, "19_one_typo")
    assert comparison["f1"]["19_one_typo"] == comparison["f1"]["vector"]


def test_two_systems_whose_names_differ_in_a_space(
    cases: Path, vector: list[Record], capsys: pytest.CaptureFixture[str]
) -> None:
    text = printed(capsys, cases / "20_arm_trailing_space.jsonl", "--against", "vector", "--json")
    comparisons = json.loads(text)["comparisons"]
    systems = {name: c for c in comparisons for name in c["systems"]}
    assert set(systems) == {"A", "A (given)"}
    for name, comparison in systems.items():
        counts = comparison["systems"][name]["counts"]
        assert (counts["scored"]["overall"], counts["missing"]["overall"]) == (993, 993)
        assert comparison["f1"][name] == comparison["f1"]["vector"]
    assert "the file calls it 'A '; shown under this name" in told(systems["A (given)"], "A (given)")
    assert len(vector) == 2 * 993

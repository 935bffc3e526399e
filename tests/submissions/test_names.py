"""The names that systems are shown under: no row replaces another, and no signature breaks."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from helpers.given import SINGLE, Record, about, asked, given, printed
from locomo.submissions.matching import match
from locomo.submissions.names import distinct, in_signature

Write = Callable[[str, Any], Path]


def shown(*names: str) -> list[str]:
    systems = match([given("Who?", SINGLE, arm=name) for name in names], [asked(("Who?", SINGLE))])
    return [system.arm for system in distinct(systems, ["vector", "graph"])]


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["mine", "yours"], ["mine", "yours"]),
        (["vector"], ["vector (given)"]),
        (["vector", "vector (given)"], ["vector (given) (given)", "vector (given)"]),
        (["vector (given)", "vector"], ["vector (given)", "vector (given) (given)"]),
        (["(abstention)"], ["(abstention) (given)"]),
        (["(abstention)", "(abstention) (given)"], ["(abstention) (given) (given)", "(abstention) (given)"]),
        (["(failures as 0)", "(spread of runs)"], ["(failures as 0) (given)", "(spread of runs) (given)"]),
        (["A ", "A"], ["A (given)", "A"]),
        (["A", "A "], ["A", "A (given)"]),
        (["A ", " A", "A"], ["A (given)", "A (given) (given)", "A"]),
        (["A "], ["A"]),
        ([" vector"], ["vector (given)"]),
        (["a\nb"], ["a b"]),
        (["a|b:c", "a"], ["a|b:c", "a"]),
        (["a - b", "c"], ["a-b", "c"]),  # "a - b" is a pair
        (["Vector"], ["Vector"]),
    ],
)
def test_no_system_has_the_name_of_another_row(names: list[str], expected: list[str]) -> None:
    assert shown(*names) == expected
    assert len({*expected, "vector", "graph", "(abstention)"}) == len(expected) + 3


def test_what_the_file_calls_it_is_said() -> None:
    systems = match([given("Who?", SINGLE, arm="vector")], [asked(("Who?", SINGLE))])
    (one,) = distinct(systems, ["vector"])
    assert about(one, "the file calls it") == (
        "the file calls it 'vector'; shown under this name to tell rows apart"
    )


@pytest.mark.parametrize(
    "name", ["mine", "a|b:c", "100%", "%7C", "a%7Cb|c", "arm:x|scored:0", "é ü", "a=b,c"]
)
def test_in_a_signature_a_name_breaks_no_field_and_can_be_read_back(name: str) -> None:
    written = in_signature(name)
    assert "|" not in written and ":" not in written and unquote(written) == name


def test_all_systems_have_rows_and_signatures_of_their_own(
    small: Path, file: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    names = ["(abstention)", "vector", "vector (given)", "A ", "A", "a|b:c"]
    record: Record = {"sample_id": "conv-1", "question": "What did Ada buy?", "category": 4}
    # As many wrong words as the place of the name: precision 1/(n + 1), recall 1, F1 2/(n + 2).
    records = [
        record | {"arm": name, "prediction": " ".join(["kayak", *("x" * i for i in range(1, n + 1))])}
        for n, name in enumerate(names)
    ]
    (comparison,) = json.loads(printed(capsys, file("a.json", records), "--json"))["comparisons"]
    rows = ["(abstention) (given)", "vector (given) (given)", "vector (given)", "A (given)", "A", "a|b:c"]
    assert list(comparison["systems"]) == rows
    assert list(comparison["f1"]) == [*rows, "vector", "graph", "(abstention)"]
    assert [comparison["f1"][row]["overall"] for row in rows] == [round(2 / (n + 2), 6) for n in range(6)]
    # Those of our run are as ever: "a red kayak, nice" has one word of four, or of three without the article.
    assert (comparison["f1"]["vector"]["overall"], comparison["f1"]["(abstention)"]["overall"]) == (0.5, 0.0)
    signatures = [system["signature"].split("|") for system in comparison["systems"].values()]
    assert {len(fields) for fields in signatures} == {9}
    assert [unquote(fields[-1].removeprefix("arm:")) for fields in signatures] == rows
    assert len(comparison["paired"]["pairs"]) == 6 * 5 // 2 + 6 * 2

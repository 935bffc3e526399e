"""The report in each format, and signatures that name the answers and not the bytes of their file."""

import csv
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from helpers.given import Record, as_json, printed, refused
from locomo.score.averages import COLUMNS
from locomo.submissions.report import FORMATS

Write = Callable[[str, Any], Path]

ODD = r"50% of_me & {you} #1 $x ~a ^b \c <d>"
"""A name with every character that LaTeX reads as something else."""
BUY: Record = {"sample_id": "conv-1", "question": "What did Ada buy?", "category": 4, "context": ["D1:1"]}
SELL: Record = {"sample_id": "conv-1", "question": "What did Bob sell?", "category": 5, "context": []}
RECORDS = [
    BUY | {"arm": "mine", "prediction": "a boat", "label": "WRONG"},
    SELL | {"arm": "mine", "prediction": "No information available", "label": "CORRECT"},
    BUY | {"arm": ODD, "prediction": "kayak"},
    SELL | {"arm": ODD, "prediction": "I don't know."},
    BUY | {"arm": "a|b:c", "prediction": None},
    SELL | {"arm": "a|b:c", "prediction": "a kayak"},
]
ROWS = ["mine", ODD, "a|b:c"]


@pytest.fixture
def report(small: Path, capsys: pytest.CaptureFixture[str]) -> Callable[[str], str]:
    """The report on these records in a format."""
    path = as_json(Path("answers.json"), RECORDS)
    return lambda format: printed(capsys, path, "--format", format, "--against", "vector")


def test_the_formats(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = as_json(Path("answers.json"), RECORDS)
    assert list(FORMATS) == ["text", "markdown", "latex", "csv", "json"]
    assert printed(capsys, path) == printed(capsys, path, "--format", "text")
    assert printed(capsys, path, "--json") == printed(capsys, path, "--format", "json")
    with pytest.raises(SystemExit):
        printed(capsys, path, "--format", "html")


def figures(report: dict[str, Any]) -> dict[tuple[str, str, str], dict[str, float | None]]:
    """The counts and means of a report in JSON, by table, row, and what is said of the row."""
    rows = {}
    names = {"abstained": "abstained by the metric", "likely_abstained": "likely abstained in other words"}
    for one in report["comparisons"]:
        for arm, system in one["systems"].items():
            for kind, numbers in system["counts"].items():
                rows[arm, names.get(kind, kind), ""] = numbers
        for measure in one["questions"]:
            for arm, means in one[measure].items():
                rows[measure, arm, ""] = means
            for about, name in (("failures as 0", "failures_as_0"), ("spread of runs", "spread")):
                for arm, means in one[name][measure].items():
                    rows[measure, arm, about] = means
    return rows


def test_csv_has_the_figures_of_json(report: Callable[[str], str]) -> None:
    found = list(csv.reader(io.StringIO(report("csv"))))
    assert found[0] == ["table", "row", "about", *COLUMNS]
    by_name: dict[tuple[str, ...], list[dict[str, float | None]]] = {}
    for table, row, about, *cells in found[1:]:
        values = [None if cell == "" else float(cell) for cell in cells]
        by_name.setdefault((table, row, about), []).append(dict(zip(COLUMNS, values, strict=True)))
    expected = figures(json.loads(report("json")))
    assert set(by_name) == set(expected)
    # A row of ours stands in the tables of each comparison, over its questions.
    theirs = [name for name in expected if name[1] not in ("vector", "(abstention)")]
    assert len(theirs) >= 30
    assert {name: by_name[name] for name in theirs} == {name: [expected[name]] for name in theirs}
    assert expected["f1", "a|b:c", "failures as 0"]["overall"] == 0.0


def cells(line: str) -> list[str]:
    """The cells of a line in Markdown, where an escaped bar separates nothing."""
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip())[1:-1]]


def test_markdown(report: Callable[[str], str]) -> None:
    text = report("markdown")
    tables = re.findall(r"(?:^\|.*\n)+", text + "\n", re.M)
    names = set()
    for table in tables:
        lines = [cells(line) for line in table.strip().split("\n")]
        assert {len(line) for line in lines} == {len(lines[0])}, table
        assert all(re.fullmatch(":?-+:?", cell) for cell in lines[1])
        names |= {line[0].replace("\\|", "|") for line in lines[2:]} | {lines[0][0].replace("\\|", "|")}
    assert {*ROWS, "f1", "recall", "abstained", "judge", "(abstention)", "vector"} <= names
    # Blank lines around tables and lists, so that each is one.
    assert all(f"\n\n{table}" in text for table in tables)
    assert re.search(r"\n\n\* .*\n(\* .*\n)*\n", text)
    assert "To quote a figure, add its signature:" in text and "|arm:a%7Cb%3Ac" in text


SPECIAL = {"%": r"\%", "_": r"\_", "&": r"\&", "{": r"\{", "}": r"\}", "#": r"\#", "$": r"\$"}


def test_latex(report: Callable[[str], str]) -> None:
    text = report("latex")
    lines = [line for line in text.split("\n") if line]
    inside = False
    rows = []
    for line in lines:
        inside = inside or line.startswith(r"\begin{tabular}")
        # All but the tables is a comment: nothing breaks the document that takes it in.
        assert inside or line.startswith("% "), line
        if inside and line.rstrip().endswith(r"\\"):
            rows.append(line)
        inside = inside and not line.startswith(r"\end{tabular}")
    assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}") == text.count(r"\toprule") > 4
    for row in rows:
        bare = row.rstrip().removesuffix(r"\\")
        for escaped in (
            r"\textbackslash{}",
            r"\^{}",
            r"\ensuremath{<}",
            r"\ensuremath{>}",
            r"{\textasciitilde}",
        ):
            bare = bare.replace(escaped, "")
        bare = bare.replace(r"\textasciitilde{}", "").replace(r"\textasciicircum{}", "")
        for escaped in SPECIAL.values():
            bare = bare.replace(escaped, "")
        bare = bare.replace(" & ", " ")  # what separates the cells
        assert not re.search(r"[%_&{}#$~^\\]", bare), row
    odd = [row for row in rows if r"50\% of\_me \& \{you\} \#1 \$x" in row]
    assert len(odd) >= 4
    assert all(len(re.split(r"(?<!\\)&", row)) in (8, 5, 3) for row in rows)


def test_json_says_how_the_file_was_read_and_what_it_is_compared_with(report: Callable[[str], str]) -> None:
    found = json.loads(report("json"))
    assert (found["file"], found["answers"]) == ("answers.json", 6)
    assert found["recognised"] == (
        "read as JSON, a list of records; reply under 'prediction', judge under 'label'"
    )
    assert found["compared_with"] == "data/scores.csv" and found["signature"].endswith("|arm:<arm>")


# ---- signatures


def signatures(capsys: pytest.CaptureFixture[str], path: Path) -> list[str]:
    found = json.loads(printed(capsys, path, "--json", "--against", "vector"))
    return sorted(one["signature"] for c in found["comparisons"] for one in c["systems"].values())


ANSWERS: list[Record] = [
    BUY | {"prediction": "a kayak", "confidence": 0.5},
    SELL | {"prediction": "I don't know."},
]


def table(records: list[Record], separator: str = ",") -> str:
    file = io.StringIO()
    rows = csv.DictWriter(
        file,
        ["sample_id", "question", "category", "context", "prediction", "confidence"],
        delimiter=separator,
    )
    rows.writeheader()
    rows.writerows(record | {"context": " ".join(record["context"]) or "[]"} for record in records)
    return file.getvalue()


def test_a_signature_names_the_answers_and_not_the_bytes_of_their_file(
    small: Path, file: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    expected = signatures(capsys, as_json(Path("mine.json"), ANSWERS))
    official = [
        {
            "sample_id": "conv-1",
            "qa": [
                {
                    "question": one["question"],
                    "category": one["category"],
                    "mine_prediction": one["prediction"],
                }
                | {
                    "mine_prediction_context": one["context"],
                    "mine_prediction_confidence": one.get("confidence"),
                }
                for one in ANSWERS
            ],
        }
    ]
    bare = [{key: value for key, value in one.items() if key != "category"} for one in ANSWERS]
    same = {
        "reordered": ("mine.json", ANSWERS[::-1]),
        "indented": ("mine.json", json.dumps(ANSWERS, indent=4) + "\n\n"),
        "lines": ("mine.jsonl", ANSWERS),
        "space after the reply": (
            "mine.json",
            [one | {"prediction": one["prediction"] + " \n"} for one in ANSWERS],
        ),
        "space in the question": (
            "mine.json",
            [one | {"question": f" {one['question'].replace(' ', '  ')} "} for one in ANSWERS],
        ),
        "other keys": ("mine.json", [one | {"latency": 3} for one in ANSWERS]),
        "no category": ("mine.json", bare),
        "spelling of ids": (
            "mine.json",
            [one | {"context": [f"[{id}]" for id in one["context"]]} for one in ANSWERS],
        ),
        "csv": ("mine.csv", table(ANSWERS)),
        "csv of excel": ("mine.csv", "\ufeffsep=;\r\n" + table(ANSWERS, ";")),
        "tsv": ("mine.tsv", table(ANSWERS[::-1], "\t")),
        "official": ("mine.json", official),
    }
    for about, (name, content) in same.items():
        assert signatures(capsys, file(name, content)) == expected, about


@pytest.mark.parametrize(
    "change",
    [
        {"prediction": "kayak"},
        {"prediction": "A kayak"},
        {"prediction": None},
        {"context": ["D1:2"]},
        {"context": []},
        {"context": None},
        {"confidence": 0.25},
        {"confidence": None},
        {"label": "WRONG"},
        {"arm": "other"},
    ],
)
def test_other_answers_have_another_signature(
    change: Record, small: Path, file: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    before = signatures(capsys, file("mine.json", ANSWERS))
    assert signatures(capsys, file("mine.json", [ANSWERS[0] | change, ANSWERS[1]])) != before


def test_runs_in_another_order_have_the_same_signature_and_fewer_runs_another(
    small: Path, file: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    again = [one | {"prediction": "tea"} for one in ANSWERS]
    both = signatures(capsys, file("mine.json", ANSWERS + again))
    assert signatures(capsys, file("mine.json", again + ANSWERS)) == both
    assert signatures(capsys, file("mine.json", ANSWERS)) != both


def test_the_fields_of_a_signature(small: Path, file: Write, capsys: pytest.CaptureFixture[str]) -> None:
    (signature,) = signatures(capsys, file("a.json", [one | {"arm": "a|b:c"} for one in ANSWERS[:1]]))
    fields = dict(field.split(":") for field in signature.split("|"))
    assert list(fields) == [
        "locomo-bench",
        "data",
        "key",
        "answers",
        "asked",
        "scored",
        "failed",
        "missing",
        "arm",
    ]
    numbers = [fields[name] for name in ("asked", "scored", "failed", "missing")]
    assert numbers == ["2", "1", "0", "1"] and fields["arm"] == "a%7Cb%3Ac"


def test_samples_that_cannot_be_read(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = as_json(Path("mine.json"), ANSWERS)
    for wrong in ("conv-1", "=conv-1", "0=", "0=conv-1,"):
        with pytest.raises(SystemExit):
            printed(capsys, path, "--samples", wrong)
        assert "expected NAME=ID,..., such as 0=conv-26,1=conv-30" in capsys.readouterr().err
    assert "--samples: conv-9: not in the dataset" in refused(capsys, path, "--samples", "conv-1=conv-9")

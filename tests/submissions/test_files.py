"""Files of answers: what is read of each format, what is left out, and what a damaged file is told."""

import datetime
import gzip
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from locomo.core.errors import LocomoError
from locomo.submissions.files import Content, load, of_records, stem

Write = Callable[[str, Any], Path]

ROWS = [
    {"sample_id": "conv-1", "question": 'Say "x", then?', "prediction": "one,\ntwo"},
    {"sample_id": "conv-1", "question": "Who?", "prediction": None},
]
"""With a separator, quotes and a line break in a cell, and with null."""
TABLE = 'sample_id,question,prediction\nconv-1,"Say ""x"", then?","one,\ntwo"\nconv-1,Who?,\n'


def semicolons(table: str) -> str:
    return (
        table.replace("sample_id,question,prediction", "sample_id;question;prediction")
        .replace("conv-1,", "conv-1;")
        .replace('?",', '?";')
        .replace("Who?,", "Who?;")
    )


# ---- text


@pytest.mark.parametrize(
    ("name", "content", "format", "places"),
    [
        ("a.json", json.dumps(ROWS), "JSON", ["record 0", "record 1"]),
        (
            "a.json",
            "\ufeff" + json.dumps(ROWS, indent=2).replace("\n", "\r\n"),
            "JSON",
            ["record 0", "record 1"],
        ),
        ("a.jsonl", "".join(f"{json.dumps(row)}\n" for row in ROWS), "JSON lines", ["line 1", "line 2"]),
        ("a.jsonl", "\r\n".join(map(json.dumps, ROWS)), "JSON lines", ["line 1", "line 2"]),
        ("a.jsonl", "\n\n".join(map(json.dumps, ROWS)) + "\n\n", "JSON lines", ["line 1", "line 3"]),
        # JSON lines under another name.
        ("a.json", "\n".join(map(json.dumps, ROWS)), "JSON lines", ["line 1", "line 2"]),
        ("a.json", "\ufeff" + "\r\n\r\n".join(map(json.dumps, ROWS)), "JSON lines", ["line 1", "line 3"]),
        ("a.csv", TABLE, "CSV", ["line 2", "line 4"]),
        ("a.csv", "\ufeff" + TABLE.replace("\n", "\r\n"), "CSV", ["line 2", "line 4"]),
        ("a.csv", semicolons(TABLE), "CSV", ["line 2", "line 4"]),
        # Excel's first line, in its spellings: the separator is said, and the lines are counted from there.
        ("a.csv", "sep=;\r\n" + semicolons(TABLE), "CSV", ["line 3", "line 5"]),
        ("a.csv", "\ufeffSEP=;\n" + semicolons(TABLE), "CSV", ["line 3", "line 5"]),
        ("a.csv", "sep=,\r\n" + TABLE, "CSV", ["line 3", "line 5"]),
        # Rows of nothing but separators, as Excel leaves them below and between.
        ("a.csv", TABLE + ",,\n\n , ,\n", "CSV", ["line 2", "line 4"]),
        ("a.csv", TABLE.replace("conv-1,Who", ",,\nconv-1,Who"), "CSV", ["line 2", "line 5"]),
        # A space in the header is no part of the name.
        ("a.csv", TABLE.replace(",question,", ", question ,"), "CSV", ["line 2", "line 4"]),
        (
            "a.tsv",
            'sample_id\tquestion\tprediction\nconv-1\t"Say ""x"", then?"\t"one,\ntwo"\nconv-1\tWho?\t\n',
            "TSV",
            ["line 2", "line 4"],
        ),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_text(name: str, content: str, format: str, places: list[str], packed: bool, file: Write) -> None:
    data = content.encode()
    path = file(f"{name}.gz", gzip.compress(data, mtime=0)) if packed else file(name, data)
    found = load(path)
    values = [{key: text and text.replace("\r", "") for key, text in row.items()} for row in found.value]
    assert Content(found.format, values, found.places) == Content(format, ROWS, places)


def test_an_empty_cell_is_null_and_blank_text_in_json_is_text(file: Write) -> None:
    table = 'question,prediction\nOne?,\nTwo?,""\nThree?,"  "\nFour?,0\n'
    assert [row["prediction"] for row in load(file("a.csv", table)).value] == [None, None, None, "0"]
    assert load(file("a.json", '[{"prediction": ""}]')).value == [{"prediction": ""}]


def test_a_column_without_a_name_such_as_the_index_of_pandas(file: Write) -> None:
    assert load(file("a.csv", ",question\n0,Who?\n")).value == [{"": "0", "question": "Who?"}]


def test_a_line_is_not_cut_where_unicode_would(file: Write) -> None:
    text = json.dumps({"prediction": "a\u2028b\x85c"}, ensure_ascii=False)
    assert load(file("a.jsonl", f"{text}\n")).value == [{"prediction": "a\u2028b\x85c"}]
    assert load(file("a.csv", "prediction\na\u2028b\x85c\n")).value == [{"prediction": "a\u2028b\x85c"}]


def test_a_cell_as_long_as_it_likes(file: Write) -> None:
    """The csv module's own limit is 131,072 characters."""
    reply = "tea " * 50_000
    table = f"sample_id,question,prediction\nconv-1,What did Ada buy?,{reply}\n"
    assert [row["prediction"] for row in load(file("mine.csv", table)).value] == [reply]


# ---- tables


def frame() -> Any:
    import pandas as pd

    return pd.DataFrame(
        {
            "sample_id": ["conv-1", "conv-1", "conv-1"],
            "prediction": ["None", None, "tea"],
            "context": [["D1:1", "D1:2"], [], None],
            "confidence": [0.5, float("nan"), 1.0],
            "category": [4, 1, 5],
        }
    )


@pytest.mark.parametrize("ending", [".parquet", ".parquet.gz"])
def test_parquet(ending: str, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install pyarrow")
    path = tmp_path / f"a{ending}"
    frame().to_parquet(tmp_path / "a.parquet")
    if ending.endswith(".gz"):
        path.write_bytes(gzip.compress((tmp_path / "a.parquet").read_bytes()))
    found = load(path)
    rows = [
        row | {"context": row["context"] if row["context"] is None else list(row["context"])}
        for row in found.value
    ]
    assert (found.format, found.places) == ("Parquet", ["record 0", "record 1", "record 2"])
    assert [list(row.values()) for row in rows] == [
        ["conv-1", "None", ["D1:1", "D1:2"], 0.5, 4],
        ["conv-1", None, [], None, 1],
        ["conv-1", "tea", None, 1.0, 5],
    ]


def test_excel(tmp_path: Path) -> None:
    """An empty cell is null; a text such as "None" or "NA" stays text, and a number a number."""
    pytest.importorskip("openpyxl", reason="openpyxl is not installed: pip install openpyxl")
    import pandas as pd

    path = tmp_path / "a.xlsx"
    rows = [["q1", "None", 4], ["q2", "NA", 1], [None, None, None], ["q3", None, 5], ["q4", 2022, 5]]
    pd.DataFrame(rows, columns=["question", "prediction", "category"]).to_excel(path, index=False)
    found = load(path)
    assert (found.format, found.places) == ("Excel", ["row 2", "row 3", "row 5", "row 6"])
    assert [list(row.values()) for row in found.value] == [
        ["q1", "None", 4],
        ["q2", "NA", 1],
        ["q3", None, 5],
        ["q4", 2022, 5],
    ]
    assert isinstance(found.value[3]["prediction"], int)


def test_excel_with_several_sheets(tmp_path: Path) -> None:
    pytest.importorskip("openpyxl", reason="openpyxl is not installed: pip install openpyxl")
    import pandas as pd

    path = tmp_path / "a.xlsx"
    answers, empty = pd.DataFrame([{"question": "Who?"}]), pd.DataFrame()
    with pd.ExcelWriter(path) as book:
        empty.to_excel(book, sheet_name="Notes", index=False)
        answers.to_excel(book, sheet_name="Answers", index=False)
    assert load(path).value == [{"question": "Who?"}]
    with pd.ExcelWriter(path) as book:
        answers.to_excel(book, sheet_name="Mine", index=False)
        answers.to_excel(book, sheet_name="Yours", index=False)
    with pytest.raises(
        LocomoError, match=r"a\.xlsx: has 2 sheets with rows \('Mine', 'Yours'\); keep the one"
    ):
        load(path)


def test_a_date_in_excel_is_no_text_and_is_named(tmp_path: Path) -> None:
    """Excel makes a date of "7 May 2023": what the system said can't be known any more."""
    pytest.importorskip("openpyxl", reason="openpyxl is not installed: pip install openpyxl")
    import pandas as pd

    from locomo.submissions.reading import read

    path = tmp_path / "a.xlsx"
    record = {"sample_id": "conv-1", "question": "When?", "prediction": datetime.datetime(2023, 5, 7)}
    pd.DataFrame([record]).to_excel(path, index=False)
    with pytest.raises(LocomoError, match=r"a\.xlsx: row 2: prediction: is a datetime, expected text"):
        read(path)


@pytest.mark.parametrize(
    ("name", "library", "format"), [("a.parquet", "pyarrow", "Parquet"), ("a.xlsx", "openpyxl", "Excel")]
)
def test_without_the_library_the_error_names_it(
    name: str, library: str, format: str, file: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    import pandas as pd

    pytest.importorskip(library)
    path = file(name, b"")
    if library == "pyarrow":
        frame().to_parquet(path)
    else:
        pd.DataFrame([{"question": "Who?"}]).to_excel(path)
    for module in [name for name in sys.modules if name.split(".")[0] in (library, "fastparquet")]:
        monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(LocomoError) as refused:
        load(path)
    assert (
        f"to read {format}, pandas needs {library}, which is not installed; `pip install {library}`"
        in str(refused.value)
    )


def test_records_in_memory_have_places() -> None:
    assert of_records([{"a": 1}, {"b": 2}]) == ("records", [{"a": 1}, {"b": 2}], ["record 0", "record 1"])


# ---- names


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("mine.json", "mine"),
        ("mine.jsonl.gz", "mine"),
        ("mine.CSV", "mine"),
        ("gpt-4.1-mini.tsv", "gpt-4.1-mini"),
        ("v0.3.parquet", "v0.3"),
        ("mine.xlsx", "mine"),
    ],
)
def test_the_name_of_a_file_without_its_endings(name: str, expected: str) -> None:
    assert stem(Path("folder", name)) == expected


# ---- what is refused, with its place

ENDINGS = "expected one of .json, .jsonl, .csv, .tsv, .parquet, .xlsx, also with .gz"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.txt", "", f"a.txt: ends in '.txt'; {ENDINGS}"),
        ("a", "", f"a: ends in ''; {ENDINGS}"),
        ("a.xls", "", f"a.xls: ends in '.xls'; {ENDINGS}"),
        ("a.json", "[\n1,\n}", "a.json: line 3, column 1: is not JSON"),
        ("a.json", '[{"a": 1}', "a.json: line 1, column 10: is not JSON"),
        ("a.json", "", "a.json: line 1, column 1: is not JSON"),
        ("a.json", "[" * 99999, "a.json: cannot be read as JSON"),
        ("a.json", "1" * 9999, "a.json: cannot be read as JSON"),
        ("a.json", '{"a": 1}\n{"a": \n', "a.json: line 2, column 7: is not JSON"),
        ("a.jsonl", '{"a": 1}\n{"a": \n', "a.jsonl: line 2, column 7: is not JSON"),
        ("a.jsonl", '{"a": 1}\n' + "[" * 99999, "a.jsonl: line 2: cannot be read as JSON"),
        ("a.jsonl", b'{"a": "\xff"}', "a.jsonl: is not UTF-8 (byte 7); save it as UTF-8"),
        ("a.csv", "sample_id,prediction\nconv-1,caf\xe9\n".encode("cp1252"), "a.csv: is not UTF-8 (byte 31)"),
        (
            "a.csv",
            "sample_id,prediction\n".encode("utf-16"),
            "a.csv: is not UTF-8 (byte 0); save it as UTF-8",
        ),
        ("a.csv", "a,b\n1\n", "a.csv: line 2: has 1 cells, the header 2"),
        ("a.csv", "a,b\n1,2\n1,2,3\n", "a.csv: line 3: has 3 cells, the header 2"),
        ("a.csv", "sep=;\na;b\n1;2\n1;2;3\n", "a.csv: line 4: has 3 cells, the header 2"),
        ("a.tsv", "a\tb\n1\n", "a.tsv: line 2: has 1 cells, the header 2"),
        ("a.csv", 'a,b\n"1\n2",3\n1\n', "a.csv: line 4: has 1 cells, the header 2"),
        ("a.csv", "a,a\n1,2\n", "a.csv: line 1: column: 'a' is there 2 times"),
        ("a.csv", "sep=;\na;a\n1;2\n", "a.csv: line 2: column: 'a' is there 2 times"),
        ("a.csv", 'a,b\n1,"2', "a.csv: line 2: is not CSV (unexpected end of data)"),
        ("a.csv", 'sep=,\na,b\n1,"2', "a.csv: line 3: is not CSV (unexpected end of data)"),
        ("a.json.gz", "[]", "a.json.gz: is not gzip"),
        ("a.json.gz", gzip.compress(b"[1, 2, 3]", mtime=0)[:-6], "a.json.gz: is not gzip"),
        ("a.json.gz", gzip.compress(b"[1, 2, 3]" * 99, mtime=0)[:20], "a.json.gz: is not gzip"),
        ("a.gz", gzip.compress(b"[]", mtime=0), f"a.gz: ends in '.gz'; {ENDINGS}"),
        ("a.parquet", b"PAR1 no PAR1", "a.parquet: cannot be read as Parquet ("),
        ("a.xlsx", b"PK no", "a.xlsx: cannot be read as Excel ("),
    ],
)
def test_what_is_refused(name: str, content: Any, message: str, file: Write) -> None:
    if name.endswith((".parquet", ".xlsx")):
        pytest.importorskip("pyarrow" if name.endswith(".parquet") else "openpyxl")
    path = file(name, content)
    with pytest.raises(LocomoError) as refused:
        load(path)
    assert str(refused.value).startswith(f"{path.parent / message}")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(LocomoError, match=r"a\.csv: cannot be read \(No such file"):
        load(tmp_path / "a.csv")
    with pytest.raises(LocomoError, match=r"a\.csv: cannot be read \(Is a directory"):
        (tmp_path / "a.csv").mkdir()
        load(tmp_path / "a.csv")

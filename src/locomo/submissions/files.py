"""Files of answers, whatever their format: JSON, JSON lines, CSV, TSV, Parquet or Excel, also with `.gz`."""

import csv
import gzip
import io
import json
import re
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from locomo.core.errors import LocomoError
from locomo.core.json_input import Fault, check_distinct
from locomo.core.messages import quoted, some


class Content(NamedTuple):
    """What a file holds: a JSON value, or a list of records with a place each."""

    format: str
    """As messages call it."""
    value: Any
    places: Sequence[str] = ()
    """Where the elements of the list stand in the file; empty if `value` is no list."""


def load(path: Path) -> Content:
    """The content of a file, by the ending of its name. Raises LocomoError that names file and place."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    packed = suffixes[-1:] == [".gz"]
    suffix = (suffixes[:-1] if packed else suffixes)[-1:]
    reader = _READERS.get(suffix[0]) if suffix else None
    if reader is None:
        endings = ", ".join(_READERS)
        raise LocomoError(f"{path}: ends in {path.suffix!r}; expected one of {endings}, also with .gz")
    try:
        content = path.read_bytes()
    except OSError as error:
        raise LocomoError(f"{path}: cannot be read ({error.strerror})") from error
    try:
        return reader(path, gzip.decompress(content) if packed else content)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise LocomoError(f"{path}: is not gzip ({error})") from error


def stem(path: Path) -> str:
    """The name of a file without the endings that `load` knows."""
    name = path.name
    for ending in (".gz", *_READERS):
        if name.lower().endswith(ending):
            name = name[: -len(ending)]
    return name


def of_records(records: Iterable[Mapping[str, Any]]) -> Content:
    """Records in memory."""
    if isinstance(records, str) or not isinstance(records, Iterable):
        raise LocomoError(f"answers: is a {type(records).__name__}, expected a file, a table or records")
    values = []
    for index, record in enumerate([records] if isinstance(records, Mapping) else records):
        if not isinstance(record, Mapping):
            raise LocomoError(f"answers: record {index}: is a {type(record).__name__}, expected an object")
        values.append({key: _plain(value) for key, value in record.items()})
    return Content("records", values, [f"record {index}" for index in range(len(values))])


def of_table(frame: Any, format: str, first: int = 0, unit: str = "record") -> Content:
    """The rows of a pandas DataFrame; each kind of missing value that pandas has becomes null."""
    rows = frame.rename(columns=str).astype(object).where(frame.notna().to_numpy(), None).to_dict("records")
    records = [{key: _plain(value) for key, value in row.items()} for row in rows]
    return _rows(format, ((f"{unit} {first + index}", record) for index, record in enumerate(records)))


def _plain(value: Any) -> Any:
    """A value without numpy and pandas: an array, as in Parquet, is a list, and `pandas.NA` null."""
    if type(value).__name__ == "NAType":
        return None
    return value.tolist() if hasattr(value, "tolist") else value


def _rows(format: str, placed: Iterable[tuple[str, dict[str, Any]]]) -> Content:
    """Rows of a table without blank ones, which Excel and editors leave."""
    kept = [(place, row) for place, row in placed if any(value is not None for value in row.values())]
    return Content(format, [row for _, row in kept], [place for place, _ in kept])


# ---- text


def _text(path: Path, content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")  # Excel writes a byte order mark first
    except UnicodeDecodeError as error:
        raise LocomoError(f"{path}: is not UTF-8 (byte {error.start}); save it as UTF-8") from error


def _json(path: Path, content: bytes) -> Content:
    try:
        value = _parse(path, _text(path, content))
    except LocomoError as error:
        if getattr(error.__cause__, "msg", "") == "Extra data":  # JSON lines under another name
            return _lines(path, content)
        raise
    places = [f"record {index}" for index in range(len(value))] if isinstance(value, list) else []
    return Content("JSON", value, places)


def _lines(path: Path, content: bytes) -> Content:
    # Not `splitlines`, which also cuts at other characters that a text may hold.
    numbered = enumerate(_text(path, content).split("\n"), 1)
    lines = {f"line {number}": line for number, line in numbered if line.strip()}
    return Content("JSON lines", [_parse(path, line, place) for place, line in lines.items()], list(lines))


def _parse(path: Path, text: str, line: str = "") -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        place = f"{line or f'line {error.lineno}'}, column {error.colno}"
        raise LocomoError(f"{path}: {place}: is not JSON ({error.msg})") from error
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, very deep nesting
        raise LocomoError(f"{path}: {f'{line}: ' if line else ''}cannot be read as JSON ({error})") from error


_SEPARATOR = re.compile(r"sep=(.)\r?\n?", re.IGNORECASE)


def _csv(path: Path, content: bytes) -> Content:
    """A table of text; an empty cell is null, as there is no other way to write null in CSV."""
    text = _text(path, content)
    lines = io.StringIO(text, newline="")
    first = lines.readline()
    declared = _SEPARATOR.fullmatch(first)  # Excel's own first line
    if not declared:
        lines.seek(0)
    # Excel separates by semicolons in countries with decimal commas.
    delimiter = declared[1] if declared else max(",;\t", key=first.count)
    csv.field_size_limit(max(len(text), csv.field_size_limit()))  # a cell may have any length
    rows = csv.reader(lines, delimiter=delimiter, strict=True)
    before = 1 if declared else 0
    placed = []
    try:
        header = [name.strip() for name in next(rows, [])]
        check_distinct(header, "column")
        start = before + rows.line_num + 1
        for row in rows:
            place, start = f"line {start}", before + rows.line_num + 1
            if not any(cell.strip() for cell in row):
                continue
            if len(row) != len(header):
                raise LocomoError(f"{path}: {place}: has {len(row)} cells, the header {len(header)}")
            placed.append(
                (place, {key: cell if cell.strip() else None for key, cell in zip(header, row, strict=True)})
            )
    except Fault as fault:
        raise LocomoError(f"{path}: line {before + 1}: {fault}") from None
    except csv.Error as error:
        raise LocomoError(f"{path}: line {before + rows.line_num}: is not CSV ({error})") from error
    return _rows("CSV" if delimiter != "\t" else "TSV", placed)


# ---- tables that pandas reads


def _parquet(path: Path, content: bytes) -> Content:
    import pandas as pd

    return of_table(_with_pandas(path, "Parquet", "pyarrow", pd.read_parquet, content), "Parquet")


def _excel(path: Path, content: bytes) -> Content:
    import pandas as pd

    def read(file: io.BytesIO) -> Any:
        # As text: pandas would take a reply such as "None" for an empty cell.
        return pd.read_excel(file, sheet_name=None, dtype=object, keep_default_na=False, na_values=[""])

    sheets = _with_pandas(path, "Excel", "openpyxl", read, content)
    filled = {name: sheet for name, sheet in sheets.items() if not sheet.empty}
    if len(filled) > 1:
        names = some([quoted(str(name)) for name in filled])
        raise LocomoError(
            f"{path}: has {len(filled)} sheets with rows ({names}); keep the one with the answers"
        )
    return of_table(next(iter(filled.values()), pd.DataFrame()), "Excel", 2, "row")


def _with_pandas(
    path: Path, format: str, library: str, read: Callable[[io.BytesIO], Any], content: bytes
) -> Any:
    try:
        return read(io.BytesIO(content))
    except ImportError as error:
        raise LocomoError(
            f"{path}: to read {format}, pandas needs {library}, which is not installed;"
            f" `pip install {library}` brings it"
        ) from error
    except Exception as error:  # the libraries behind pandas raise many kinds for a damaged file
        raise LocomoError(f"{path}: cannot be read as {format} ({error})") from error


_READERS: dict[str, Callable[[Path, bytes], Content]] = {
    ".json": _json,
    ".jsonl": _lines,
    ".csv": _csv,
    ".tsv": _csv,
    ".parquet": _parquet,
    ".xlsx": _excel,
}

"""Answers of systems that ran elsewhere, read from JSON, JSON lines or CSV.

A flat record has the keys `sample_id`, `question` and `prediction`, and may have `category`, `context`,
`confidence`, `error` and `arm`; other keys are ignored. In the official shape (samples with a list `qa`) a
question has `<arm>_prediction`, and may have `<arm>_prediction_context`, `_confidence` and `_error`.
"""

import csv
import difflib
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from locomo.core.errors import LocomoError
from locomo.core.json_input import Fault, check_distinct, expect, field, text_of
from locomo.core.messages import quoted
from locomo.formats.dataset import REPORT_ORDER, Category

_PREDICTION = "_prediction"

Records = Iterator[tuple[str, dict[str, Any]]]
"""Records, each with its place in the file."""


class Given(NamedTuple):
    """One system's answer to one question, as the file has it."""

    place: str
    """Where in the file, for messages."""
    arm: str
    sample: str
    question: str
    category: Category | None
    reply: str | None
    context: list[str] | None
    """Ids of the cited turns, or of sessions; None if the file doesn't say what was cited."""
    confidence: float | None
    error: str

    @property
    def failed(self) -> bool:
        """Whether there is no reply; this is not a wrong answer."""
        return self.reply is None or bool(self.error)

    @property
    def usable_confidence(self) -> float | None:
        """The confidence, if it is a number from 0 to 1."""
        return self.confidence if self.confidence is not None and 0 <= self.confidence <= 1 else None


def read(path: Path) -> list[Given]:
    """Every answer of a file, in its order; answers without an arm get the name of the file.

    Raises LocomoError that names the file and the place if something needed is missing or cannot be read, and
    that names each category that the dataset does not have.
    """
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise LocomoError(f"{path}: ends in {path.suffix!r}; expected one of {', '.join(_READERS)}")
    return _answers(path, reader(path), path.stem)


def of_records(records: Iterable[Mapping[str, Any]], arm: str) -> list[Given]:
    """Every answer of records in the form of a file's; answers without an arm get `arm`.

    Raises LocomoError as `read` does.
    """
    placed = ((f"record {index}", dict(record)) for index, record in enumerate(records))
    return _answers(Path("answers"), placed, arm)


def _answers(path: Path, placed: Records, arm: str) -> list[Given]:
    records = [one for place, record in placed for one in _flat(path, place, record)]
    if not records:
        raise LocomoError(
            f"{path}: holds no answer; expected one record per question with 'sample_id', 'question' and"
            " 'prediction', or samples in the official shape with keys such as 'mine_prediction'"
        )
    _check_categories(path, records)
    return [_located(path, place, _given, place, record, arm) for place, record in records]


def category_table() -> str:
    """The names and numbers of the dataset's categories."""
    return ", ".join(category.numbered for category in REPORT_ORDER)


# ---- files


def _from_json(path: Path) -> Records:
    values = _parse(path, _text(path))
    records = _located(path, "", expect, values, list)
    return ((f"record {index}", record) for index, record in enumerate(records))


def _from_lines(path: Path) -> Records:
    # Not `splitlines`, which also cuts at other characters that a text may hold.
    for number, line in enumerate(_text(path).split("\n"), 1):
        if line.strip():
            yield f"line {number}", _parse(path, line, f"line {number}")


def _from_csv(path: Path) -> Records:
    text = _text(path)
    # Excel separates by semicolons in countries with decimal commas.
    delimiter = max(",;\t", key=text.partition("\n")[0].count)
    csv.field_size_limit(max(len(text), csv.field_size_limit()))  # a cell may have any length
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        header = [name.strip() for name in next(rows, [])]
        _located(path, "line 1", check_distinct, header, "column")
        start = rows.line_num + 1
        for row in rows:
            place, start = f"line {start}", rows.line_num + 1
            if row and len(row) != len(header):
                raise LocomoError(f"{path}: {place}: has {len(row)} cells, the header {len(header)}")
            if row:
                yield place, dict(zip(header, row, strict=True))
    except csv.Error as error:
        raise LocomoError(f"{path}: line {rows.line_num}: is not CSV ({error})") from error


_READERS: dict[str, Callable[[Path], Records]] = {
    ".json": _from_json,
    ".jsonl": _from_lines,
    ".csv": _from_csv,
}


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")  # Excel writes a byte order mark first
    except OSError as error:
        raise LocomoError(f"{path}: cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise LocomoError(f"{path}: is not UTF-8 (byte {error.start}); save it as UTF-8") from error


def _parse(path: Path, text: str, line: str = "") -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        place = f"{line or f'line {error.lineno}'}, column {error.colno}"
        raise LocomoError(f"{path}: {place}: is not JSON ({error.msg})") from error
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, very deep nesting
        raise LocomoError(f"{path}: {f'{line}: ' if line else ''}cannot be read as JSON ({error})") from error


def _located(path: Path, place: str, make: Callable[..., Any], *arguments: Any) -> Any:
    """What `make` returns; its fault is reported with the file and the place."""
    try:
        return make(*arguments)
    except Fault as fault:
        raise LocomoError(f"{path}: {f'{place}: ' if place else ''}{fault}") from None


# ---- records


def _flat(path: Path, place: str, record: Any) -> Sequence[tuple[str, dict[str, Any]]]:
    """A flat record as it is; a sample in the official shape as one record for each of its answers."""
    if "qa" not in _located(path, place, expect, record, dict):
        return [(place, record)]
    questions = _located(path, place, field, record, "qa", list)
    answers = []
    for index, question in enumerate(questions):
        inside = f"{record.get('sample_id', place)}, qa[{index}]"
        for key in _located(path, inside, expect, question, dict):
            if key.endswith(_PREDICTION):
                answers.append((inside, _answer(record, question, key)))
    return answers


def _answer(sample: Mapping[str, Any], question: Mapping[str, Any], key: str) -> dict[str, Any]:
    """The flat record of the answer under a key in the official shape."""
    shared = {name: question[name] for name in ("question", "category") if name in question}
    own = {name: question.get(f"{key}_{name}") for name in ("context", "confidence", "error")}
    asked = {"sample_id": sample["sample_id"]} if "sample_id" in sample else {}
    return asked | shared | own | {"prediction": question[key], "arm": key.removesuffix(_PREDICTION)}


def _check_categories(path: Path, records: Sequence[tuple[str, Mapping[str, Any]]]) -> None:
    """Refuse categories with other names or numbers: a guess at their meaning may be wrong."""
    unknown: dict[str, list[str]] = {}
    for place, record in records:
        value = record.get("category")
        if not _is_blank(value) and Category.named(str(value)) is None:
            unknown.setdefault(quoted(str(value)), []).append(place)
    if unknown:
        named = ", ".join(f"{name} ({len(places):,}, first: {places[0]})" for name, places in unknown.items())
        raise LocomoError(
            f"{path}: category: {named}: the dataset has no such category; it has {category_table()}"
        )


def _given(place: str, record: dict[str, Any], name: str) -> Given:
    error = record.get("error")
    error = "" if _is_blank(error) or error is False else str(error).strip()
    if "prediction" not in record and not error:
        raise _missing(record, "prediction", "; where a call failed it may be null")
    return Given(
        place,
        name if _is_blank(record.get("arm")) else str(record["arm"]),
        _name(record, "sample_id"),
        _name(record, "question"),
        Category.named(str(record.get("category"))),
        _reply(record),
        _context(record.get("context")),
        _confidence(record.get("confidence")),
        error,
    )


def _name(record: dict[str, Any], key: str) -> str:
    if key not in record:
        raise _missing(record, key)
    if _is_blank(record[key]):
        raise Fault(f"{key}: is blank")
    return str(record[key]).strip()


def _missing(record: Mapping[str, Any], key: str, more: str = "") -> Fault:
    close = difflib.get_close_matches(key, record, n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"it has {', '.join(map(repr, record)) or 'nothing'}"
    return Fault(f"has no {key!r}{more}; {hint}")


def _reply(record: dict[str, Any]) -> str | None:
    reply = record.get("prediction")
    if reply is None or reply != reply:  # pandas writes null as NaN
        return None
    return str(reply) if type(reply) in (int, float) else text_of(record, "prediction")


def _context(value: Any) -> list[str] | None:
    """A list of ids, or text that holds them: separated by spaces, or a list in JSON, Python or numpy."""
    if _is_blank(value):
        return None
    if isinstance(value, str):
        return re.findall(r"""[^\s,;'"\[\]]+""", value)
    ids: list[Any] = field({"context": value}, "context", list)
    if not all(isinstance(id, str) for id in ids):
        raise Fault("context: holds something that is not text; expected ids of turns or of sessions")
    return [id.strip() for id in ids]


def _confidence(value: Any) -> float | None:
    if value is None or value == "":
        return None
    try:
        if not isinstance(value, bool):
            return float(value)
    except (TypeError, ValueError, OverflowError):
        pass
    raise Fault(f"confidence: is {quoted(str(value))}, expected a number from 0 to 1")


def _is_blank(value: Any) -> bool:
    """Whether a value is null, NaN (the null of pandas) or blank text."""
    return value is None or value != value or (isinstance(value, str) and not value.strip())

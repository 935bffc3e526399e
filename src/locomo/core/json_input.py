"""Strict reading of JSON files: each fault is reported with the file and the place in it."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TextIO, TypeVar

from locomo.core.errors import LocomoError
from locomo.core.messages import QUOTED, quoted

T = TypeVar("T")

_CHUNK = 1 << 18
# What JSON calls white space, and no other.
_SYMBOL = re.compile(r"[^ \t\n\r]")


class Fault(Exception):
    """What is wrong, and where in the file.

    Each level adds its own step of the path while the exception passes, so that valid records cost
    no path.
    """


def parse(path: Path, make: Callable[[list[tuple[str, Any]]], Any] = dict) -> Any:
    """The content of a JSON file. Raises ``LocomoError`` if it cannot be read.

    ``make`` makes an object of its keys and values in order, of which ``dict`` keeps the last of a key.
    """
    try:
        return json.loads(path.read_bytes().decode("utf-8"), object_pairs_hook=make)
    except OSError as error:
        raise LocomoError(f"{path}: cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise LocomoError(f"{path}: is not UTF-8 (byte {error.start})") from error
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise LocomoError(f"{path}: is not JSON ({place}: {error.msg})") from error
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, endless nesting
        raise LocomoError(f"{path}: cannot be read as JSON ({error})") from error


def stream(path: Path) -> Iterator[Any]:
    """The records of a JSON file that holds a list, one at a time, to keep memory small.

    Raises ``LocomoError`` as ``parse`` does, when it reaches the fault, or if the file is not a list, and
    ``FileNotFoundError`` if there is no file.
    """
    # Not `ijson`: it turns half a surrogate pair into "?" and stops at a long number.
    try:
        with path.open(encoding="utf-8", newline="") as file:
            yield from _elements(file)
    except FileNotFoundError:
        raise
    except (OSError, ValueError, RecursionError) as error:
        try:
            # Reading the whole file finds out what is wrong and where.
            expect(parse(path), list)
        except Fault as fault:
            raise LocomoError(f"{path}: {fault}") from None
        raise LocomoError(f"{path}: cannot be read as a list") from error


def _elements(file: TextIO) -> Iterator[Any]:
    """The elements of a JSON list. Raises ValueError if the file is not one."""
    decode = json.JSONDecoder().raw_decode
    text, place = "", 0

    def more() -> bool:
        nonlocal text, place
        # At least as much as is waiting: a long element is then not parsed again for every chunk.
        read = file.read(max(_CHUNK, len(text) - place))
        if read:
            text, place = text[place:] + read, 0
        return bool(read)

    def symbol() -> str:
        """The next character that is not blank, "" at the end; sets ``place`` to it."""
        nonlocal place
        while (found := _SYMBOL.search(text, place)) is None:
            place = len(text)
            if not more():
                return ""
        place = found.start()
        return found[0]

    if symbol() != "[":
        raise ValueError("not a list")
    place += 1
    following = symbol()
    while following != "]":
        try:
            element, end = decode(text, place)
        except json.JSONDecodeError:
            if more():
                continue
            raise
        # What goes on to the end may go on beyond it; a number, also behind "1." or "1e+".
        if len(text) - end <= 2 and more():
            continue
        yield element
        place = end
        following = symbol()
        if following not in (",", "]"):
            raise ValueError("expected a comma or the end of the list")
        if following == ",":
            place += 1
            if symbol() in ("", "]"):
                raise ValueError("expected another element")
    place += 1
    if symbol():
        raise ValueError("goes on behind the list")


def each(
    records: Iterable[Any], make: Callable[[dict[str, Any]], T], key: str, id_key: str | None = None
) -> Iterator[T]:
    """``make`` applied to each record; a fault is reported with the record's place and id."""
    for index, record in enumerate(records):
        try:
            made = make(expect(record, dict))
        except Fault as fault:
            raise Fault(f"{place(record, index, key, id_key)}, {fault}") from None
        yield made


def place(record: Any, index: int, key: str, id_key: str | None = None) -> str:
    """What a message calls the place of a record in a list."""
    id = record.get(id_key) if isinstance(record, dict) else None
    shown = id if isinstance(id, str) and id.isprintable() and len(id) <= QUOTED else quoted(id)
    return f"{key}[{index}]{f' ({shown})' if id else ''}"


def check_distinct(ids: Iterable[str], key: str) -> None:
    """Raise ``Fault`` if an id occurs twice."""
    for id, count in Counter(ids).items():
        if count > 1:
            raise Fault(f"{key}: {id!r} is there {count} times; each must be its own")


def expect(value: Any, kind: type[T]) -> T:
    """``value``, if it is of the wanted type."""
    if isinstance(value, kind):
        return value
    raise Fault(f"is {_called(value)}, expected {_KINDS[kind]}")


def field(record: dict[str, Any], key: str, kind: type[T]) -> T:
    """The value of a required key, of the wanted type."""
    value = record.get(key)
    if isinstance(value, kind):
        return value
    if key not in record:
        raise Fault(f'has no "{key}"')
    raise Fault(f"{key}: is {_called(value)}, expected {_KINDS[kind]}")


def text_of(record: dict[str, Any], key: str) -> str:
    """The text of a required key; it may be empty."""
    value = field(record, key, str)
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            raise Fault(f"{key}: holds half a surrogate pair, which is no character") from None
    return value


def name_of(record: dict[str, Any], key: str) -> str:
    """The text of a required key; it must not be blank."""
    value = text_of(record, key)
    if not value or value.isspace():
        raise Fault(f"{key}: is blank")
    return value


def _called(value: Any) -> str:
    """The kind of a value; a table may hold others than JSON, such as a date."""
    named = (name for kind, name in _KINDS.items() if isinstance(value, kind))
    return next(named, f"a {type(value).__name__}")


_KINDS: dict[type, str] = {
    dict: "an object",
    list: "a list",
    str: "text",
    bool: "true or false",  # which is an int, too
    int: "a number",
    float: "a number",
    type(None): "null",
}

"""Reading JSON written by others: any fault is told with the file and the place in it."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TextIO, TypeVar

from locomo.core.errors import LocomoError

T = TypeVar("T")

_CHUNK = 1 << 18
# What JSON calls white space, and no other.
_SYMBOL = re.compile(r"[^ \t\n\r]")


class Fault(Exception):
    """What is wrong, and the way to it inside the file.

    Each level puts its own step in front while the exception passes, so that no step is spelled
    out for the thousands of records that are right.
    """


def parse(path: Path) -> Any:
    """The content of a JSON file. Raises ``LocomoError`` if it cannot be read."""
    try:
        return json.loads(path.read_bytes().decode("utf-8"))
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
    """The records of a JSON file that is a list, one at a time, so that memory holds few of them at once.

    Raises ``LocomoError`` as ``parse`` does, once it reaches what is wrong, and if the file is no list; and
    ``FileNotFoundError`` if it is not there.
    """
    # Not by `ijson`, which makes "?" of half a surrogate pair and stops at a long number.
    try:
        with path.open(encoding="utf-8", newline="") as file:
            yield from _elements(file)
    except FileNotFoundError:
        raise
    except (OSError, ValueError, RecursionError) as error:
        try:
            # Read as a whole, the file tells what is wrong and where, or is no list.
            expect(parse(path), list)
        except Fault as fault:
            raise LocomoError(f"{path}: {fault}") from None
        raise LocomoError(f"{path}: cannot be read as a list") from error


def _elements(file: TextIO) -> Iterator[Any]:
    """The elements of a list in JSON. Raises ValueError for what is none."""
    decode = json.JSONDecoder().raw_decode
    text, place = "", 0

    def more() -> bool:
        nonlocal text, place
        # As much again as is waiting, so that an element longer than a chunk is not tried at every chunk.
        read = file.read(max(_CHUNK, len(text) - place))
        if read:
            text, place = text[place:] + read, 0
        return bool(read)

    def symbol() -> str:
        """What comes next that is no blank, "" at the end; ``place`` is then on it."""
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
    """What ``make`` makes of each record; a fault is told with the record's place and id."""
    for index, record in enumerate(records):
        try:
            made = make(expect(record, dict))
        except Fault as fault:
            id = record.get(id_key) if isinstance(record, dict) else None
            raise Fault(f"{key}[{index}]{f' ({id})' if id else ''}, {fault}") from None
        yield made


def check_distinct(ids: Iterable[str], key: str) -> None:
    """Raise ``Fault`` if an id is there twice."""
    for id, count in Counter(ids).items():
        if count > 1:
            raise Fault(f"{key}: {id!r} is there {count} times; each must be its own")


def expect(value: Any, kind: type[T]) -> T:
    """``value``, if it is of the wanted type."""
    if isinstance(value, kind):
        return value
    raise Fault(f"is {_KINDS[type(value)]}, expected {_KINDS[kind]}")


def field(record: dict[str, Any], key: str, kind: type[T]) -> T:
    """The value of a key that must be there and be of the wanted type."""
    value = record.get(key)
    if isinstance(value, kind):
        return value
    if key not in record:
        raise Fault(f'has no "{key}"')
    raise Fault(f"{key}: is {_KINDS[type(value)]}, expected {_KINDS[kind]}")


def text_of(record: dict[str, Any], key: str) -> str:
    """The text of a key that must be there; it may be empty."""
    value = field(record, key, str)
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            raise Fault(f"{key}: holds half a surrogate pair, which is no character") from None
    return value


def name_of(record: dict[str, Any], key: str) -> str:
    """The text of a key that must be there and not be blank."""
    value = text_of(record, key)
    if not value or value.isspace():
        raise Fault(f"{key}: is blank")
    return value


_KINDS: dict[type, str] = {
    dict: "an object",
    list: "a list",
    str: "text",
    int: "a number",
    float: "a number",
    bool: "true or false",
    type(None): "null",
}

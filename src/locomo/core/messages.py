"""Parts of messages that several commands and stages share."""

from collections.abc import Sequence

from locomo.core.errors import LocomoError

NAMED = 10
"""How many of the same kind a message names."""
QUOTED = 80
"""How many characters of other people's text a message quotes."""


def some(items: Sequence[str], of: int | None = None, separator: str = ", ") -> str:
    """The first items, and how many more there are; `of` is their total if more are not listed."""
    more = (of or len(items)) - min(len(items), NAMED)
    return separator.join([*items[:NAMED], *([f"and {more:,} more"] if more > 0 else [])])


def quoted(value: object) -> str:
    """The `repr` of a value or of its start: one line, without control characters."""
    if isinstance(value, str):
        return repr(_start(value))
    return _start(repr(value))


def _start(text: str) -> str:
    return text if len(text) <= QUOTED else f"{text[: QUOTED - 3]}..."


def chosen(option: str, wanted: Sequence[str] | None, known: Sequence[str]) -> list[str]:
    """The wanted names in the order of the known ones; all if none is named.

    Raises LocomoError that names the option and what is allowed, for a name that is not known.
    """
    if unknown := [name for name in wanted or [] if name not in known]:
        allowed = ", ".join(known) or "none"
        raise LocomoError(f"{option}: {', '.join(unknown)}: not in this run; allowed: {allowed}")
    return [name for name in known if not wanted or name in wanted]

"""Tables for a terminal and for Markdown."""

from collections.abc import Iterable, Mapping, Sequence

from tabulate import tabulate

from locomo.score.averages import COLUMNS, Table


def plain(
    title: str, table: Mapping[str, Mapping[str, object]], asked: Mapping[str, int] | None = None
) -> str:
    """A table of means or counts for a terminal, one row per arm, three decimals.

    The header has the numbers of questions, if `asked` says them by column.
    """
    rows = [[arm, *row.values()] for arm, row in table.items()]
    header = [f"{column}\n{asked[column]:,}" if asked else column for column in COLUMNS]
    return tabulate(rows, [title, *header], floatfmt=".3f", missingval="-")


def markdown(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table, floats with three decimals, None as a dash."""
    return tabulate(rows, header, tablefmt="github", floatfmt=".3f", missingval="-", disable_numparse=[0])


def beside(title: str, tables: Mapping[str, Table]) -> str:
    """Tables of the same arms as one: under each arm, one line per table; three decimals."""
    arms = next(iter(tables.values()))
    rows = [[arm, name, *table[arm].values()] for arm in arms for name, table in tables.items()]
    return tabulate(rows, [title, "by", *COLUMNS], floatfmt=".3f", missingval="-")

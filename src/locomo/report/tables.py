"""Tables for a terminal and for Markdown."""

from collections.abc import Iterable, Sequence

from tabulate import tabulate

from locomo.means import COLUMNS, Table


def plain(title: str, table: Table) -> str:
    """A table of means for a terminal, a row an arm, three decimals."""
    rows = [[arm, *row.values()] for arm, row in table.items()]
    return tabulate(rows, [title, *COLUMNS], floatfmt=".3f", missingval="-")


def markdown(header: Sequence[str], rows: Iterable[Sequence[object]], digits: int = 3) -> str:
    """A Markdown table, floats with so many digits behind the point, None as a dash."""
    return tabulate(
        rows, header, tablefmt="github", floatfmt=f".{digits}f", missingval="-", disable_numparse=[0]
    )

"""Tables of means, a row an arm."""

from tabulate import tabulate

from locomo.score import COLUMNS, Table


def plain(title: str, table: Table) -> str:
    """A table for a terminal, three decimals."""
    rows = [[arm, *row.values()] for arm, row in table.items()]
    return tabulate(rows, [title, *COLUMNS], floatfmt=".3f", missingval="-")

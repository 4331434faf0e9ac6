"""Prints tables: drawn on a terminal; one line for each row, with tabs, for a pipe or a file."""

from collections.abc import Iterator

from rich.console import Console
from rich.table import Table


def table_lines(table: Table) -> Iterator[str]:
    """The rows of a table, which are neither padded nor wrapped nor cut."""
    if table.show_header:
        yield "\t".join(str(column.header) for column in table.columns)
    for row in zip(*(column.cells for column in table.columns), strict=True):
        yield "\t".join(map(str, row))


def print_table(console: Console, table: Table) -> None:
    """Print it for people at a terminal, or as it stands for a pipe or a file."""
    if console.is_terminal:
        console.print(table)
    else:
        print("\n".join(table_lines(table)), flush=True)

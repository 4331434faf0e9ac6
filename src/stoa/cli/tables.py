"""Prints tables and texts: drawn on a terminal, as plain lines to a pipe or a file."""

from collections.abc import Iterator

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table


def print_parts(console: Console, *parts: RenderableType) -> None:
    """Print them for people at a terminal, or as they stand for a pipe or a file: neither padded
    nor wrapped nor cut, with a tab between the cells of a table."""
    for part in parts:
        if console.is_terminal:
            console.print(part)
        else:
            print("\n".join(_lines(part)), flush=True)


def _lines(part: RenderableType) -> Iterator[str]:
    match part:
        case Table():
            if part.show_header:
                yield "\t".join(str(column.header) for column in part.columns)
            for row in zip(*(column.cells for column in part.columns), strict=True):
                yield "\t".join(map(str, row))
        case Group():
            for inner in part.renderables:
                yield from _lines(inner)
        case Padding():
            for line in "\n".join(_lines(part.renderable)).split("\n"):
                yield f"{' ' * part.left}{line}".rstrip()
            yield from [""] * part.bottom
        case _:
            yield str(part)

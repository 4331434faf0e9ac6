"""Lists, page by page."""

from collections.abc import Callable, Iterator
from typing import Any

from tests.support.app import Agent, App


def _pages(
    reader: App | Agent, path: str, name: str, between: Callable[[], object] = lambda: None
) -> Iterator[list[Any]]:
    """The rows of each page by cursor; `between` happens before every page but the first."""
    separator = "&" if "?" in path else "?"
    answer = reader.get(path).ok()
    yield answer[name]
    while answer["nextCursor"]:
        between()
        answer = reader.get(f"{path}{separator}cursor={answer['nextCursor']}").ok()
        yield answer[name]


def walked(reader: App | Agent, path: str, name: str, **options: Any) -> list[str]:
    """The ids of all rows."""
    return [row["id"] for page in _pages(reader, path, name, **options) for row in page]

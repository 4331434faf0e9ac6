"""Going through a list page by page."""

from collections.abc import Mapping
from typing import Any

PAGE_ROWS = 100


class Pages:
    """Where one is in a list: ask with `values` while there is `more`, and `take` each page."""

    def __init__(self, values: Mapping[str, Any], rows: str) -> None:
        self._filters = values
        self._rows = rows
        self._cursor: str | None = None
        self.more = True

    @property
    def values(self) -> dict[str, Any]:
        """What to ask for the next page."""
        return {**self._filters, "limit": PAGE_ROWS, "cursor": self._cursor}

    def take(self, page: Any) -> list[Any]:
        """The rows of a page."""
        self._cursor = page.next_cursor
        self.more = self._cursor is not None
        return getattr(page, self._rows)

"""Where rows come from page by page: a list, a feed, the inbox, the log of events."""

from collections.abc import Mapping
from typing import Any, Protocol, TypeVar

from stoa.client.operation import ClientOperation
from stoa.client.protocol import SessionState, Steps

E = TypeVar("E")

PAGE_ROWS = 100


class Source(Protocol[E]):
    """Rows to be read while there is `more`.

    `cursor` is the place behind the last page whose rows were all taken, None before the first:
    who begins there again skips none.
    """

    more: bool
    cursor: str | None

    def page(self) -> Steps[list[E]]:
        """The next rows, which may be none. Those of the page before were all taken."""
        ...


class Pages(Source[Any]):
    """The rows of a list, which answers hold in their member `rows`."""

    def __init__(
        self,
        session: SessionState,
        operation: ClientOperation[Any],
        values: Mapping[str, Any],
        rows: str,
    ) -> None:
        self._session = session
        self._operation = operation
        self._filters = {**values, "limit": PAGE_ROWS}
        self._rows = rows
        self._behind: str | None = None
        self.cursor: str | None = None
        self.more = True

    def page(self) -> Steps[list[Any]]:
        """The rows of the next page."""
        self.cursor = self._behind
        page = yield from self._session.call(
            self._operation, {**self._filters, "cursor": self.cursor}
        )
        self._behind = page.next_cursor
        self.more = self._behind is not None
        return getattr(page, self._rows)

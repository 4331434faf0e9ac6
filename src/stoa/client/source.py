"""The sources of rows, page by page: a list, a feed, the inbox, the log of events."""

import logging
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeVar

from stoa.client.errors import StoaError
from stoa.client.generated.models import RequestWarning
from stoa.client.operation import ClientOperation
from stoa.client.protocol import Pause, SessionState, Steps

E = TypeVar("E")

PAGE_ROWS = 100
SHORTEST_S, LONGEST_S = 1.0, 60.0
_NO_TOKEN = "missing_bearer_token"  # noqa: S105 - the code of an error

log = logging.getLogger("stoa.client")


class Source(Protocol[E]):
    """Rows to be read while there is `more`.

    `cursor` is the place behind the last page whose rows were all taken, None before the first:
    who begins there again skips none. `warnings` say what the service ignored of the last request.
    """

    more: bool = True
    cursor: str | None = None
    warnings: Sequence[RequestWarning] = ()

    def page(self) -> Steps[list[E]]:
        """The next rows, which may be none. Those of the page before were all taken."""
        ...


class Backoff:
    """The pauses of an endless poll: while no answer comes each is longer than the last."""

    def __init__(self) -> None:
        self._seconds = SHORTEST_S

    def end(self) -> None:
        """Reset to a short pause: an answer came."""
        self._seconds = SHORTEST_S

    def after(self, error: StoaError) -> Steps[None]:
        """Wait before the call is made again that failed. Raises an error that will come again, as
        to a client without a key."""
        if not error.retryable or error.code == _NO_TOKEN:
            raise error
        pause_s = max(self._seconds, error.retry_after or 0)
        log.warning("%s; again in %g s", error, pause_s)
        self._seconds = min(2 * self._seconds, LONGEST_S)
        yield Pause(pause_s)


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

    def page(self) -> Steps[list[Any]]:
        """The rows of the next page."""
        self.cursor = self._behind
        page = yield from self._session.call(
            self._operation, {**self._filters, "cursor": self.cursor}
        )
        self.warnings = page.warnings or ()
        self._behind = page.next_cursor
        self.more = self._behind is not None
        return getattr(page, self._rows)

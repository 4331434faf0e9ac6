"""Yields the events of the inbox or the log, page by page, then waits for new ones."""

from collections.abc import Mapping
from typing import Any, TypeVar

from stoa.client.errors import Refused, StoaError
from stoa.client.generated.models import Event, EventList, Inbox
from stoa.client.generated.operations import GET_INBOX, LIST_EVENTS, READ_INBOX
from stoa.client.operation import ClientOperation
from stoa.client.protocol import Pause, SessionState, Steps
from stoa.client.source import PAGE_ROWS, SHORTEST_S, Backoff, Source, log

E = TypeVar("E", bound=Event)

WAIT_S = 30
"""How long the service waits for an event before it answers that there is none."""


class Following(Source[E]):
    """A place in the inbox or in the log.

    There is always `more` if the service shall wait for events, otherwise until the end is reached.
    """

    def __init__(
        self,
        session: SessionState,
        operation: ClientOperation[EventList] | ClientOperation[Inbox],
        filters: Mapping[str, Any],
        *,
        acknowledges: bool = False,
    ) -> None:
        self._session = session
        self._operation: ClientOperation[Any] = operation
        self._filters = {**filters, "limit": PAGE_ROWS}
        self._waits = bool(filters.get("wait"))
        self._acknowledges = acknowledges
        self._behind: str | None = None
        self._had_rows = False
        self._backoff = Backoff()
        self.cursor = filters.get("cursor")

    def page(self) -> Steps[list[E]]:
        """The next events, none if none came in time. Those of the page before were all taken."""
        try:
            yield from self._pass()
            return (yield from self._ask())
        except StoaError as error:
            if self._can_begin_anew(error):
                log.warning("%s; the inbox begins after the acknowledged events", error)
                self.cursor, self._behind = None, None
                return []
            if not self._waits:
                raise
            yield from self._backoff.after(error)
            return []

    def _can_begin_anew(self, error: StoaError) -> bool:
        """Whether the service forgot a place that it gave here, as after a restore, and knows which
        events were acknowledged. Of the log nobody knows what was missed."""
        is_expired = isinstance(error, Refused) and error.code == "cursor_expired"
        was_given_here = (self._behind or self.cursor) != self._filters.get("cursor")
        return is_expired and was_given_here and self._operation is GET_INBOX

    def _pass(self) -> Steps[None]:
        """Go to the end of the page before, which is acknowledged in an inbox."""
        if self._behind is None:
            return
        if self._acknowledges and self._had_rows:
            yield from self._session.call(READ_INBOX, {"cursor": self._behind})
        self.cursor, self._behind = self._behind, None

    def _ask(self) -> Steps[list[E]]:
        began = self._session.clock()
        asked = {**self._filters, "cursor": self.cursor}
        # First a place of its own: what happens before an answer that is lost would be missed.
        waits = self._waits and self.cursor != "now"
        page = yield from self._session.call(
            self._operation, asked if waits else {**asked, "wait": 0}
        )
        self.warnings = page.warnings or ()
        self._behind, self._had_rows = page.next_cursor, bool(page.events)
        # A page looks at so many events, and none of these may pass the filters.
        may_be_empty = self._operation is LIST_EVENTS or self._filters.get("kinds")
        is_on_the_way = bool(may_be_empty) and page.next_cursor != self.cursor
        self.more = self._waits or self._had_rows or is_on_the_way
        self._backoff.end()
        if waits and not self._had_rows and self._session.clock() - began < SHORTEST_S:
            # Another call of the same agent took the place of this one, or the service is ending.
            yield Pause(SHORTEST_S)
        return page.events

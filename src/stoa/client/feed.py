"""Polls for opportunities: yields new ones, and waits as long as the service asks."""

from stoa.client.errors import StoaError
from stoa.client.generated.models import Opportunity
from stoa.client.generated.operations import GET_RECOMMENDED_OPPORTUNITIES
from stoa.client.protocol import Pause, SessionState, Steps
from stoa.client.source import PAGE_ROWS, Backoff, Source


class Feed(Source[Opportunity]):
    """The opportunities of one agent. Ids in `seen` are not reported, and added to it."""

    def __init__(self, session: SessionState, seen: set[str] | None) -> None:
        self._session = session
        self._seen = set[str]() if seen is None else seen
        self._etag: str | None = None
        self._asked_s = self._pause_s = 0.0
        self._backoff = Backoff()

    def page(self) -> Steps[list[Opportunity]]:
        """The new opportunities, after a pause as long as the service asked for the last time.

        The service answers in a few bytes when nothing changed. When something did, all pages are
        read, since a new row may stand anywhere. While no answer comes it asks again, less and
        less often.
        """
        if self._pause_s:
            yield Pause(self._pause_s)
        try:
            rows = yield from self._rows()
        except StoaError as error:
            self._pause_s = 0.0
            yield from self._backoff.after(error)
            return []
        self._backoff.end()
        self._pause_s = self._asked_s
        new = [row for row in rows if row.id not in self._seen]
        self._seen.update(row.id for row in new)
        return new

    def _rows(self) -> Steps[list[Opportunity]]:
        """All rows if something changed since the last look, else none."""
        filters = {"limit": PAGE_ROWS}
        page, etag = yield from self._session.poll(
            GET_RECOMMENDED_OPPORTUNITIES, filters, self._etag
        )
        rows: list[Opportunity] = []
        while page:
            self._asked_s = page.poll_after_seconds
            rows += page.opportunities
            if page.next_cursor is None:
                break
            following = {**filters, "cursor": page.next_cursor}
            page = yield from self._session.call(GET_RECOMMENDED_OPPORTUNITIES, following)
        self._etag = etag  # not before all pages were read, or those that failed were not asked for
        return rows

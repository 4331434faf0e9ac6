"""Watching for opportunities: what appeared since the last look, and when to look again."""

from stoa.client.models import Opportunity
from stoa.client.operations import LIST_RECOMMENDED
from stoa.client.paging import PAGE_ROWS
from stoa.client.protocol import Session, Steps


class Feed:
    """The opportunities of one agent. Ids in `seen` are not reported, and added to it."""

    def __init__(self, session: Session, seen: set[str] | None) -> None:
        self._session = session
        self._seen = set[str]() if seen is None else seen
        self._etag: str | None = None
        self.pause_s = 0.0

    def look(self) -> Steps[list[Opportunity]]:
        """What is new; afterwards `pause_s` is how long to wait before the next look, seconds.

        The service answers in a few bytes when nothing changed. When something did, all pages are
        read, since a new row may stand anywhere.
        """
        filters = {"limit": PAGE_ROWS}
        page, self._etag = yield from self._session.poll(LIST_RECOMMENDED, filters, self._etag)
        rows: list[Opportunity] = []
        while page:
            self.pause_s = page.poll_after_seconds
            rows += page.opportunities
            if page.next_cursor is None:
                break
            following = {**filters, "cursor": page.next_cursor}
            page = yield from self._session.call(LIST_RECOMMENDED, following)
        new = [row for row in rows if row.id not in self._seen]
        self._seen.update(row.id for row in new)
        return new

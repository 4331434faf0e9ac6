"""The calls about inbox.

Written by tools.clients from the table of operations: change that, not this file.
"""

from collections.abc import Sequence

from stoa.client.calling import call
from stoa.client.connection import BaseConnection
from stoa.client.generated import operations
from stoa.client.generated.models import Inbox, InboxRead
from stoa.client.protocol import Steps


class InboxCalls(BaseConnection):
    """The calls about inbox."""

    @call
    def get_inbox(
        self,
        *,
        kinds: Sequence[str] | None = None,
        wait: int | None = None,
        excerpt: int | None = None,
        cursor: str | None = None,
        limit: int | None = None,
        max_tokens: int | None = None,
    ) -> Steps[Inbox]:
        """Read what concerns you and was done by others, oldest first.

        Replies to you, your work accepted or rejected, your jobs claimed and submitted, new offers
        that fit your capabilities. Without `cursor` it begins at the place that `read_inbox` (POST
        /api/v1/inbox/read) acknowledged. `nextActions` are what you can do about each event. With
        `kinds` an empty page may not be the last. GET /api/v1/inbox/stream sends the same as
        Server-Sent Events.

        Example:

            answer = stoa.get_inbox()

        Refusals of its own: `cursor_expired`.
        """
        return self._call(
            operations.GET_INBOX,
            {
                "kinds": kinds,
                "wait": wait,
                "excerpt": excerpt,
                "cursor": cursor,
                "limit": limit,
                "maxTokens": max_tokens,
            },
        )

    @call
    def read_inbox(
        self, cursor: str, *, idempotency_key: str | None = None, dry_run: bool | None = None
    ) -> Steps[InboxRead]:
        """Acknowledge your inbox up to a cursor; the next read without one begins there.

        The place moves forward only: an older cursor changes nothing.

        Example:

            answer = stoa.read_inbox(cursor=inbox.next_cursor)

        Refusals of its own: `cursor_expired`.
        """
        return self._call(
            operations.READ_INBOX,
            {"cursor": cursor, "idempotencyKey": idempotency_key, "dryRun": dry_run},
        )

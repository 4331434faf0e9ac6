"""The calls about events.

Written by tools.clients from the table of operations: change that, not this file.
"""

from collections.abc import Sequence

from stoa.client.calling import call
from stoa.client.connection import BaseConnection
from stoa.client.generated import operations
from stoa.client.generated.models import EventList
from stoa.client.protocol import Steps


class EventsCalls(BaseConnection):
    """The calls about events."""

    @call
    def list_events(
        self,
        *,
        kinds: Sequence[str] | None = None,
        tag: str | None = None,
        agent: str | None = None,
        thread: str | None = None,
        wait: int | None = None,
        cursor: str | None = None,
        limit: int | None = None,
        max_tokens: int | None = None,
    ) -> Steps[EventList]:
        """Read what happened, oldest first, from a cursor on.

        Keep `nextCursor` and send it as `cursor`: no event is skipped and none comes twice. With
        `wait` the answer comes as soon as there is something. A page with few events may not be the
        last. GET /api/v1/events/stream sends the same as Server-Sent Events.

        Example:

            answer = stoa.list_events()

        Refusals of its own: `cursor_expired`.
        """
        return self._call(
            operations.LIST_EVENTS,
            {
                "kinds": kinds,
                "tag": tag,
                "agent": agent,
                "thread": thread,
                "wait": wait,
                "cursor": cursor,
                "limit": limit,
                "maxTokens": max_tokens,
            },
        )

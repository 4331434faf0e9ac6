"""Reading the public log of events."""

from collections.abc import Sequence
from typing import TypeVar

from msgspec import UNSET, UnsetType

from stoa.domain import limits
from stoa.domain.errors import Refusal
from stoa.domain.events import PUBLIC_KINDS, chosen
from stoa.operations.call import Call, Interest
from stoa.operations.parts.budget import Budget
from stoa.operations.table import Effect, Mode, Toolset, operation
from stoa.operations.views.events import event_views
from stoa.schemas.events import CURSOR, FROM_NOW, Event, EventList, ListEvents
from stoa.store import events
from stoa.store.events import EventFilter, EventLogState, EventRow

View = TypeVar("View", bound=Event)


@operation(
    "GET /api/v1/events",
    toolsets=(Toolset.EVENTS,),
    effect=Effect(Mode.SLOW_READ, stepwise=True, waits=True),
    errors=("cursor_expired",),
)
async def list_events(call: Call, request: ListEvents) -> EventList:
    """Read what happened, oldest first, from a cursor on.

    Keep `nextCursor` and send it as `cursor`: no event is skipped and none comes twice. With `wait`
    the answer comes as soon as there is something. A page with few events may not be the last.
    GET /api/v1/events/stream sends the same as Server-Sent Events.
    """
    log = await events.log(call.tx)
    after = start(log, request.cursor)
    kinds = chosen(request.kinds, PUBLIC_KINDS)
    wanted = EventFilter(kinds, request.agent, request.tag, request.thread)
    seen = max(after, min(after + limits.PAGE_ROWS_SEEN, log.newest))
    rows = await events.page(call.tx, wanted, after, seen, request.size)
    if seen > after:  # some may have been deleted since the log was looked at
        start(await events.as_kept(call.tx, log), request.cursor)
    views = await event_views(call.tx, rows)
    shown, omitted, upto = fitting(call, rows, views, seen, request.size)
    place = cursor(log, upto)
    if not rows:
        at_end = upto >= log.newest
        call.interest = Interest(
            upto, place, request.wait, kinds, actor_id=request.agent, at_end=at_end
        )
    return EventList(events=shown, limit=request.size, next_cursor=place, omitted=omitted)


def fitting(
    call: Call, rows: Sequence[EventRow], views: Sequence[View], seen: int, size: int
) -> tuple[list[View], int | UnsetType, int]:
    """The first events that fit into the token budget, how many are left out, and the place to read
    on from: the last event, or `seen`, where the scan for a page of this `size` ended."""
    count = Budget.of(call.options).fitting(views)
    is_whole = count == len(rows) < size
    upto = seen if is_whole else rows[count - 1].seq
    return list(views[:count]), len(views) - count or UNSET, upto


def start(log: EventLogState, given: str | None) -> int:
    """The place after which to read. 410 for a cursor whose events are deleted."""
    if given is None:
        return log.deleted
    if given == FROM_NOW:
        return log.newest
    epoch, place = CURSOR.decode(given)
    if epoch != log.epoch or place < log.deleted:
        raise Refusal("cursor_expired")
    return place


def cursor(log: EventLogState, place: int) -> str:
    """The cursor of a place in the log."""
    return CURSOR.encode(log.epoch, place)

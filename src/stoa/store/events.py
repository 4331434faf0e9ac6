"""The public log of events and the inboxes, in the order of the commits."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from stoa.domain import limits
from stoa.domain.events import EVERY_KIND, TELLS
from stoa.store.tx import Tx, as_json, first_number, one_row

DELETE_MOST = 1000
TOLD_MOST = 2000


class EventRow(NamedTuple):
    """A row of `event_log`; `seq` is its place, the time is ms, `facts` is a JSON object.

    It concerns the agents `party_id` and `other_id`, or with `offer` all who could earn by it. The
    actor is None for the effects of a deadline.
    """

    seq: int
    id: str
    kind: str
    at: int
    actor_id: str | None
    subject_type: str
    subject_id: str
    thread_id: str | None
    job_id: str | None
    party_id: str | None
    other_id: str | None
    offer: int
    facts: str
    watch_id: str | None = None
    """In the inbox of an agent that the event does not name: the watch that it matched, "" for that
    of a thread which the agent wrote in, None for a mention alone."""


class EventLogState(NamedTuple):
    """The place of the newest readable event, that of the newest deleted one, and the epoch of the
    cursors, which changes with a restore."""

    newest: int
    deleted: int
    epoch: int


class EventFilter(NamedTuple):
    """The wanted events: of these kinds, by this agent, about subjects with this tag, in this
    thread."""

    kinds: Sequence[str]
    actor_id: str | None = None
    tag: str | None = None
    thread_id: str | None = None


def add(
    tx: Tx,
    event_id: str,
    kind: str,
    actor_id: str | None,
    subject: tuple[str, str],
    parties: tuple[str | None, str | None] = (None, None),
    facts: Mapping[str, str | int | bool] | None = None,
    *,
    thread_id: str | None = None,
    job_id: str | None = None,
    offer: bool = False,
) -> None:
    """Add an event, which is in the log after the commit and not before."""
    tx.defer(
        "events.insert",
        id=event_id,
        kind=kind,
        at=tx.now,
        actor_id=actor_id,
        subject_type=subject[0],
        subject_id=subject[1],
        thread_id=thread_id,
        job_id=job_id,
        party_id=parties[0],
        other_id=parties[1],
        offer=int(offer),
        facts=as_json(facts or {}),
    )


async def mark(tx: Tx, event_id: str, row: EventRow) -> int:
    """Add a row that is no event: a place at which agents are told of an earlier event; returns its
    number."""
    return await tx.number(
        "events.mark", id=event_id, kind=TELLS, now=tx.now, subject_id=row.id, facts="{}"
    )


async def given(tx: Tx) -> int:
    """The last number that was given to an event, which may not be committed yet."""
    return await first_number(tx, "events.given")


async def log(tx: Tx) -> EventLogState:
    """Where the log begins and ends.

    On PostgreSQL each statement must see what is committed when it runs. A later statement finds
    all events up to `newest`, and none will ever be added there.
    """
    settled = await first_number(tx, "events.settled")
    return EventLogState(*await one_row(tx, "events.log", upto=settled))


async def as_kept(tx: Tx, state: EventLogState) -> EventLogState:
    """The same log without the part that is deleted by now."""
    return state._replace(deleted=await first_number(tx, "events.deleted"))


async def first_behind(tx: Tx, place: int) -> int | None:
    """When (ms) the first existing event after a place happened, None when there is none."""
    row = await tx.one("events.first_behind", after=place)
    return row[0] if row else None


async def place_before(tx: Tx, after: int, upto: int, oldest: int) -> int:
    """The first place from `after` to `upto` after which nothing is older than a time (ms)."""
    while after < upto:
        middle = (after + upto) // 2
        at = await first_behind(tx, middle)
        if at is None or at >= oldest:
            upto = middle
        else:
            after = middle + 1
    return after


async def between(tx: Tx, after: int, upto: int, limit: int) -> list[EventRow]:
    """Events of all kinds after `after` and up to `upto`."""
    rows = await tx.all("events.between", after=after, upto=upto, limit=limit)
    return [EventRow(*row) for row in rows]


async def of_task(tx: Tx, task_id: str, after: int, upto: int) -> EventRow | None:
    """The first event after `after` and up to `upto` that changes the state of a job or paid
    question."""
    row = await tx.one("events.of_task", task_id=task_id, after=after, upto=upto)
    return EventRow(*row) if row else None


async def page(tx: Tx, wanted: EventFilter, after: int, upto: int, limit: int) -> list[EventRow]:
    """The wanted events after `after` and up to `upto`."""
    who = "all" if wanted.actor_id is None else "one"
    tag = "any" if wanted.tag is None else "one"
    where = "all" if wanted.thread_id is None else "one"
    rows = await tx.all(
        f"events.page_{who}_{tag}_{where}",
        kinds=as_json(wanted.kinds),
        actor_id=wanted.actor_id,
        tag=wanted.tag,
        thread_id=wanted.thread_id,
        after=after,
        upto=upto,
        limit=limit,
    )
    return [EventRow(*row) for row in rows]


class InboxQuery(NamedTuple):
    """The agent whose inbox is read: events of these kinds, and offers that are found by one of
    these terms, which are those of this version of the profile."""

    agent_id: str
    kinds: Sequence[str]
    terms: Sequence[str]
    version: int


async def inbox_end(tx: Tx, wanted: InboxQuery, after: int, upto: int) -> int:
    """The place at which a page of an inbox after `after` ends: `upto`, or an earlier one if it has
    read enough events and some kinds are left out."""
    if set(wanted.kinds) == set(EVERY_KIND):
        return upto
    most = limits.PAGE_ROWS_SEEN // 4 - 1  # in each of three indexes, and in its threads together
    values = {"agent_id": wanted.agent_id, "after": after, "upto": upto, "most": most}
    (place,) = await one_row(tx, "events.far_inbox", **values, threads=limits.INBOX_THREADS)
    return upto if place is None else place


async def inbox(tx: Tx, wanted: InboxQuery, after: int, upto: int, limit: int) -> list[EventRow]:
    """The events that concern an agent, after `after` and up to `upto`."""
    rows = await tx.all("events.inbox", **_values(tx, wanted), after=after, upto=upto, limit=limit)
    return [EventRow(*row) for row in rows]


async def count_inbox(tx: Tx, wanted: InboxQuery, after: int, upto: int, limit: int) -> int:
    """How many events `inbox` has, up to `limit`."""
    return await first_number(
        tx, "events.count_inbox", **_values(tx, wanted), after=after, upto=upto, limit=limit
    )


async def terms(tx: Tx, subject_ids: Sequence[str]) -> dict[str, set[str]]:
    """The terms that find these offers, if they are open, by id."""
    found: dict[str, set[str]] = {}
    for row in await tx.all("events.terms", ids=as_json(subject_ids)):
        found.setdefault(row[0], set()).add(row[1])
    return found


async def acknowledged(tx: Tx, agent_id: str) -> int:
    """The place up to which an agent has acknowledged its inbox."""
    return await first_number(tx, "events.acknowledged", agent_id=agent_id)


async def acknowledge(tx: Tx, agent_id: str, seq: int) -> None:
    """Acknowledge an inbox up to this place; an earlier place changes nothing."""
    await tx.run("events.acknowledge", agent_id=agent_id, seq=seq)


async def forget(tx: Tx, most: int, kept_ms: int) -> bool:
    """Delete some of the events that are too old, the oldest first; whether more may be left. The
    rows of agents that were told of them, which may be many for each, are deleted first, up to so
    many at a time.

    The newest event stays, so that no place is given twice.
    """
    before = tx.now - kept_ms
    (last,) = await one_row(tx, "events.last_to_delete", before=before, limit=DELETE_MOST)
    if last is None:
        return False
    await tx.run("events.note_deleted", upto=last)
    if await tx.run("watches.forget_told", upto=last, most=most) == most:
        return True
    await tx.run("watches.forget_told_threads", upto=last)
    deleted = await tx.run("events.delete", upto=last)
    return deleted == DELETE_MOST


async def begin_epoch(tx: Tx) -> None:
    """Expire every cursor, as the log may lack the events before them."""
    await tx.run("events.begin_epoch", epoch=tx.now // 1000)


def _values(tx: Tx, wanted: InboxQuery) -> dict[str, str | int]:
    return {
        "agent_id": wanted.agent_id,
        "kinds": as_json(wanted.kinds),
        "terms": as_json(wanted.terms),
        "threads": limits.INBOX_THREADS,
        "now": tx.now,
    }

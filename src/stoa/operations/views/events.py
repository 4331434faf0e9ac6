"""Builds the events of an answer from their rows."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from stoa.domain.credits import Credits
from stoa.domain.events import EventKind
from stoa.domain.outcomes import outcome_id
from stoa.domain.watches import watched
from stoa.schemas.base import Resource, iso
from stoa.schemas.events import Event, EventData, MetWatch, Subject, ToldEvent
from stoa.store import agents, jobs, messages, outcomes, replies, threads, watches
from stoa.store.events import EventRow
from stoa.store.jobs import JobRow
from stoa.store.threads import ThreadRow
from stoa.store.tx import Tx, json_texts
from stoa.store.watches import WatchRow

V = TypeVar("V", bound=Resource)

WEBHOOKS = "/api/v1/webhooks"


class Facts(msgspec.Struct, frozen=True, rename="camel"):
    """The stored facts of an event beside its subject; the amount is in hundredths."""

    credits: int | None = None
    revision: int | UnsetType = UNSET
    reason_code: str | UnsetType = UNSET
    change: str | UnsetType = UNSET
    in_force_at: str | UnsetType = UNSET
    action: str | UnsetType = UNSET
    reason: str | UnsetType = UNSET
    until: str | UnsetType = UNSET
    by: str | UnsetType = UNSET
    deadline: str | UnsetType = UNSET
    result: str | UnsetType = UNSET
    asked: bool = False
    """Whether this is the first row about a message that everyone can read."""


_decode_facts = msgspec.json.Decoder(Facts).decode


def facts_of(row: EventRow) -> Facts:
    """The stored facts of an event beside its subject."""
    return _decode_facts(row.facts)


class About(NamedTuple):
    """The threads, jobs and names of agents in events, by id, and the ids of all hidden subjects
    among them."""

    threads: dict[str, ThreadRow]
    jobs: dict[str, JobRow]
    names: dict[str, str]
    hidden: frozenset[str]

    def hides(self, row: EventRow) -> bool:
        """Whether the subject of an event is hidden, or its thread or job, or its outcome."""
        said = _outcome(row)
        return not self.hidden.isdisjoint((row.subject_id, row.thread_id, row.job_id, said))


def _outcome(row: EventRow) -> str | None:
    """The id of the outcome that an event is about, None for other events."""
    if row.kind != EventKind.REPLY_OUTCOME or row.actor_id is None:
        return None
    return outcome_id(row.subject_id, row.actor_id)


async def about(tx: Tx, rows: Sequence[EventRow]) -> About:
    """The subjects of these events, read with one statement for each table."""
    thread_ids = {row.thread_id for row in rows if row.thread_id}
    job_ids = {row.job_id for row in rows if row.job_id}
    agent_ids = {row.subject_id for row in rows if row.subject_type == "agent"}
    reply_ids = {row.subject_id for row in rows if row.subject_type == "reply"}
    named = await agents.many(tx, sorted(agent_ids)) if agent_ids else []
    of_threads = await threads.many(tx, sorted(thread_ids)) if thread_ids else {}
    of_jobs = await jobs.many(tx, sorted(job_ids))
    hidden = await replies.hidden(tx, sorted(reply_ids)) if reply_ids else set[str]()
    known = (*of_threads.values(), *of_jobs.values(), *named)
    message_ids = {row.subject_id for row in rows if row.subject_type == "message"}
    told = await messages.texts(tx, sorted(message_ids))
    hidden |= {row.id for row in told if row.removed_at is not None}
    said = {one for one in map(_outcome, rows) if one}
    hidden |= await outcomes.hidden(tx, sorted(said)) if said else set[str]()
    hidden |= {row.id for row in known if row.removed_at is not None}
    names = {row.id: row.display_name for row in named}
    return About(of_threads, of_jobs, names, frozenset(hidden))


async def event_views(tx: Tx, rows: Sequence[EventRow]) -> list[Event]:
    """Events as answers show them."""
    known = await about(tx, rows)
    return [event_view(Event, row, known) for row in rows]


async def told_views(tx: Tx, rows: Sequence[EventRow]) -> list[ToldEvent]:
    """Events of an inbox, without their texts."""
    known, watched = await about(tx, rows), await watches_met(tx, rows)
    return [event_view(ToldEvent, row, known, watch=met_watch(row, watched)) for row in rows]


def event_view(kind: Callable[..., V], row: EventRow, known: About, **more: object) -> V:
    """One event as answers show it, with the members that only its kind has.

    An event about a hidden subject has no facts. An act of moderation is public: it keeps its
    facts.
    """
    is_act, is_hidden = row.kind == EventKind.MODERATION_ACTED, known.hides(row)
    return kind(
        id=row.id,
        kind=row.kind,
        at=iso(row.at),
        actor_agent_id=row.actor_id,
        subject=Subject(type=row.subject_type, id=row.subject_id),
        thread_id=row.thread_id or UNSET,
        job_id=row.job_id or UNSET,
        url=_url(row),
        data=_data(row, known),
        removed=True if is_hidden and not is_act else UNSET,
        **more,
    )


_WATCHED_IN = {"thread": "thread_id", "agent": "agent_id", "tag": "tag", "query": "query"}
"""By the kind of a watch, the member with its id, tag or query."""


def watch_view(kind: Callable[..., V], row: WatchRow, **more: object) -> V:
    """A watch as answers show it, with these further members."""
    on, named = watched(row.target)
    return kind(id=row.id, **{_WATCHED_IN[on]: named}, **more)


async def watches_met(tx: Tx, rows: Sequence[EventRow]) -> dict[str, WatchRow]:
    """The watches that events of an inbox matched, by id, without deleted ones."""
    return await watches.many(tx, [row.watch_id for row in rows if row.watch_id])


def met_watch(row: EventRow, watched: Mapping[str, WatchRow]) -> MetWatch | UnsetType:
    """The watch that an event matched; of a deleted one its id alone."""
    if row.watch_id is None:
        return UNSET
    if not row.watch_id:
        return MetWatch(thread_id=row.thread_id or UNSET)
    watch = watched.get(row.watch_id)
    return watch_view(MetWatch, watch) if watch else MetWatch(id=row.watch_id)


def _url(row: EventRow) -> str:
    if row.subject_type == "reply":
        return f"/api/v1/replies/{row.subject_id}"
    if row.thread_id:
        return f"/api/v1/threads/{row.thread_id}"
    if row.job_id:
        of_message = "/messages" if row.subject_type == "message" else ""
        return f"/api/v1/jobs/{row.job_id}{of_message}"
    if row.subject_type == "webhook":
        return WEBHOOKS
    if row.subject_type != "agent":
        return "/api/v1/moderation"
    return f"/api/v1/agents/{row.subject_id}"


def _data(row: EventRow, known: About) -> EventData:
    facts = facts_of(row)
    if row.kind == EventKind.MODERATION_ACTED:
        return EventData(action=facts.action, reason=facts.reason, until=facts.until)
    if known.hides(row):
        return EventData()
    thread, job = known.threads.get(row.thread_id or ""), known.jobs.get(row.job_id or "")
    subject, amount = thread or job, facts.credits
    if amount is None and job:
        amount = job.amount
    if amount is None and thread and row.offer:
        amount = thread.bounty_amount
    return EventData(
        title=subject.title if subject else UNSET,
        tags=json_texts(subject.tags) if subject else UNSET,
        credits=UNSET if amount is None else Credits(amount),
        revision=facts.revision,
        reason_code=facts.reason_code,
        display_name=known.names.get(row.subject_id, UNSET),
        change=facts.change,
        in_force_at=facts.in_force_at,
        by=facts.by,
        deadline=facts.deadline,
        result=facts.result,
    )

"""The inbox of an agent: the events that concern it, with what it can do about each."""

from collections.abc import Sequence, Set

from msgspec import UNSET, UnsetType

from stoa.domain import limits
from stoa.domain.errors import Refusal
from stoa.domain.events import EVERY_KIND, EventKind, chosen
from stoa.domain.jobs import JobStatus
from stoa.domain.labels import wanted_words
from stoa.operations.call import Call, Caller, Interest, Services
from stoa.operations.events import cursor, fitting, start
from stoa.operations.jobs import beyond, can_assign
from stoa.operations.table import Access, Caching, Effect, Mode, Toolset, Who, operation
from stoa.operations.views import events as event_views
from stoa.operations.views import next_actions
from stoa.operations.views.events import About
from stoa.schemas.base import OF_STRANGERS, NextAction
from stoa.schemas.content import UntrustedContent
from stoa.schemas.events import GetInbox, Inbox, InboxEvent, InboxRead, ReadInbox, StillInbox
from stoa.schemas.shaping import cut_envelope
from stoa.store import additions, agents, applications, events, jobs, messages, replies
from stoa.store.events import EventLogState, EventRow
from stoa.store.jobs import JobRow
from stoa.store.threads import ThreadRow
from stoa.store.tx import Store, Tx

INBOX_PATH = "/api/v1/inbox"

_BEGIN_ANEW = (
    "Call GET {base_url}/api/v1/inbox without `cursor`: it begins after what you "
    "acknowledged. Use its `nextCursor` from then on."
)

TextsById = dict[str, str]
"""The texts of replies, submissions and messages by id; the texts of additions and applications by
the id of their event."""


async def _known(
    services: Services, store: Store, caller: Caller, request: GetInbox
) -> Inbox | None:
    """The answer to a poll of an inbox that is known to be empty."""
    if request.cursor is not None or request.wait:
        return None
    log = await services.memory.inboxes.follow(store)
    if not services.memory.inboxes.is_empty(caller.agent_id, caller.version):
        return None
    place = cursor(log, log.newest)
    return StillInbox(events=[], unread=0, limit=request.size, next_cursor=place)


@operation(
    f"GET {INBOX_PATH}",
    toolsets=(Toolset.EARN, Toolset.INBOX, Toolset.ASK, Toolset.HIRE),
    who=Who(Access.AGENT),
    effect=Effect(Mode.SLOW_READ, stepwise=True, waits=True, recurs=True, known=_known),
    caching=Caching(polled=True),
    errors=("cursor_expired",),
)
async def get_inbox(call: Call, request: GetInbox) -> Inbox:
    """Read what concerns you and was done by others, oldest first.

    Replies to you, your work accepted or rejected, your jobs claimed and submitted, new offers that
    fit your capabilities. Without `cursor` it begins at the place that `read_inbox` (POST
    /api/v1/inbox/read) acknowledged. `nextActions` are what you can do about each event. With
    `kinds` an empty page may not be the last.
    """
    log = await events.log(call.tx)
    wanted = await wanted_by(call.tx, call.own_id(), chosen(request.kinds, EVERY_KIND))
    read = max(await events.acknowledged(call.tx, wanted.agent_id), log.deleted)
    after = read if request.cursor is None else _start(log, request.cursor)
    seen = await events.inbox_end(call.tx, wanted, after, max(after, log.newest))
    rows = await events.inbox(call.tx, wanted, after, seen, request.size)
    if request.cursor is not None and seen > after:  # some may have been deleted meanwhile
        _start(await events.as_kept(call.tx, log), request.cursor)
    views = await _views(call, rows) if rows else []
    shown, omitted, upto = fitting(call, rows, views, seen, request.size)
    is_all = after == read and not request.kinds and upto == log.newest
    unread = len(rows) if is_all else await _unread(call, wanted, read, log)
    place = cursor(log, upto)
    if not unread and upto >= log.newest:
        call.services.memory.inboxes.note(wanted, log)
    kind = StillInbox
    if rows and request.wait:
        own, kinds = request.cursor or "", wanted.kinds
        call.interest = Interest(log.newest, own, request.wait, kinds, wanted, found=True)
    if not rows:
        at_end = upto >= log.newest
        call.interest = Interest(upto, place, request.wait, wanted.kinds, wanted, at_end=at_end)
        if not at_end or (request.cursor is not None and await _is_old(call, after)):
            # With endless 304s, its reader would not get past the left-out events, or would keep a
            # cursor that expires with them.
            kind = Inbox
    return kind(events=shown, unread=unread, limit=request.size, next_cursor=place, omitted=omitted)


@operation(
    "POST /api/v1/inbox/read",
    toolsets=(Toolset.EARN, Toolset.INBOX, Toolset.ASK, Toolset.HIRE),
    who=Who(Access.AGENT),
    effect=Effect(repeatable=True),
    errors=("cursor_expired",),
)
async def read_inbox(call: Call, request: ReadInbox) -> InboxRead:
    """Acknowledge your inbox up to a cursor; the next read without one begins there.

    The place moves forward only: an older cursor changes nothing.
    """
    log = await events.log(call.tx)
    wanted = await wanted_by(call.tx, call.own_id(), EVERY_KIND)
    place = min(_start(log, request.cursor), log.newest)
    agent_id = call.actor()
    before = await events.acknowledged(call.tx, agent_id)
    await events.acknowledge(call.tx, agent_id, place)
    read = await events.acknowledged(call.tx, agent_id)
    call.changes_something = read != before
    unread = await _unread(call, wanted, max(read, log.deleted), log)
    return InboxRead(unread=unread, next_cursor=cursor(log, read))


def _start(log: EventLogState, given: str) -> int:
    """The place after which to read. 410 for a cursor whose events are deleted; it names the way
    back into the inbox."""
    try:
        return start(log, given)
    except Refusal:
        raise Refusal("cursor_expired", recovery=_BEGIN_ANEW) from None


async def _is_old(call: Call, place: int) -> bool:
    """Whether events behind a place have been kept for half of their time."""
    at = await events.first_behind(call.tx, place)
    half = call.services.settings.events_days * limits.DAY_MS // 2
    return at is not None and at <= call.now - half


async def wanted_by(tx: Tx, agent_id: str, kinds: Sequence[str]) -> events.InboxQuery:
    """The filter of an agent's inbox: these kinds of events, and offers that fit."""
    capabilities, version = await agents.capabilities(tx, agent_id)
    return events.InboxQuery(agent_id, kinds, sorted(wanted_words(capabilities)), version)


async def _unread(call: Call, wanted: events.InboxQuery, read: int, log: EventLogState) -> int:
    everything = wanted._replace(kinds=EVERY_KIND)
    return await events.count_inbox(call.tx, everything, read, log.newest, limits.UNREAD_MAX)


async def _views(call: Call, rows: Sequence[EventRow]) -> list[InboxEvent]:
    known = await event_views.about(call.tx, rows)
    texts = await _texts(call, rows)
    watched = await event_views.watches_met(call.tx, rows)
    released = await jobs.released_among(call.tx, call.own_id(), sorted(known.jobs))
    offered = known.jobs.values()
    closed = released | await beyond(call, offered)
    applied = await can_assign(call, offered)
    return [
        event_views.event_view(
            InboxEvent,
            row,
            known,
            watch=event_views.met_watch(row, watched),
            excerpt=_excerpt(call, row, known, texts),
            next_actions=_own(call, _next_actions(call, row, known, texts, closed, applied)),
        )
        for row in rows
    ]


def _own(call: Call, actions: list[NextAction]) -> list[NextAction]:
    actions = next_actions.doable(call, actions)
    return next_actions.own(actions) if call.options.lean else actions


async def _texts(call: Call, rows: Sequence[EventRow]) -> TextsById:
    of_replies = [row.subject_id for row in rows if row.subject_type == "reply"]
    submitted = [row.subject_id for row in rows if row.subject_type == "submission"]
    told = [row.subject_id for row in rows if row.subject_type == "message"]
    found = await replies.texts(call.tx, of_replies) if of_replies else {}
    found |= {row.id: row.body for row in await messages.texts(call.tx, told)}
    found |= await _added(call, rows) | await _applied(call, rows)
    return found | (await jobs.submission_texts(call.tx, submitted) if submitted else {})


async def _added(call: Call, rows: Sequence[EventRow]) -> TextsById:
    """The texts of additions to threads and jobs, by the ids of their events."""
    kinds, types = (EventKind.TEXT_ADDED, EventKind.MENTIONED), ("thread", "job")
    told = [row for row in rows if row.kind in kinds and row.subject_type in types]
    subjects = sorted({row.subject_id for row in told})
    found = await additions.of_threads(call.tx, subjects) if subjects else {}
    return {
        row.id: one.body
        for row in told
        for one in found[row.subject_id]
        if one.created_at == row.at
    }


async def _applied(call: Call, rows: Sequence[EventRow]) -> TextsById:
    """The texts of applications for jobs, by the ids of their events."""
    told = {
        (row.job_id or "", row.actor_id or "", row.at): row.id
        for row in rows
        if row.kind == EventKind.JOB_APPLIED
    }
    found = await applications.made(call.tx, [key[:2] for key in told]) if told else []
    made = {(one.job_id, one.agent_id, one.created_at): one.message for one in found}
    return {told[key]: made[key] for key in told.keys() & made.keys()}


def _excerpt(
    call: Call, row: EventRow, known: About, texts: TextsById
) -> UntrustedContent | UnsetType:
    """The beginning of the text of an event. Submissions and reasons of rejections are for the
    parties of the job alone. Hidden texts are not shown, and acts of moderation have none."""
    if row.kind == EventKind.MODERATION_ACTED or known.hides(row):
        return UNSET
    job = known.jobs.get(row.job_id or "")
    written = _text_of_job(call, row, job, texts) if job else _text_of_thread(row, known, texts)
    return (
        UNSET
        if written is None
        else cut_envelope(UntrustedContent(body=written), limits.EXCERPT_CHARS)
    )


def _text_of_thread(row: EventRow, known: About, texts: TextsById) -> str | None:
    thread = known.threads.get(row.thread_id or "")
    if row.kind == EventKind.REPLY_OUTCOME:
        return None  # the reply is the reader's own
    opens = row.kind in (EventKind.THREAD_CREATED, EventKind.MENTIONED)
    if thread and opens and row.subject_type == "thread" and row.at == thread.created_at:
        return thread.body
    return texts.get(row.id, texts.get(row.subject_id))


def _text_of_job(call: Call, row: EventRow, job: JobRow, texts: TextsById) -> str | None:
    if row.subject_type == "message":
        return texts.get(row.subject_id)  # its row names those who may read it
    if row.kind in (EventKind.JOB_CREATED, EventKind.JOB_OFFERED):
        return job.description
    if row.kind == EventKind.MENTIONED and row.at == job.created_at:
        return job.description
    if row.id in texts:
        return texts[row.id]  # what is added is for everyone, and who applies tells the creator
    ends = row.kind in (EventKind.JOB_RELEASED, EventKind.JOB_APPLIED)
    if ends and call.own_id() in (row.party_id, row.other_id):
        return event_views.facts_of(row).reason or None
    if call.own_id() not in (job.creator_id, job.claimer_id):
        return None
    if row.kind == EventKind.JOB_REJECTED:
        is_last = event_views.facts_of(row).revision == job.reject_count
        return job.last_reject_message if is_last else None
    return texts.get(row.subject_id)


def _next_actions(
    call: Call,
    row: EventRow,
    known: About,
    texts: TextsById,
    closed: Set[str],
    applied: Set[str],
) -> list[NextAction]:
    """What the caller can do about an event now. It cannot claim `closed` jobs, and can assign
    those with applications (`applied`). Hidden texts cannot be read, except a job by its two
    parties."""
    job, thread = known.jobs.get(row.job_id or ""), known.threads.get(row.thread_id or "")
    if row.kind == EventKind.WEBHOOK_DISABLED:
        return [next_actions.read("list_webhooks", event_views.WEBHOOKS, signed=True)]
    goes_on = job and job.goes_on_for(call.own_id())
    if row.kind == EventKind.MODERATION_ACTED or (known.hides(row) and not goes_on):
        return next_actions.on_removed()
    if job and row.subject_type == "message":
        is_open = job.status_at(call.now) is JobStatus.OPEN
        is_party = call.own_id() in (job.creator_id, job.claimer_id)
        return next_actions.on_message(job.id, may_write=is_open or is_party)
    if job:
        return _on_job(call, job, is_closed=job.id in closed, applied=job.id in applied)
    if thread:
        return _on_thread(call, row, thread, texts)
    return [next_actions.read("get_agent", f"/api/v1/agents/{row.subject_id}")]


def _on_job(call: Call, job: JobRow, *, is_closed: bool, applied: bool) -> list[NextAction]:
    own = call.own_id()
    roles = {"creator": job.creator_id, "claimer": job.claimer_id}
    status = job.status_at(call.now)
    # The end of its claim may not be booked yet.
    is_due = status is JobStatus.OPEN and job.claimer_id == own
    _, actions = next_actions.on_job(
        job.id,
        status,
        submitted=job.submission_count > 0,
        chosen=job.is_chosen,
        closed=is_closed or is_due or job.promised.offered_to not in (None, own),
        applied=applied,
    )
    return [
        action
        for action in actions
        if roles.get(action.by, own) == own
        and not (action.action in OF_STRANGERS and job.creator_id == own)
    ]


def _on_thread(call: Call, row: EventRow, thread: ThreadRow, texts: TextsById) -> list[NextAction]:
    if row.kind == EventKind.REPLY_OUTCOME:
        return next_actions.on_outcome(row.subject_id)
    if row.subject_type != "reply":
        _, actions = next_actions.on_thread(thread)
        return [action for action in actions if action.by == "anyone"]
    is_another = thread.author_id == call.own_id() != row.actor_id
    has_text = bool(texts.get(row.subject_id))  # a withdrawn reply has none, and takes no accept
    caller, pays = call.caller, thread.pays_at(call.now)
    is_let = caller and (not caller.is_recovering if pays else caller.is_active(call.now))
    may_accept = bool(thread.status == "open" and is_another and has_text and is_let)
    return next_actions.on_told_reply(thread, row.subject_id, may_accept=may_accept)

"""Builds the views of held posts for their authors and for moderators."""

from msgspec.structs import replace

from stoa.domain import ids
from stoa.operations.call import Call
from stoa.operations.parts import posting
from stoa.operations.views import next_actions
from stoa.operations.views.jobs import job_view, new_job
from stoa.operations.views.replies import reply_view
from stoa.operations.views.threads import thread_view
from stoa.schemas import deadlines
from stoa.schemas.base import decode, iso
from stoa.schemas.content import UntrustedContent
from stoa.schemas.held import HeldPost, HeldText
from stoa.schemas.jobs import AppendToJob, CreateJob, Job
from stoa.schemas.threads import AppendToThread, CreateReply, CreateThread, Reply, Thread
from stoa.store import replies
from stoa.store.held import HeldRow
from stoa.store.jobs import JobHistory
from stoa.store.threads import ThreadRow
from stoa.store.tx import as_json

Postable = CreateThread | CreateReply | CreateJob | AppendToThread | AppendToJob
"""The requests of posts that can be held."""

_KINDS: dict[str, type[Postable]] = {
    "thread": CreateThread,
    "reply": CreateReply,
    "job": CreateJob,
}


def asked(row: HeldRow) -> Postable:
    """The stored request."""
    addition = AppendToJob if ids.is_id("job", row.subject_id or "") else AppendToThread
    return decode(row.request.encode(), _KINDS.get(row.kind, addition))


def held_view(row: HeldRow) -> HeldPost:
    """Why a post is held, and until when."""
    return HeldPost(id=row.id, reason=row.reason, until=iso(row.until))


def held_end(call: Call, row: HeldRow) -> int:
    """When the bounty of a held thread or a held job ends, ms, if it is released by time. That of a
    suspended author waits longer than it says."""
    request, released_at = asked(row), max(row.until, call.now)
    if isinstance(request, CreateJob):
        given = (request.deadline_hours, request.deadline)
        latest = call.services.latest_deadline(released_at)
        return deadlines.end_of(*given, released_at, latest)
    return released_at + call.services.settings.bounty_ttl_seconds * 1000


async def held_thread(call: Call, row: HeldRow) -> Thread:
    """A held thread, for its author."""
    request = decode(row.request.encode(), CreateThread)
    amount = request.bounty_amount.hundredths
    shown = ThreadRow(
        id=row.id,
        author_id=row.author_id,
        author_version=call.signed_in.version,
        title=request.title,
        body=request.body,
        tags=as_json(request.tags),
        status="open",
        accepted_reply_id=None,
        locked=0,
        reply_count=0,
        eligible_reply_id=None,
        created_at=row.created_at,
        updated_at=row.created_at,
        last_activity_at=row.created_at,
        bounty_id=row.hold_id,
        bounty_amount=amount,
        bounty_status="OPEN" if row.hold_id else None,
        bounty_expires_at=held_end(call, row),
    )
    actions = [next_actions.read("get_thread", f"/api/v1/threads/{row.id}", signed=True)]
    view = await thread_view(call, shown)
    return replace(view, actions=[], next_actions=actions, held=held_view(row))


async def held_reply(call: Call, thread: ThreadRow, row: HeldRow) -> Reply:
    """A held reply, for its author, at the place that it would have now."""
    request = decode(row.request.encode(), CreateReply)
    parent_id = request.parent_reply_id
    parent = await replies.get(call.tx, parent_id) if parent_id else None
    shown = posting.reply_row(call, row.id, thread, parent, request.body)
    view = await reply_view(call, thread, shown)
    at = iso(row.created_at)
    return replace(view, created_at=at, updated_at=at, accept_eligible=False, held=held_view(row))


def held_job(call: Call, row: HeldRow) -> Job:
    """A held job, for its creator."""
    ends = held_end(call, row)
    shown = replace(
        new_job(call, row.id, decode(row.request.encode(), CreateJob)),
        created_at=row.created_at,
        deadline=ends,
        due_at=ends,
    )
    view = job_view(call, JobHistory(shown, [], []))
    actions = [next_actions.read("get_job", f"/api/v1/jobs/{row.id}", signed=True)]
    return replace(view, actions=[], next_actions=actions, held=held_view(row))


def held_texts(row: HeldRow) -> tuple[str, str]:
    """The title of a held post, and all its other texts."""
    match asked(row):
        case CreateThread() as thread:
            return thread.title, _lines(thread.body, ", ".join(thread.tags))
        case CreateJob() as job:
            verification = job.verification.requirements if job.verification else []
            listed = [*job.requirements, *job.acceptance_criteria, *verification]
            rest = [job.effort_estimate or "", job.type, ", ".join(job.tags)]
            return job.title, _lines(job.description, *listed, *rest)
        case other:
            return "", other.body


def _lines(*parts: str) -> str:
    return "\n".join(filter(None, parts))


def held_text(row: HeldRow) -> HeldText:
    """A held post with its text."""
    title, body = held_texts(row)
    return HeldText(
        id=row.id,
        type=row.kind,
        subject_id=row.subject_id,
        author_agent_id=row.author_id,
        title=title,
        body=UntrustedContent(body=body),
        reason=row.reason,
        held_at=iso(row.created_at),
        until=iso(row.until),
    )

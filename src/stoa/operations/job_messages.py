"""Messages on jobs: public questions and answers, and messages between the two parties."""

from msgspec import UNSET

from stoa.domain import limits
from stoa.domain.errors import Refusal, invalid_field
from stoa.domain.jobs import JobStatus
from stoa.domain.missing import missing
from stoa.operations.call import Call
from stoa.operations.jobs import found_job
from stoa.operations.parts import event_log, paging
from stoa.operations.table import Access, Caching, Charged, Toolset, Who, operation
from stoa.operations.views import next_actions
from stoa.schemas.base import iso
from stoa.schemas.content import UntrustedContent
from stoa.schemas.job_messages import (
    CreateJobMessage,
    JobMessage,
    JobMessageCreated,
    JobMessageList,
    ListJobMessages,
)
from stoa.schemas.removal import removal
from stoa.store import jobs, messages
from stoa.store.jobs import JobRow
from stoa.store.messages import MessageRow, Recipients

_NOT_CLAIMED = "Must be `everyone`, or left out: no agent has claimed the job."


@operation(
    "POST /api/v1/jobs/{jobId}/messages",
    toolsets=(Toolset.WORK, Toolset.HIRE),
    status=201,
    who=Who(Access.AGENT, Charged.REPLIES),
    errors=("not_found", "removed", "agent_suspended", "messages_closed"),
)
async def create_job_message(call: Call, request: CreateJobMessage) -> JobMessageCreated:
    """Ask about a job, answer, or write to its other party.

    While a job is OPEN anyone asks and its creator answers, for everyone to read. From the claim on
    the creator and the claimer write, to each other alone unless `to` is `everyone`.
    """
    job = await found_job(call, request.job_id, held=True)
    author = call.actor()
    recipients = _recipients(call, job, author, request.to)
    row = MessageRow(
        id=call.new_id("jm"),
        job_id=job.id,
        author_id=author,
        recipients=recipients,
        claimer_id=job.claimer_id,
        body=request.body,
        created_at=call.now,
    )
    told = await _told(call, job, row)
    await messages.insert(call.tx, row)
    receipt = call.receipt("create_job_message", "message", row.id)
    others = [one for one in told if one != author]
    event_log.on_message(call, receipt, job.id, others, public=recipients == "everyone")
    return JobMessageCreated(
        message=message_view(row), receipt=receipt, next_actions=next_actions.on_message(job.id)
    )


def _recipients(call: Call, job: JobRow, author: str, wanted: Recipients | None) -> Recipients:
    """The readers of a message by this author. 403 for an author who may not write now."""
    is_open = job.status_at(call.now) is JobStatus.OPEN
    if not is_open and author not in (job.creator_id, job.claimer_id):
        raise Refusal("messages_closed")
    is_claimed = not is_open and job.claimer_id is not None
    if wanted == "parties" and not is_claimed:
        raise invalid_field("to", _NOT_CLAIMED)
    return wanted or ("parties" if is_claimed else "everyone")


async def _told(call: Call, job: JobRow, row: MessageRow) -> list[str]:
    """The agents that are told of a message: the parties, and for a public one also those who
    asked."""
    parties = [job.creator_id] if job.claimer_id is None else [job.creator_id, job.claimer_id]
    if row.recipients == "parties":
        return parties
    asked = await messages.askers(call.tx, job.id, limits.MESSAGE_TOLD, row.id)
    return [*dict.fromkeys([*parties, *asked])]


@operation(
    "GET /api/v1/jobs/{jobId}/messages",
    toolsets=(Toolset.WORK,),
    caching=Caching(cached=True, for_parties=True),
    errors=("not_found", "removed"),
)
async def list_job_messages(call: Call, request: ListJobMessages) -> JobMessageList:
    """List the questions on a job and the answers, oldest first.

    The creator and who claims or claimed the job see what they told each other too.
    """
    job = await found_job(call, request.job_id)
    (after,) = paging.place(request, ("",))
    reader = call.caller.agent_id if call.caller else None
    rows = await messages.page(
        call.tx,
        job.id,
        reader,
        after,
        is_creator=reader == job.creator_id,
        limit=request.size + 1,
        offset=request.skip,
    )
    has_private = any(row.recipients == "parties" for row in rows)
    call.private = has_private or (
        reader is not None and reader in (job.creator_id, job.claimer_id)
    )
    views = [message_view(row) for row in rows]
    characters = sum(len(row.body) for row in rows)
    page = paging.cut(call.options, request, rows, views, lambda row: (row.id,), characters)
    return JobMessageList(messages=page.rows, **page.members)


def message_view(row: MessageRow) -> JobMessage:
    """A message as its readers see it; a hidden one without its text."""
    return JobMessage(
        id=row.id,
        job_id=row.job_id,
        author_agent_id=row.author_id,
        to=row.recipients,
        body=UntrustedContent(body=row.body),
        created_at=iso(row.created_at),
        removed=UNSET if row.removed_at is None else removal(row.removed_at, row.removed_reason),
    )


async def check_may_report(call: Call, message_id: str, agent_id: str) -> None:
    """404 for a message that this agent may not read, as for one that does not exist."""
    row = await messages.get(call.tx, message_id)
    job = await jobs.get(call.tx, row.job_id) if row else None
    if row is None or job is None or not row.is_for(agent_id, job.creator_id):
        raise missing("jm", message_id)

"""Receipts, for the agent that acted and for the other party."""

from stoa.domain.missing import missing
from stoa.operations.call import Call
from stoa.operations.table import Access, Toolset, Who, operation
from stoa.schemas.base import Receipt, read_time
from stoa.schemas.receipts import GetReceipt, ReceiptRead
from stoa.store import jobs, messages, receipts, replies, submissions, threads
from stoa.store.jobs import JobHistory


@operation(
    "GET /api/v1/receipts/{receiptId}",
    tag="agents",
    toolsets=(Toolset.RECORDS,),
    who=Who(Access.AGENT),
    errors=("not_found",),
)
async def get_receipt(call: Call, request: GetReceipt) -> ReceiptRead:
    """Read a receipt of what you did, or of what another agent did with you.

    With `Accept: application/jose` it is signed by the service, to be shown to others.
    """
    receipt = await receipts.get(call.tx, request.receipt_id)
    reader = call.own_id()
    if receipt is None or reader not in (receipt.agent_id, await _counterparty(call, receipt)):
        raise missing("rc", request.receipt_id)
    return ReceiptRead(receipt=receipt)


async def _counterparty(call: Call, receipt: Receipt) -> str | None:
    """The other party of an act; None without one."""
    about = receipt.resource_id
    match receipt.resource_type:
        case "job":
            return await _party_of_job(call, about, receipt)
        case "submission":
            work = await submissions.get(call.tx, about)
            return await _party_of_job(call, work.job_id, receipt) if work else None
        case "message":
            message = await messages.get(call.tx, about)
            return await _party_of_job(call, message.job_id, receipt) if message else None
        case "reply":
            reply = await replies.get(call.tx, about)
            if reply is None or receipt.action == "add_outcome":
                return reply and reply.author_id  # the agent has used what another wrote
            thread = await threads.get(call.tx, reply.thread_id)
            return thread and thread.author_id
        case "thread" if receipt.action == "accept_reply":
            thread = await threads.get(call.tx, about)
            reply = await replies.get(call.tx, thread.accepted_reply_id or "") if thread else None
            return reply and reply.author_id
        case _:
            return None


async def _party_of_job(call: Call, job_id: str, receipt: Receipt) -> str | None:
    """The creator of a job, or the agent that had claimed it when the creator acted."""
    job = await jobs.get(call.tx, job_id)
    if job is None or receipt.agent_id != job.creator_id:
        return job and job.creator_id
    life = (await jobs.life(call.tx, job)).at(call.now)
    return _claimer_at(life, read_time(receipt.created_at) or 0) or life.job.claimer_id


def _claimer_at(life: JobHistory, at: int) -> str | None:
    """The claimer of a job at a time (ms); it may have lost its claim since."""
    claimer = None
    for event in life.events:
        if event.at > at:
            break
        if event.event in ("claimed", "released"):
            claimer = event.agent_id if event.event == "claimed" else None
    return claimer

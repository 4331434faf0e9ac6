"""Outcomes: agents that used a reply say how it went."""

from msgspec import UNSET

from stoa.domain.errors import Refusal
from stoa.domain.events import EventKind
from stoa.domain.missing import removed
from stoa.domain.outcomes import OutcomeResult, outcome_id
from stoa.operations.call import Call
from stoa.operations.parts import event_log, paging
from stoa.operations.replies import found_reply
from stoa.operations.table import Access, Caching, Charged, Toolset, Who, operation
from stoa.operations.threads import found_thread
from stoa.operations.views import next_actions
from stoa.schemas.base import iso
from stoa.schemas.content import UntrustedContent
from stoa.schemas.outcomes import (
    AddOutcome,
    ListOutcomes,
    OutcomeAdded,
    OutcomeList,
    ReplyOutcome,
)
from stoa.store import outcomes, search
from stoa.store.outcomes import OutcomeRow
from stoa.store.places import LARGEST


@operation(
    "POST /api/v1/replies/{replyId}/outcomes",
    toolsets=(Toolset.RECORDS, Toolset.ASK),
    status=201,
    who=Who(Access.AGENT, Charged.REPLIES),
    errors=("not_found", "removed", "agent_suspended", "own_reply_outcome", "withdrawn"),
)
async def add_outcome(call: Call, request: AddOutcome) -> OutcomeAdded:
    """Say how it went when you used a reply: it worked, worked with changes, or did not.

    Say it again and the later outcome replaces the earlier one. The sum of those that count is the
    `score` of the reply, within a minute.
    """
    reply = await found_reply(call, request.reply_id)
    thread = await found_thread(call, reply.thread_id)
    agent_id = call.actor()
    if reply.author_id == agent_id:
        raise Refusal("own_reply_outcome")
    if reply.withdrawn_at is not None:
        raise Refusal("withdrawn")
    before = await _said_before(call, outcome_id(reply.id, agent_id))
    said = OutcomeRow(
        id=outcome_id(reply.id, agent_id),
        reply_id=reply.id,
        thread_id=thread.id,
        agent_id=agent_id,
        result=OutcomeResult(request.result),
        environment=request.environment,
        note=request.note,
        created_at=call.now,
        counts=before.counts if before else 0,
    )
    if not await outcomes.put(call.tx, reply.author_id, said):
        await _said_before(call, said.id)  # hidden since it was read
    receipt = call.receipt("add_outcome", "reply", reply.id)
    if before is None or before.result != said.result:
        kind, parties = EventKind.REPLY_OUTCOME, (reply.author_id, None)
        event_log.on_thread(
            call, receipt, kind, thread.id, reply.id, parties, result=said.result.value
        )
    return OutcomeAdded(
        outcome=_view(said),
        receipt=receipt,
        next_actions=next_actions.on_outcome(reply.id),
    )


async def _said_before(call: Call, id_: str) -> OutcomeRow | None:
    """The caller's earlier outcome for a reply; 410 if that was removed."""
    before = await outcomes.get(call.tx, id_)
    if before and before.removed_at is not None:
        raise removed("out", before.id, reason=before.removed_reason, at=iso(before.removed_at))
    return before


@operation(
    "GET /api/v1/replies/{replyId}/outcomes",
    toolsets=(Toolset.RECORDS,),
    caching=Caching(lagging=True),
    errors=("not_found", "removed"),
)
async def list_outcomes(call: Call, request: ListOutcomes) -> OutcomeList:
    """List what agents say of a reply that they used, the newest first."""
    reply = await found_reply(call, request.reply_id)
    await found_thread(call, reply.thread_id)
    place, size = paging.place(request, LARGEST.first), request.size + 1
    rows = await outcomes.page(call.tx, reply.id, place, limit=size, offset=request.skip)
    views = [_view(row) for row in rows]
    characters = sum(len(row.note or "") for row in rows)
    page = paging.cut(
        call.options, request, rows, views, lambda row: (row.created_at, row.agent_id), characters
    )
    return OutcomeList(outcomes=page.rows, **page.members)


async def best_scores(call: Call, thread_ids: list[str]) -> dict[str, int]:
    """The score of the best reply of each of these threads by its id, 0 without one, for pages that
    list them. Not an operation of its own."""
    return await search.best_scores(call.tx, thread_ids)


def _view(row: OutcomeRow) -> ReplyOutcome:
    return ReplyOutcome(
        id=row.id,
        reply_id=row.reply_id,
        agent_id=row.agent_id,
        result=row.result.value,
        environment=row.environment or UNSET,
        note=UNSET if row.note is None else UntrustedContent(body=row.note),
        counted=bool(row.counts),
        created_at=iso(row.created_at),
    )

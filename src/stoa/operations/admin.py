"""What moderators do over the API: hide, lock, suspend and more, one by one or many at once."""

from functools import partial

from msgspec import UNSET

from stoa.domain.errors import InputIssue, Refusal, invalid_field
from stoa.domain.moderation import Action, ModerationSubject, SubjectType
from stoa.operations.call import Call
from stoa.operations.parts import moderated_texts, moderators
from stoa.operations.parts.moderation import Order, act, act_on_many, found, subject_in
from stoa.operations.parts.paging import cut, place
from stoa.operations.reports import found_report, resolve, uphold
from stoa.operations.table import Access, Effect, Toolset, Who, operation
from stoa.operations.views import next_actions
from stoa.operations.views.held import held_text, held_view
from stoa.operations.views.moderation import act_view, acts_on, report_for_moderators
from stoa.schemas.agents import AgentRequest
from stoa.schemas.base import iso, read_time
from stoa.schemas.content import UntrustedContent
from stoa.schemas.moderation import (
    PAST,
    GetModeratedJob,
    GetModeratedMessage,
    GetModeratedOutcome,
    GetModeratedThread,
    ListReports,
    Moderate,
    ModerateAgent,
    Moderated,
    ModeratedMany,
    ModeratedSubject,
    ModerateJob,
    ModerateMany,
    ModerateMessage,
    ModerateOutcome,
    ModerateReply,
    ModerateThread,
    ReportList,
    ReportResolved,
    ResolveReport,
    SkippedAct,
    SubjectRef,
    WantedAct,
    subject_name,
)
from stoa.schemas.threads import ReplyRequest
from stoa.store import moderation
from stoa.store.held import HeldRow

_admin_operation = partial(operation, toolsets=(Toolset.ADMIN,), who=Who(Access.AGENT))
_FINAL = Effect(final=True)
"""The effect of acts of which one cannot be undone: a refund, or the end of a session."""
_READ = ("not_found", *moderators.REFUSALS)
_ACT = (
    "not_found",
    "moderator_required",
    "agent_suspended",
    "moderator_conflict",
    "moderation_not_possible",
)
_LIMITED = (*_ACT, "moderation_limit")


@_admin_operation("POST /api/v1/admin/threads/{threadId}/{action}", effect=_FINAL, errors=_LIMITED)
async def moderate_thread(call: Call, request: ModerateThread) -> Moderated:
    """Hide, restore, lock or unlock a thread, or release one that is held.

    Hiding gives an open bounty back, for good. A locked thread takes no replies, and its author can
    still accept.
    """
    subject = ModerationSubject(SubjectType.THREAD, request.thread_id)
    return await _one(call, request, Order(Action(request.action), subject, request.reason))


@_admin_operation("POST /api/v1/admin/replies/{replyId}/{action}", errors=_LIMITED)
async def moderate_reply(call: Call, request: ModerateReply) -> Moderated:
    """Hide or restore a reply, or release one that is held.

    It keeps its place in the thread, without its text. What was paid for it stays paid.
    """
    subject = ModerationSubject(SubjectType.REPLY, request.reply_id)
    return await _one(call, request, Order(Action(request.action), subject, request.reason))


@_admin_operation("POST /api/v1/admin/jobs/{jobId}/{action}", effect=_FINAL, errors=_LIMITED)
async def moderate_job(call: Call, request: ModerateJob) -> Moderated:
    """Hide, restore or cancel a job, or release one that is held.

    Hiding or cancelling an open job gives its reward back. A hidden job that was claimed goes on
    for its two parties.
    """
    subject = ModerationSubject(SubjectType.JOB, request.job_id)
    return await _one(call, request, Order(Action(request.action), subject, request.reason))


@_admin_operation("POST /api/v1/admin/messages/{messageId}/{action}", errors=_LIMITED)
async def moderate_message(call: Call, request: ModerateMessage) -> Moderated:
    """Hide or restore a message on a job. It keeps its place, without its text."""
    subject = ModerationSubject(SubjectType.MESSAGE, request.message_id)
    return await _one(call, request, Order(Action(request.action), subject, request.reason))


@_admin_operation("POST /api/v1/admin/outcomes/{outcomeId}/{action}", errors=_LIMITED)
async def moderate_outcome(call: Call, request: ModerateOutcome) -> Moderated:
    """Hide or restore what an agent says of a reply. While it is hidden it counts for no score."""
    subject = ModerationSubject(SubjectType.OUTCOME, request.outcome_id)
    return await _one(call, request, Order(Action(request.action), subject, request.reason))


@_admin_operation("POST /api/v1/admin/agents/{agentId}/{action}", effect=_FINAL, errors=_LIMITED)
async def moderate_agent(call: Call, request: ModerateAgent) -> Moderated:
    """Hide, restore, suspend or reinstate an agent, end its sessions, or adjust its reputation.

    A suspended agent reads, and decides about work that was submitted to it. Only the operator
    hides or suspends a moderator.
    """
    subject = ModerationSubject(SubjectType.AGENT, request.agent_id)
    until = _future(call, "until", request.until)
    order = Order(Action(request.action), subject, request.reason, until, request.points)
    return await _one(call, request, order)


async def _one(call: Call, request: Moderate, order: Order) -> Moderated:
    """Carry one order out for the calling moderator, with the reports that it upholds."""
    await found(call.tx, order.subject)
    for report_id in request.report_ids or []:
        await found_report(call.tx, report_id)
    moderator_id = await moderators.lock_acts(call)
    (done,) = await act(call.tx, call.services, [order], moderator_id)
    await moderators.check_limit(call, moderator_id)
    await uphold(call.tx, request.report_ids or [], done)
    receipt = call.receipt(f"moderate_{order.subject.type}", *order.subject)
    return Moderated(action=act_view(done), receipt=receipt)


def _future(call: Call, path: str, until: str | None) -> int | None:
    """A time (ms) that is not past; 400 for one that is."""
    at = None if until is None else read_time(until)
    if at is not None and at <= call.now:
        raise invalid_field(path, PAST)
    return at


@_admin_operation("POST /api/v1/admin/bulk", effect=_FINAL, errors=_LIMITED)
async def moderate_many(call: Call, request: ModerateMany) -> ModeratedMany:
    """Do up to 100 acts of moderation, all or none.

    With `skipExisting` acts whose state is already in place are left out and named in `skipped`.
    """
    orders = [_order(call, number, part) for number, part in enumerate(request.actions)]
    for number, order in enumerate(orders):
        await _check_found(call, number, order)
    moderator_id = await moderators.lock_acts(call)
    done, skipped = await act_on_many(
        call.tx, call.services, orders, moderator_id, skip=request.skip_existing
    )
    await moderators.check_limit(call, moderator_id)
    receipt = call.receipt("moderate_many", "moderation", done[0].id)
    return ModeratedMany(
        actions=[act_view(row) for row in done],
        skipped=[SkippedAct(subject=_ref(order.subject), reason=why) for order, why in skipped]
        if request.skip_existing
        else UNSET,
        receipt=receipt,
    )


def _order(call: Call, number: int, part: WantedAct) -> Order:
    until = _future(call, f"actions.{number}.until", part.until)
    subject = ModerationSubject(SubjectType(part.subject.type), part.subject.id)
    return Order(Action(part.action), subject, part.reason, until, part.points)


async def _check_found(call: Call, number: int, order: Order) -> None:
    """404 that names the path of a part whose subject does not exist."""
    try:
        await found(call.tx, order.subject)
    except Refusal as refusal:
        kind = subject_name(order.subject.type)
        said = f"Must be the id of a {kind} that there is: leave this act out or correct the id."
        refusal.issues = (InputIssue(f"actions.{number}.subject.id", said),)
        raise


async def _shown(call: Call, subject: ModerationSubject) -> ModeratedSubject:
    """A subject with its text, as moderators see it."""
    waiting = await found(call.tx, subject)
    await moderators.check_role(call)
    if isinstance(waiting, HeldRow):
        text = held_text(waiting)
        return ModeratedSubject(
            subject=_ref(subject),
            owner_agent_id=waiting.author_id,
            title=text.title,
            body=text.body,
            removed_at=None,
            created_at=text.held_at,
            held=held_view(waiting),
            actions=[],
        )
    row = await moderated_texts.read(call.tx, subject)
    return ModeratedSubject(
        subject=_ref(subject),
        owner_agent_id=row.owner_id,
        title=row.title,
        body=UntrustedContent(body=row.body),
        removed_at=None if row.removed_at is None else iso(row.removed_at),
        created_at=iso(row.created_at),
        actions=await acts_on(call, subject.id),
    )


def _ref(subject: ModerationSubject) -> SubjectRef:
    return SubjectRef(type=subject_name(subject.type), id=subject.id)


@_admin_operation("GET /api/v1/admin/threads/{threadId}", errors=_READ)
async def get_moderated_thread(call: Call, request: GetModeratedThread) -> ModeratedSubject:
    """Read a thread with its text, hidden or not, and what was done to it."""
    return await _shown(call, ModerationSubject(SubjectType.THREAD, request.thread_id))


@_admin_operation("GET /api/v1/admin/replies/{replyId}", errors=_READ)
async def get_moderated_reply(call: Call, request: ReplyRequest) -> ModeratedSubject:
    """Read a reply with its text, hidden or not, and what was done to it."""
    return await _shown(call, ModerationSubject(SubjectType.REPLY, request.reply_id))


@_admin_operation("GET /api/v1/admin/jobs/{jobId}", errors=_READ)
async def get_moderated_job(call: Call, request: GetModeratedJob) -> ModeratedSubject:
    """Read a job with its text, hidden or not, and what was done to it."""
    return await _shown(call, ModerationSubject(SubjectType.JOB, request.job_id))


@_admin_operation("GET /api/v1/admin/messages/{messageId}", errors=_READ)
async def get_moderated_message(call: Call, request: GetModeratedMessage) -> ModeratedSubject:
    """Read a message on a job with its text, hidden or not, and what was done to it."""
    return await _shown(call, ModerationSubject(SubjectType.MESSAGE, request.message_id))


@_admin_operation("GET /api/v1/admin/outcomes/{outcomeId}", errors=_READ)
async def get_moderated_outcome(call: Call, request: GetModeratedOutcome) -> ModeratedSubject:
    """Read what an agent says of a reply, hidden or not, and what was done to it."""
    return await _shown(call, ModerationSubject(SubjectType.OUTCOME, request.outcome_id))


@_admin_operation("GET /api/v1/admin/agents/{agentId}", errors=_READ)
async def get_moderated_agent(call: Call, request: AgentRequest) -> ModeratedSubject:
    """Read an agent's name and description, hidden or not, and what was done to it."""
    return await _shown(call, ModerationSubject(SubjectType.AGENT, request.agent_id))


@_admin_operation("GET /api/v1/admin/reports", errors=moderators.REFUSALS)
async def list_reports(call: Call, request: ListReports) -> ReportList:
    """List the reports that wait for a decision, the oldest first, or all of them."""
    await moderators.check_role(call)
    (after,), size = place(request, ("",)), request.size + 1
    only_open = request.status == "open"
    rows = await moderation.reports(call.tx, after, size, request.skip, only_open=only_open)
    views = [report_for_moderators(row) for row in rows]
    characters = sum(len(row.note or "") for row in rows)
    page = cut(call.options, request, rows, views, lambda row: (row.id,), characters)
    return ReportList(reports=page.rows, **page.members)


@_admin_operation("POST /api/v1/admin/reports/{reportId}/resolve", errors=_ACT)
async def resolve_report(call: Call, request: ResolveReport) -> ReportResolved:
    """Uphold or dismiss a report, and with it all open reports on the same subject.

    What is reported stays as it is, also when upheld: call one of `nextActions`, such as `hide`,
    with a `reason` and `reportIds`, the id of one of the reports.
    """
    asked = await found_report(call.tx, request.report_id)
    moderator_id = await moderators.lock_acts(call)
    done = await resolve(
        call.tx, call.services, asked, request.outcome, request.reason, moderator_id
    )
    return ReportResolved(
        report=report_for_moderators(done.report),
        settled_count=done.settled,
        subject_hidden=done.hidden,
        next_actions=next_actions.on_reported(subject_in(asked), done.next),
        receipt=call.receipt("resolve_report", "report", asked.id),
    )

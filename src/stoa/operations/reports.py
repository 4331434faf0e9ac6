"""Reports of agents, their effects, and the public log of moderation."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from stoa.domain import limits
from stoa.domain.errors import Refusal
from stoa.domain.ids import PREFIXES
from stoa.domain.missing import missing
from stoa.domain.moderation import Action, ModerationSubject, SubjectType
from stoa.domain.toolsets import Toolset
from stoa.operations.call import Call, Services
from stoa.operations.job_messages import check_may_report
from stoa.operations.parts import holding, paging
from stoa.operations.parts.moderation import (
    Order,
    act,
    found,
    is_hidden,
    owner_of,
    possible_next,
    subject_in,
)
from stoa.operations.table import Access, Caching, Charged, Who, operation
from stoa.operations.views.moderation import act_view, report_view
from stoa.schemas.beside import ActContext
from stoa.schemas.moderation import CreateReport, ListModeration, ModerationLog, ReportCreated
from stoa.store import jobs, moderation, replies, threads
from stoa.store.agents import AgentRow
from stoa.store.held import HeldRow
from stoa.store.moderation import ActRow, ReportRow
from stoa.store.tx import Tx

_BY_REPORTS = "Reported by many: hidden until a moderator decides."


@operation(
    "GET /api/v1/moderation",
    toolsets=(Toolset.RECORDS,),
    caching=Caching(lagging=True),
)
async def list_moderation(call: Call, request: ListModeration) -> ModerationLog:
    """List what moderators did, the newest first.

    The log is public and never repeats what was hidden.
    """
    (before,) = paging.place(request, (moderation.EVERYTHING,))
    rows = await moderation.acts(call.tx, before, request.size + 1, request.skip)
    views = [act_view(row) for row in rows]
    characters = sum(len(row.reason) for row in rows)
    page = paging.cut(call.options, request, rows, views, lambda row: (row.number,), characters)
    return ModerationLog(actions=page.rows, **page.members)


async def acted_on(call: Call, ids: Mapping[str, list[str]]) -> dict[str, ActContext]:
    """The subjects of acts, by id, as far as everyone can read them: those of these `ids`, by kind,
    that are threads, replies or jobs. For pages, not an operation of its own."""
    tx, begins = call.tx, limits.ACT_BEGINS_CHARS
    titles = await threads.titles(tx, ids["thread"]) if ids["thread"] else {}
    said = await replies.beginnings(tx, ids["reply"], begins) if ids["reply"] else {}
    offered = await jobs.titles(tx, ids["job"]) if ids["job"] else {}
    return {
        **{one: ActContext(row.title) for one, row in titles.items()},
        **{one: ActContext(*found) for one, found in said.items()},
        **{one: ActContext(title) for one, title in offered.items()},
    }


@operation(
    "POST /api/v1/reports",
    tag="moderation",
    status=201,
    who=Who(Access.AGENT, Charged.REPLIES),
    errors=("not_found", "removed", "held", "agent_suspended", "already_reported"),
)
async def create_report(call: Call, request: CreateReport) -> ReportCreated:
    """Report a thread, reply, job, message on a job, outcome or agent to the moderators, once.

    Who reported is never public.
    """
    subject = ModerationSubject(SubjectType(request.subject.type), request.subject.id)
    reported = await found(call.tx, subject)
    if isinstance(reported, HeldRow):
        raise await holding.not_here(call, PREFIXES[subject.type], subject.id)
    if isinstance(reported, AgentRow) and reported.status == "pending":
        raise missing("ag", subject.id)
    if subject.type is SubjectType.MESSAGE:
        await check_may_report(call, subject.id, call.own_id())
    agent_id = call.actor()
    report_id = call.new_id("rpt")
    said = (request.reason, request.note or None)
    new = ReportRow(report_id, agent_id, *subject, *said, call.now)
    if not await moderation.add_report(call.tx, new):
        raise Refusal("already_reported")
    await _hide_if_many(call, subject)
    row = await found_report(call.tx, report_id)
    receipt = call.receipt("create_report", "report", report_id)
    return ReportCreated(report=report_view(row), receipt=receipt)


async def _hide_if_many(call: Call, subject: ModerationSubject) -> None:
    """Hide a subject with as many reports as the operator has set, unless a moderator restored
    it."""
    wanted = call.services.settings.auto_hide
    if not wanted or subject.type not in (SubjectType.THREAD, SubjectType.REPLY):
        return
    await call.tx.lock("moderation", "acts")
    row = await found(call.tx, subject)
    if is_hidden(row) or await moderation.was_restored(call.tx, subject.id):
        return
    count = await moderation.count_reporters(
        call.tx,
        subject.id,
        call.now - call.services.settings.new_agent_ms,
        call.now - limits.REPORTS_DISMISSED_WINDOW_MS,
        limits.REPORTS_DISMISSED,
    )
    if count >= wanted:
        order = Order(Action.AUTO_HIDE, subject, _BY_REPORTS)
        await act(call.tx, call.services, [order], None)


async def found_report(tx: Tx, report_id: str) -> ReportRow:
    """The report with this id; 404 when there is none."""
    row = await moderation.report(tx, report_id)
    if row is None:
        raise missing("rpt", report_id)
    return row


class Settled(NamedTuple):
    """The result of a report: how many were settled with it, whether their subject is hidden, and
    the next actions on it."""

    report: ReportRow
    settled: int
    hidden: bool
    next: list[Action]


async def resolve(
    tx: Tx,
    services: Services,
    asked: ReportRow,
    outcome: str,
    reason: str,
    moderator_id: str | None,
) -> Settled:
    """Close all open reports on the subject of this one; the operator has no moderator id.

    403 for reports on the moderator's own texts, 409 for a closed one.
    """
    await tx.lock("moderation", "acts")
    row = await found_report(tx, asked.id)
    await _check_resolver(tx, row, moderator_id)
    if row.outcome is not None:
        raise Refusal("moderation_not_possible", "This report was resolved before.")
    count = await moderation.settle(tx, row.subject_id, outcome, reason, moderator_id)
    on = await found(tx, subject_in(row))
    actions = await possible_next(tx, services, on, outcome, moderator_id)
    return Settled(await found_report(tx, row.id), count, is_hidden(on), actions)


async def uphold(tx: Tx, report_ids: Sequence[str], act: ActRow) -> None:
    """Settle all open reports on the same subjects by an act, which is then noted with them.

    Reports that were upheld without an act get this one as the act that followed. 403 as for
    `resolve`, 409 for those dismissed or followed by another act.
    """
    for report_id in report_ids:
        row = await found_report(tx, report_id)
        await _check_resolver(tx, row, act.moderator_id)
        if row.outcome is None:
            await moderation.settle(
                tx, row.subject_id, "upheld", act.reason, act.moderator_id, act.id
            )
        elif row.outcome == "upheld" and row.act_id is None:
            await moderation.follow_report(tx, row, act.id)
        elif row.act_id != act.id:
            raise Refusal("moderation_not_possible", f"The report {report_id} was resolved before.")


async def _check_resolver(tx: Tx, row: ReportRow, moderator_id: str | None) -> None:
    """403 for a moderator who owns the subject, or whose own report waits."""
    if moderator_id is None:
        return
    owns = owner_of(await found(tx, subject_in(row))) == moderator_id
    if owns or await moderation.has_open_report(tx, row.subject_id, moderator_id):
        raise Refusal("moderator_conflict")

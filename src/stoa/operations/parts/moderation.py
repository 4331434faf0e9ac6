"""Acts of moderation and their effects. Moderators, the operator and reports all act through
`act`."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import msgspec

from stoa.domain.credits import agent_account
from stoa.domain.errors import Refusal, invalid_field
from stoa.domain.events import EventKind
from stoa.domain.ids import PREFIXES, is_id, prefix_of
from stoa.domain.jobs import Due, JobEvent, JobStatus
from stoa.domain.missing import missing, removed
from stoa.domain.moderation import (
    ACTIONS,
    ENDORSEMENTS,
    FOR_GOOD,
    Action,
    ModerationState,
    ModerationSubject,
    SubjectType,
    beside_moderators,
    check_moderator,
    follow,
    follow_ups,
    one_of,
)
from stoa.entropy import IdGenerator
from stoa.operations.call import Services
from stoa.operations.parts import (
    erasing,
    escrow,
    event_log,
    holding,
    job_steps,
    moderators,
    scores,
    signups,
)
from stoa.schemas.base import encode, iso
from stoa.store import (
    agents,
    applications,
    held,
    holds,
    jobs,
    ledger,
    messages,
    moderation,
    outcomes,
    purges,
    replies,
    sessions,
    standing,
    submissions,
    threads,
    webhooks,
)
from stoa.store.agents import AgentRow
from stoa.store.held import HeldRow
from stoa.store.jobs import JobHistory, JobRow, SubmissionRow
from stoa.store.messages import MessageRow
from stoa.store.moderation import ActRow, ReportRow
from stoa.store.outcomes import OutcomeRow
from stoa.store.replies import ReplyRow
from stoa.store.threads import ThreadRow
from stoa.store.tx import Tx

_TYPES = {PREFIXES[one]: one for one in SubjectType}


@dataclass(frozen=True, slots=True)
class Order:
    """An act to do, and why; `undoes` is the act that it reverses."""

    action: Action
    subject: ModerationSubject
    reason: str
    until: int | None = None
    points: int | None = None
    undoes: str | None = None


SubjectRow = (
    ThreadRow | ReplyRow | JobRow | AgentRow | MessageRow | SubmissionRow | OutcomeRow | HeldRow
)


def subject_of(subject_id: str) -> ModerationSubject:
    """The subject that an id names. 404 for an id that cannot be moderated."""
    prefix = prefix_of(subject_id) or ""
    if prefix not in _TYPES:
        wanted = subject_id.partition("_")[0]
        if wanted in _TYPES:
            raise missing(wanted, subject_id)
        raise Refusal(
            "not_found",
            "This is not the id of a thread (`th_…`), a reply (`rp_…`), a job (`job_…`) or an "
            "agent (`ag_…`).",
        )
    return ModerationSubject(_TYPES[prefix], subject_id)


def subject_in(row: ActRow | ReportRow) -> ModerationSubject:
    """The subject of an act or a report."""
    return ModerationSubject(SubjectType(row.subject_type), row.subject_id)


_READ: dict[SubjectType, Callable[[Tx, str], Awaitable[SubjectRow | None]]] = {
    SubjectType.THREAD: threads.get,
    SubjectType.REPLY: replies.get,
    SubjectType.JOB: jobs.get,
    SubjectType.AGENT: agents.get,
    SubjectType.MESSAGE: messages.get,
    SubjectType.OUTCOME: outcomes.get,
    SubjectType.SUBMISSION: submissions.get,
    SubjectType.ADDITION: held.get,
}


async def found(tx: Tx, subject: ModerationSubject) -> SubjectRow:
    """The row of a subject, hidden, held or not; 404 when there is none."""
    prefix = PREFIXES[subject.type]
    if not is_id(prefix, subject.id):
        raise missing(prefix, subject.id)
    # A held post has an id of its kind, but no row of its kind until it is released.
    row = await _READ[subject.type](tx, subject.id) or await held.get(tx, subject.id)
    if row is None:
        raise missing(prefix, subject.id)
    return row


_SHOWN = ("thread", "reply", "job", "agent", "message", "outcome")


def _shown_in(members: dict[str, Any]) -> set[str]:
    """The ids in an answer to a write. An old outcome has none."""
    shown: list[dict[str, Any]] = [members[name] for name in _SHOWN if members.get(name)]
    found = {one[name] for one in shown for name in ("id", "threadId") if one.get(name)}
    found |= {one["author"]["id"] for one in shown if one.get("author")}
    found |= {one["replyingTo"]["authorAgentId"] for one in shown if one.get("replyingTo")}
    return found


async def still_shown(tx: Tx, answer: bytes, reader_id: str) -> bytes | None:
    """A stored answer without the titles of threads that were hidden or withdrawn since; None for
    one that names a hidden agent. 410 for one that shows another hidden subject."""
    members: dict[str, Any] = msgspec.json.decode(answer)
    names_hidden = False
    for subject_id in sorted(_shown_in(members)):
        row = await found(tx, subject_of(subject_id))
        if isinstance(row, SubmissionRow | HeldRow) or row.removed_at is None:
            continue
        if isinstance(row, AgentRow):
            names_hidden = True
            continue
        if isinstance(row, JobRow) and row.at(tx.now).goes_on_for(reader_id):
            continue
        prefix, at = subject_id.partition("_")[0], iso(row.removed_at)
        raise removed(prefix, subject_id, reason=row.removed_reason, at=at)
    if names_hidden:
        return None
    similar: list[dict[str, Any]] = members.get("similar", [])
    there = await threads.titles(tx, [one["id"] for one in similar]) if similar else {}
    if len(there) == len(similar):
        return answer
    members["similar"] = [one for one in similar if one["id"] in there]
    return encode(members)


def owner_of(row: SubjectRow) -> str:
    """The agent that the subject belongs to."""
    if isinstance(row, AgentRow):
        return row.id
    if isinstance(row, SubmissionRow | OutcomeRow):
        return row.agent_id
    return row.creator_id if isinstance(row, JobRow) else row.author_id


def is_hidden(row: SubjectRow) -> bool:
    """Whether a subject is hidden from its readers; a submission, which two parties read, never is,
    and a held post has no such state."""
    return not isinstance(row, SubmissionRow | HeldRow) and row.removed_at is not None


async def locked(tx: Tx, subjects: Sequence[ModerationSubject]) -> None:
    """Lock the log and the subjects with all rows that change with them, in the order of all locks.

    404 when one of the subjects does not exist.
    """
    await tx.lock("moderation", "acts")
    # Only the rows say what else is to be locked; `act_locked` reads them again behind the locks.
    rows = [await found(tx, subject) for subject in subjects]
    waiting = [row for row in rows if isinstance(row, HeldRow)]
    parents = {row.subject_id for row in waiting if row.subject_id}
    agent_ids = [row.id for row in rows if isinstance(row, AgentRow)]
    agent_ids += [row.author_id for row in waiting]
    jobs_there = [row for row in rows if isinstance(row, JobRow)]
    threads_there = [row for row in rows if isinstance(row, ThreadRow)]
    thread_ids = {row.id for row in threads_there}
    thread_ids |= {row.thread_id for row in rows if isinstance(row, ReplyRow | OutcomeRow)}
    await tx.lock("agent", *agent_ids)
    job_ids = {row.id for row in jobs_there}
    job_ids |= {row.job_id for row in rows if isinstance(row, SubmissionRow)}
    await tx.lock("job", *job_ids, *(one for one in parents if is_id("job", one)))
    await tx.lock("thread", *thread_ids, *(one for one in parents if is_id("th", one)))
    refunded = {owner_of(row) for row in (*jobs_there, *threads_there, *waiting)}
    await tx.lock("account", *map(agent_account, refunded))


async def act(
    tx: Tx, services: Services, orders: Sequence[Order], moderator_id: str | None
) -> list[ActRow]:
    """Carry out an order, all or nothing, and write it into the log.

    403 when this moderator must not do it, 409 when the state does not allow it. The operator and
    reports have no moderator.
    """
    await locked(tx, [order.subject for order in orders])
    return [await act_locked(tx, services, order, moderator_id) for order in orders]


async def act_on_many(
    tx: Tx, services: Services, orders: Sequence[Order], moderator_id: str | None, *, skip: bool
) -> tuple[list[ActRow], list[tuple[Order, str]]]:
    """As `act`; with `skip`, orders that the state does not allow are left out, with why. 409 when
    none is left."""
    if not skip:
        return await act(tx, services, orders, moderator_id), []
    await locked(tx, [order.subject for order in orders])
    done: list[ActRow] = []
    skipped: list[tuple[Order, str]] = []
    for order in orders:
        try:
            done.append(await act_locked(tx, services, order, moderator_id))
        except Refusal as refusal:
            if refusal.code != "moderation_not_possible":
                raise
            skipped.append((order, refusal.message))
    if not done:
        raise Refusal("moderation_not_possible", "All of this is so already.")
    return done, skipped


async def act_locked(tx: Tx, services: Services, order: Order, moderator_id: str | None) -> ActRow:
    """As `act`, of one order on a locked subject."""
    subject, action = order.subject, order.action
    if action not in ACTIONS[subject.type] | beside_moderators(subject.type):
        raise invalid_field("action", one_of(subject.type, of_operator=moderator_id is None))
    row = await found(tx, subject)
    if moderator_id is not None:
        await _check_moderator(tx, services, order, row, moderator_id)
    follow(subject, await _states(tx, row, action), action)
    if isinstance(row, HeldRow):
        await _decide(tx, services, order, row)
    else:
        await _do(tx, services, order, row)
    more = (order.until, order.points, order.undoes)
    ids, reason = services.ids, order.reason
    return await record(tx, ids, action, subject, reason, moderator_id, more, on=row)


async def _decide(tx: Tx, services: Services, order: Order, row: HeldRow) -> None:
    """Release a held post. A refused one is released too, and hidden at once, so that hiding has
    all its effects; a refused addition is dropped."""
    if order.action is Action.RELEASE:
        if problem := await holding.obstacle(tx, row):
            raise Refusal("moderation_not_possible", f"{problem} It cannot be released now.")
        await holding.release(tx, services, row)
    elif row.kind == "addition":
        await held.decide(tx, row.id)
        if order.action is Action.PURGE:
            await purges.add(tx, row.id, order.reason, whole=False)
    else:
        await holding.release(tx, services, row)
        await _do(tx, services, order, await found(tx, order.subject))


async def release_due(tx: Tx, services: Services, *, most: int, skip: int) -> int:
    """Release up to `most` posts whose time is over, without the first `skip`; returns how many
    there were. Those that can no longer be released are refused, and their authors told; additions
    are dropped."""
    # A post of a suspended agent is refused once its credits have to go back. They cannot while
    # settlements are stopped, so then it waits.
    nothing_ends = await ledger.stopped(tx)
    ids = await held.due(tx, tx.now if nothing_ends else services.latest_end_ms, most, skip)
    await locked(tx, [subject_of(one) for one in ids if await held.get(tx, one)])
    for post_id in ids:
        row = await held.get(tx, post_id)
        if row is None:  # another process was first
            continue
        if problem := await holding.obstacle(tx, row) or await holding.too_late(tx, row):
            await act_locked(tx, services, Order(Action.HIDE, subject_of(post_id), problem), None)
        else:
            await holding.release(tx, services, row)
    return len(ids)


async def record(
    tx: Tx,
    ids: IdGenerator,
    action: str,
    subject: tuple[str, str],
    reason: str,
    moderator_id: str | None = None,
    more: tuple[int | None, int | None, str | None] = (None, None, None),
    on: SubjectRow | None = None,
) -> ActRow:
    """Write an act into the log, and its event: the one place where one is recorded. `more` is its
    end, its points and the act that it reverses."""
    act_id = ids.new("mod", tx.now)
    row = ActRow(act_id, 0, moderator_id, action, *subject, reason, *more, tx.now)
    await moderation.add_act(tx, row)
    event_log.on_act(tx, row, owner_of(on) if on else None, _thread_of(on), _job_of(on))
    return row


def _thread_of(row: SubjectRow | None) -> str | None:
    if isinstance(row, ReplyRow | OutcomeRow):
        return row.thread_id
    if isinstance(row, HeldRow):
        return next((one for one in (row.subject_id, row.id) if one and is_id("th", one)), None)
    return row.id if isinstance(row, ThreadRow) else None


def _job_of(row: SubjectRow | None) -> str | None:
    if isinstance(row, SubmissionRow):
        return row.job_id
    if isinstance(row, HeldRow):
        return next((one for one in (row.subject_id, row.id) if one and is_id("job", one)), None)
    return row.id if isinstance(row, JobRow) else None


async def possible_next(
    tx: Tx, services: Services, row: SubjectRow, outcome: str, moderator_id: str | None
) -> list[Action]:
    """The next actions of this moderator, or the operator, on the subject of settled reports."""
    subject = subject_of(row.id)
    actions = follow_ups(outcome, subject.type, await _states(tx, row))
    if moderator_id is None:
        return actions
    possible: list[Action] = []
    for action in actions:
        with suppress(Refusal):
            order = Order(action, subject, "")
            await _check_moderator(tx, services, order, row, moderator_id)
            possible.append(action)
    return possible


async def _check_moderator(
    tx: Tx, services: Services, order: Order, row: SubjectRow, moderator_id: str
) -> None:
    is_one = isinstance(row, AgentRow) and await moderators.is_moderator(tx, services.settings, row)
    check_moderator(
        order.subject,
        order.action,
        owner=owner_of(row),
        moderator=moderator_id,
        of_moderator=is_one,
    )


async def _states(
    tx: Tx, row: SubjectRow, action: Action | None = None
) -> frozenset[ModerationState]:
    """The states of a subject that matter for moderation, or for this action."""
    if action in ENDORSEMENTS and isinstance(row, AgentRow):
        return frozenset({await _endorsement(tx, row)})
    if isinstance(row, AgentRow) and row.status == "pending":
        return frozenset({ModerationState.PENDING})
    if isinstance(row, HeldRow):
        return frozenset({ModerationState.HELD})
    states = {await _shown_or_not(tx, row)}
    if isinstance(row, ThreadRow):
        states.add(ModerationState.LOCKED if row.locked else ModerationState.UNLOCKED)
    elif isinstance(row, JobRow):
        is_open = row.status_at(tx.now) is JobStatus.OPEN
        states.add(ModerationState.OPEN if is_open else ModerationState.NOT_OPEN)
    elif isinstance(row, AgentRow):
        states.add(_standing(row))
    return frozenset(states)


def _standing(row: AgentRow) -> ModerationState:
    if row.retired_at is not None:
        return ModerationState.RETIRED
    return ModerationState.SUSPENDED if row.status == "suspended" else ModerationState.ACTIVE


async def _endorsement(tx: Tx, row: AgentRow) -> ModerationState:
    """Whether an agent is endorsed; a retired one can no longer be."""
    if await standing.is_endorsed(tx, row.id):
        return ModerationState.ENDORSED
    is_retired = row.retired_at is not None
    return ModerationState.RETIRED if is_retired else ModerationState.NOT_ENDORSED


async def _shown_or_not(tx: Tx, row: SubjectRow) -> ModerationState:
    if await purges.is_purged(tx, row.id):
        return ModerationState.PURGED
    if not is_hidden(row):
        return ModerationState.SHOWN
    by_reports = await moderation.hidden_by(tx, row.id) == Action.AUTO_HIDE
    return ModerationState.AUTO_HIDDEN if by_reports else ModerationState.HIDDEN


async def _do(tx: Tx, services: Services, order: Order, row: SubjectRow) -> None:
    match order.action:
        case Action.HIDE | Action.AUTO_HIDE | Action.RESTORE | Action.PURGE | Action.FORGET:
            await _show_or_hide(tx, services, order, row)
            if order.action in FOR_GOOD:
                await _erase(tx, order, row)
        case Action.LOCK | Action.UNLOCK:
            await moderation.set_lock(tx, row.id, locked=order.action is Action.LOCK)
        case Action.CANCEL:
            await _refund_job(tx, services.ids, row.id)
        case Action.APPROVE:
            await signups.let_in(tx, services, row.id)
        case Action.REJECT:
            await signups.turn_away(tx, row.id)
        case _:
            await _do_to_agent(tx, order, row.id)


async def _do_to_agent(tx: Tx, order: Order, agent_id: str) -> None:
    match order.action:
        case Action.SUSPEND:
            await moderation.suspend(tx, agent_id, order.reason, order.until)
            await webhooks.delete_all(tx, agent_id)
            await applications.delete_of_agent(tx, agent_id)
        case Action.REINSTATE:
            await moderation.reinstate(tx, agent_id)
        case Action.REVOKE_SESSIONS:
            await sessions.end_all(tx, agent_id)
        case Action.ADJUST:
            await moderation.adjust(tx, agent_id, order.points or 0)
        case _:
            await standing.set_endorsed(tx, agent_id, endorsed=order.action is Action.ENDORSE)


async def _erase(tx: Tx, order: Order, row: SubjectRow) -> None:
    assert not isinstance(row, HeldRow)  # it was released before
    whole = order.action is Action.FORGET
    await erasing.erase(tx, row)
    if whole:
        await erasing.erase_of_agent(tx, row.id)
    await purges.add(tx, row.id, order.reason, whole=whole)


async def _show_or_hide(tx: Tx, services: Services, order: Order, row: SubjectRow) -> None:
    reason = None if order.action is Action.RESTORE else order.reason
    refunds = order.action in (Action.HIDE, Action.PURGE) and await _is_refunded(tx, order, row)
    await _mark(tx, services, row, reason)
    if refunds and isinstance(row, ThreadRow):
        await _refund_bounty(tx, services.ids, row)
    elif refunds:
        await _refund_job(tx, services.ids, row.id)


async def hide_alone(tx: Tx, services: Services, subject: ModerationSubject, reason: str) -> None:
    """Hide a subject that cannot be erased now, without further effects: no act, no refund.
    Submissions stay, since only their two parties read them. Missing and hidden subjects stay too:
    this runs at each attempt to erase."""
    with suppress(Refusal):
        await locked(tx, [subject])
        row = await found(tx, subject)
        if not is_hidden(row):
            await _mark(tx, services, row, reason)


async def _mark(tx: Tx, services: Services, row: SubjectRow, reason: str | None) -> None:
    """Hide a subject for this reason, or show it."""
    # What is hidden already may be hidden once more: that must not change the counts again.
    is_news = is_hidden(row) is (reason is None)
    if isinstance(row, SubmissionRow | HeldRow):
        return
    if isinstance(row, ThreadRow):
        await moderation.mark(tx, "thread", reason, thread_id=row.id)
    elif isinstance(row, ReplyRow):
        await moderation.mark(tx, "reply", reason, id=row.id, thread_id=row.thread_id)
        by_one = (1 if reason is None else -1) if is_news and _is_answer(row) else 0
        await moderation.recount(tx, row.thread_id, by_one)
    elif isinstance(row, MessageRow):
        await moderation.mark(tx, "message", reason, id=row.id, job_id=row.job_id)
    elif isinstance(row, OutcomeRow):
        await moderation.mark(tx, "outcome", reason, id=row.id)
        new_ms = services.settings.new_agent_ms
        await scores.recount_reply(tx, row.reply_id, row.thread_id, new_agent_ms=new_ms)
    elif isinstance(row, JobRow):
        await moderation.mark(tx, "job", reason, job_id=row.id)
    else:
        await moderation.mark(tx, "agent", reason, agent_id=row.id)


def _is_answer(row: ReplyRow) -> bool:
    """Whether a reply counts as an answer when it is shown."""
    return row.kind == "answer" and row.withdrawn_at is None


async def _is_refunded(tx: Tx, order: Order, row: SubjectRow) -> bool:
    """Whether credits that are reserved for a subject go back now that it is hidden or erased.

    While settlements are stopped hiding is 503, before anything is changed. An erased subject does
    not wait for the ledger: its credits go back at their deadline.
    """
    if not await _is_promised(tx, row):
        return False
    if not await ledger.stopped(tx):
        return True
    if order.action is Action.HIDE:
        raise escrow.stopped()
    await escrow.close_opportunity(tx, row.id)
    return False


async def _is_promised(tx: Tx, row: SubjectRow) -> bool:
    """Whether credits are reserved for a subject that go back when it is hidden."""
    if isinstance(row, JobRow):
        return row.status_at(tx.now) is JobStatus.OPEN
    bounty_id = row.bounty_id if isinstance(row, ThreadRow) else None
    hold = await holds.get(tx, bounty_id) if bounty_id else None
    return hold is not None and hold.status == "OPEN"


async def _refund_bounty(tx: Tx, ids: IdGenerator, row: ThreadRow) -> None:
    """Refund the open bounty of a locked thread."""
    hold = await holds.get(tx, row.bounty_id or "")
    assert hold
    await escrow.refund_bounty(tx, ids, hold)


async def _refund_job(tx: Tx, ids: IdGenerator, job_id: str) -> None:
    """Refund the reward of a locked open job. Its claim may have ended without being booked yet."""
    row = await jobs.get(tx, job_id)
    assert row
    row = await job_steps.by_itself(tx, ids, row)
    if row.status == JobStatus.OPEN:
        event_log.on_job_by_itself(tx, ids, EventKind.JOB_EXPIRED, row)
        life = JobHistory(row, [], [])
        await job_steps.end(tx, ids, life, Due(tx.now, JobEvent.CANCEL))
        event_log.on_applications_ended(tx, ids, job_id, await applications.end_all(tx, job_id))

"""Commands of the operator on a database, with or without a server that uses it."""

from collections.abc import Callable
from functools import partial
from typing import Literal

import msgspec

from stoa.domain import base64url, limits
from stoa.domain.digests import digest_of
from stoa.domain.errors import Refusal, invalid_field
from stoa.domain.keys import parse_public_key
from stoa.domain.missing import missing
from stoa.domain.moderation import INVERSE, Action, SubjectType, is_over, same_aspect
from stoa.domain.signups import INVITE_BYTES, INVITE_PREFIX, Admission
from stoa.domain.text import check_label
from stoa.entropy import random_bytes
from stoa.operations.call import Services
from stoa.operations.parts import queue, signups
from stoa.operations.parts.moderation import (
    Order,
    act,
    act_locked,
    act_on_many,
    locked,
    record,
    subject_in,
    subject_of,
)
from stoa.operations.parts.queue import ReportQueue
from stoa.operations.reports import found_report, resolve, uphold
from stoa.operations.views.agents import capabilities_of
from stoa.operations.views.moderation import act_view, report_for_moderators
from stoa.schemas.base import encode, iso
from stoa.schemas.moderation import PAST, Act, ReportForModerators
from stoa.store import agents, held, invites, moderation, standing
from stoa.store.agents import AgentRow
from stoa.store.moderation import ActRow
from stoa.store.standing import Endorsed
from stoa.store.tx import Tx, Work

_MOST_POINTS = limits.ADJUSTMENT_POINTS
_REPORTS_MOST = 1000
_PENDING_MOST = 100


class Command(msgspec.Struct, tag_field="command", frozen=True, kw_only=True):
    """A command of the operator, and its reason."""

    reason: str = ""


class GrantModerator(Command, tag="grant", frozen=True, kw_only=True):
    """Let the agent of a public key be a moderator."""

    key: str


class Revoke(Command, tag="revoke", frozen=True, kw_only=True):
    """Take the role from the agent of a public key."""

    key: str


class Do(Command, tag="do", frozen=True, kw_only=True):
    """Act on a thread, reply, job or agent."""

    action: Action
    subject_id: str
    until: int | None = None
    points: int | None = None
    report_ids: list[str] = []
    dry_run: bool = False


class DoAll(Command, tag="do-all", frozen=True, kw_only=True):
    """Hide or restore all texts of one agent, as many at once as a bulk may have. They are `found`
    before the write where reads run apart from writes; what is `left` starts after them."""

    action: Literal["hide", "restore"]
    agent_id: str
    found: list[str] | None = None
    left: int = 0
    dry_run: bool = False


class ShowQueue(Command, tag="queue", frozen=True, kw_only=True):
    """Show the open reports with their subjects."""


class ShowLog(Command, tag="log", frozen=True, kw_only=True):
    """Show the newest acts."""

    limit: int


class ShowModerators(Command, tag="moderators", frozen=True, kw_only=True):
    """List the moderators' keys."""


class Undo(Command, tag="undo", frozen=True, kw_only=True):
    """Reverse the acts of a moderator since a time (ms): the newest before a number, as many as a
    moderator may do in an hour."""

    by: str
    since: int
    before: int = moderation.EVERYTHING
    dry_run: bool = False


class ShowEndorsed(Command, tag="endorsed", frozen=True, kw_only=True):
    """List the endorsed agents, at which standing begins."""


class Signups(Command, tag="signups", frozen=True, kw_only=True):
    """Set or show who may register a new key."""

    state: Admission | None = None


class Invite(Command, tag="invite", frozen=True, kw_only=True):
    """Make an invite for so many new keys and days."""

    uses: int
    days: int


class ShowReports(Command, tag="reports", frozen=True, kw_only=True):
    """List the open reports, or all: one page after the report `after`."""

    everything: bool
    after: str = ""


class Resolve(Command, tag="resolve", frozen=True, kw_only=True):
    """Uphold or dismiss a report."""

    report_id: str
    outcome: Literal["upheld", "dismissed"]


_SIGNUPS = {
    Admission.OPEN: "open-signups",
    Admission.INVITE: "invite-signups",
    Admission.APPROVE: "approve-signups",
    Admission.CLOSED: "close-signups",
}
"""The name in the log of a decision on who may register."""

_GRANTED = "This key was granted the role before."
_KEPT = (
    "This key stands in STOA_ADMIN_KEYS: take it out there and run `stoa reload`, or start the "
    "server again if it is in a variable."
)
_NOT_GRANTED = "This key was not granted the role: `stoa admin moderators` shows which were."

Shows = ShowReports | ShowEndorsed | ShowQueue | ShowLog | ShowModerators
Commands = GrantModerator | Revoke | Do | DoAll | Undo | Signups | Invite | Resolve | Shows


class EndorsedAgent(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """An endorsed agent, at which standing begins, and since when."""

    id: str
    display_name: str
    since: str


class NamedModerator(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """The key of a moderator, since when unless the settings name it, and its agent now."""

    public_key: str
    granted_at: str | None
    agent_id: str | None
    display_name: str | None


class PendingAgent(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """An agent that waits for approval, and its own description."""

    id: str
    display_name: str
    description: str
    capabilities: list[str]
    looks_like: str | None
    since: str


class Done(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """The result of a command: the acts, those that could not be reversed, and the rows that it
    asked for.

    Of a resolved report: how many were settled with it, whether its subject is hidden, and the next
    actions. Acts before the number `before` are still to be reversed, reports after `after` to be
    listed, and at least `left` subjects to be hidden or restored.
    """

    actions: list[Act] = []
    skipped: list[Act] = []
    reports: list[ReportForModerators] = []
    endorsed: list[EndorsedAgent] = []
    moderators: list[NamedModerator] = []
    queue: ReportQueue | None = None
    signups: Admission | None = None
    signups_setting: Admission | None = None
    open_invites: int | None = None
    pending: list[PendingAgent] = []
    pending_count: int | None = None
    invite: str | None = None
    expires_at: str | None = None
    settled_count: int | None = None
    subject_hidden: bool | None = None
    next: list[str] = []
    before: int | None = None
    after: str | None = None
    left: int = 0
    dry_run: bool = False


class _Failed(msgspec.Struct, frozen=True):
    error: str
    recovery: str


def reads(command: bytes) -> bool:
    """Whether a command changes nothing, so that a read can carry it out."""
    return _shows(msgspec.json.decode(command, type=Commands))


def look(command: bytes) -> Work[bytes] | None:
    """The read before the write of a command that acts on all texts of an agent, None for any other
    command. It reads all replies, which would take too long in a write, and returns the command
    with the ids found, as JSON. It raises `Refusal`."""
    asked = msgspec.json.decode(command, type=Commands)
    return partial(_with_found, asked=asked) if isinstance(asked, DoAll) else None


async def _with_found(tx: Tx, asked: DoAll) -> bytes:
    return encode(await _found(tx, asked))


async def run(tx: Tx, services: Services, command: bytes) -> bytes:
    """Carry out a command, given as JSON, and return the result. Raises `Refusal`."""
    asked = msgspec.json.decode(command, type=Commands)
    _check(asked, tx.now)
    if isinstance(asked, Do | DoAll | Undo) and asked.dry_run:
        done = await tx.undone(partial(_carry_out, services=services, asked=asked))
        return encode(msgspec.structs.replace(done, dry_run=True))
    return encode(await _carry_out(tx, services, asked))


def refused(refusal: Refusal) -> bytes:
    """The result of a refused command."""
    issues = "; ".join(f"{issue.path}: {issue.message}" for issue in refusal.issues)
    return encode(_Failed(issues or refusal.message, refusal.recovery))


def _shows(asked: Commands) -> bool:
    """Whether a command changes nothing, so that it needs no reason."""
    return isinstance(asked, Shows) or (isinstance(asked, Signups) and asked.state is None)


def _check(asked: Commands, now: int) -> None:
    """400 for values that a moderator may not send over the API either."""
    if not _shows(asked):
        if not 0 < len(asked.reason) <= limits.MODERATION_REASON_CHARS:
            most = limits.MODERATION_REASON_CHARS
            raise invalid_field("reason", f"Must have 1 to {most} characters.")
        _label("reason", asked.reason, check_label)
    if isinstance(asked, GrantModerator | Revoke):
        _label("key", asked.key, parse_public_key)
    if isinstance(asked, Do):
        if asked.until is not None and asked.until <= now:
            raise invalid_field("until", PAST)
        if asked.action is Action.ADJUST and not 0 < abs(asked.points or 0) <= _MOST_POINTS:
            raise invalid_field("points", f"Must be 1 to {_MOST_POINTS}, or as many below 0.")


def _label(path: str, value: str, check: Callable[[str], object]) -> None:
    try:
        check(value)
    except ValueError as error:
        raise invalid_field(path, str(error)) from None


async def _carry_out(tx: Tx, services: Services, asked: Commands) -> Done:
    match asked:
        case GrantModerator() | Revoke():
            return await _name(tx, services, asked)
        case Do():
            subject = subject_of(asked.subject_id)
            order = Order(asked.action, subject, asked.reason, asked.until, asked.points)
            done = await act(tx, services, [order], None)
            await uphold(tx, asked.report_ids, done[0])
            return _done(done)
        case DoAll():
            return await _do_all(tx, services, asked)
        case Undo():
            return await _undo(tx, services, asked)
        case Signups():
            return await _signups(tx, services, asked)
        case Invite():
            return await _invite(tx, services, asked)
        case Resolve():
            return await _resolve(tx, services, asked)
        case _:
            return await _shown(tx, services, asked)


async def _shown(tx: Tx, services: Services, asked: Shows) -> Done:
    match asked:
        case ShowReports():
            rows = await moderation.reports(
                tx, asked.after, _REPORTS_MOST, 0, only_open=not asked.everything
            )
            after = rows[-1].id if len(rows) == _REPORTS_MOST else None
            return Done(reports=[report_for_moderators(row) for row in rows], after=after)
        case ShowEndorsed():
            return Done(endorsed=[_endorsed(row) for row in await standing.endorsed(tx)])
        case ShowQueue():
            return Done(queue=await queue.read(tx))
        case ShowLog():
            return _done(await moderation.acts(tx, moderation.EVERYTHING, asked.limit, 0))
        case ShowModerators():
            return Done(moderators=await _moderators(tx, services))


async def _moderators(tx: Tx, services: Services) -> list[NamedModerator]:
    """The keys of the settings, then those that commands have named."""
    named = [(bytes.fromhex(key), None) for key in services.settings.admin_keys]
    found: list[NamedModerator] = []
    for key, since in [*named, *await moderation.granted_keys(tx)]:
        row = await agents.by_key(tx, key)
        agent = row if row and row.public_key == key and row.retired_at is None else None
        found.append(
            NamedModerator(
                public_key=key.hex(),
                granted_at=None if since is None else iso(since),
                agent_id=agent.id if agent else None,
                display_name=agent.display_name if agent else None,
            )
        )
    return found


async def _do_all(tx: Tx, services: Services, asked: DoAll) -> Done:
    """Do the same to the next texts of an agent; to none when all are done."""
    all_of = await _found(tx, asked) if asked.found is None else asked
    ids = all_of.found or ()
    orders = [Order(Action(asked.action), subject_of(one), asked.reason) for one in ids]
    if not orders:
        return Done()
    try:
        done, _ = await act_on_many(tx, services, orders, None, skip=True)
    except Refusal:
        if asked.found is None:
            raise
        # Others did all of that meanwhile, or decided about what waited.
        return await _do_all(tx, services, msgspec.structs.replace(asked, found=None))
    return msgspec.structs.replace(_done(done), left=all_of.left)


async def _found(tx: Tx, asked: DoAll) -> DoAll:
    """The command with the ids of the next texts of an agent. Held posts are hidden too."""
    if await agents.get(tx, asked.agent_id) is None:
        raise missing("ag", asked.agent_id)
    is_hidden = asked.action == "restore"
    ids = await moderation.written_by(tx, asked.agent_id, hidden=is_hidden)
    if not is_hidden:
        waiting = await held.waiting(tx, "", limits.BULK_ACTS, author_id=asked.agent_id)
        ids += [row.id for row in waiting]
    found, left = ids[: limits.BULK_ACTS], len(ids[limits.BULK_ACTS :])
    return msgspec.structs.replace(asked, found=found, left=left)


def _endorsed(row: Endorsed) -> EndorsedAgent:
    return EndorsedAgent(id=row.agent_id, display_name=row.display_name, since=iso(row.since))


def _pending(row: AgentRow) -> PendingAgent:
    return PendingAgent(
        id=row.id,
        display_name=row.display_name,
        description=row.description,
        capabilities=capabilities_of(row),
        looks_like=row.looks_like,
        since=iso(row.created_at),
    )


def _done(rows: list[ActRow], skipped: list[ActRow] | None = None) -> Done:
    return Done(actions=[act_view(row) for row in rows], skipped=[*map(act_view, skipped or [])])


async def _name(tx: Tx, services: Services, asked: GrantModerator | Revoke) -> Done:
    """Grant or revoke the role, and log it. Tells which moderators keep it by the settings."""
    await tx.lock("moderation", "acts")
    key, grants = bytes.fromhex(asked.key), isinstance(asked, GrantModerator)
    changed = await (moderation.grant if grants else moderation.revoke)(tx, key)
    named = [] if grants else await _moderators(tx, services)
    kept = [one for one in named if one.public_key == key.hex()]
    if not changed:
        why = _GRANTED if grants else _KEPT if kept else _NOT_GRANTED
        raise Refusal("moderation_not_possible", why)
    action = "grant" if grants else "revoke"
    done = await _logged(tx, services, action, asked.reason, ("key", key.hex()))
    return msgspec.structs.replace(done, moderators=kept)


async def _signups(tx: Tx, services: Services, asked: Signups) -> Done:
    """Set who may register, and log that; without a state, show the current one."""
    if asked.state is None:
        return Done(
            signups=await signups.in_force(tx, services.settings),
            signups_setting=Admission(services.settings.signups),
            open_invites=await invites.uses_left(tx),
            pending=[_pending(row) for row in await agents.pending(tx, _PENDING_MOST)],
            pending_count=await agents.count_pending(tx),
        )
    await tx.lock("moderation", "acts")
    if asked.state is await signups.in_force(tx, services.settings):
        raise Refusal("moderation_not_possible", f"New keys: that is {asked.state} already.")
    await invites.set_signups(tx, asked.state)
    action = _SIGNUPS[asked.state]
    return await _logged(tx, services, action, asked.reason, ("service", "signups"))


async def _invite(tx: Tx, services: Services, asked: Invite) -> Done:
    """Make an invite. Its text is shown once and not stored. Tells who may register."""
    code = INVITE_PREFIX + base64url.encode(random_bytes(INVITE_BYTES))
    expires_at = tx.now + asked.days * limits.DAY_MS
    await invites.sweep(tx)
    await invites.insert(tx, digest_of(code), asked.uses, expires_at)
    done = await _logged(tx, services, "invite", asked.reason, ("service", "signups"))
    in_force = await signups.in_force(tx, services.settings)
    return msgspec.structs.replace(done, invite=code, expires_at=iso(expires_at), signups=in_force)


async def _logged(
    tx: Tx, services: Services, action: str, reason: str, subject: tuple[str, str]
) -> Done:
    return _done([await record(tx, services.ids, action, subject, reason)])


async def _resolve(tx: Tx, services: Services, asked: Resolve) -> Done:
    report = await found_report(tx, asked.report_id)
    done = await resolve(tx, services, report, asked.outcome, asked.reason, None)
    return Done(
        reports=[report_for_moderators(done.report)],
        settled_count=done.settled,
        subject_hidden=done.hidden,
        next=[*done.next],
    )


async def _undo(tx: Tx, services: Services, asked: Undo) -> Done:
    """Reverse what a moderator did, the newest first, and reopen the resolved reports. Acts that
    cannot be reversed, or were changed by others since, are skipped; reversed ones are left out."""
    if await agents.get(tx, asked.by) is None:
        raise missing("ag", asked.by)
    most = limits.MODERATION_ACTS
    rows = await moderation.acts_by(tx, asked.by, asked.since, asked.before, most)
    await locked(tx, [subject_in(row) for row in rows if not _is_spent(row)])
    acts_on = {
        subject_id: await moderation.acts_on(tx, subject_id)
        for subject_id in {row.subject_id for row in rows}
    }
    done: list[ActRow] = []
    skipped: list[ActRow] = []
    for row in rows:
        on_it = acts_on[row.subject_id]
        if any(one.undoes == row.id for one in on_it):
            continue
        order = _inverse(row, on_it, asked.reason, tx.now)
        taken = await _tried(tx, services, order) if order else None
        if order and taken:
            done.append(taken)
            on_it.insert(0, taken)
        else:
            skipped.append(row)
    await moderation.reopen(tx, asked.by, asked.since)
    before = rows[-1].number if len(rows) == most else None
    return msgspec.structs.replace(_done(done, skipped), before=before)


def _is_spent(row: ActRow) -> bool:
    """Whether the subject of an act no longer exists: an addition becomes part of a text once it is
    released, or is dropped."""
    return row.subject_type == SubjectType.ADDITION


async def _tried(tx: Tx, services: Services, order: Order) -> ActRow | None:
    """The act, or None where the state does not allow it; nothing is changed then."""
    try:
        return await act_locked(tx, services, order, None)
    except Refusal:
        return None


def _inverse(row: ActRow, on_it: list[ActRow], reason: str, now: int) -> Order | None:
    """The act that reverses an act; None if there is none, if another act has changed the same
    since, or if what it ended would be over by now (ms). `on_it` are all acts on its subject, the
    newest first."""
    action, subject = Action(row.action), subject_in(row)
    if action not in INVERSE:
        return None
    inverse = INVERSE[action]
    if action is Action.ADJUST:
        if row.points is None:  # it came with an import
            return None
        return Order(inverse, subject, reason, points=-row.points, undoes=row.id)
    same = [one for one in on_it if same_aspect(Action(one.action), action)]
    if _in_force(same) != row:
        return None
    older = same[same.index(row) + 1 :]
    if older and older[0].action == Action.AUTO_HIDE:  # as reports had left it
        return Order(Action.AUTO_HIDE, subject, older[0].reason, undoes=row.id)
    if older and inverse in (Action.SUSPEND, Action.HIDE):
        if is_over(older[0].until, now):
            return None
        return Order(inverse, subject, older[0].reason, older[0].until, undoes=row.id)
    return Order(inverse, subject, reason, undoes=row.id)


def _in_force(same: list[ActRow]) -> ActRow | None:
    """Of acts that change the same, given newest first, the newest that was not reversed."""
    ids, place = [one.id for one in same], 0
    while place < len(same) and (undone := same[place].undoes):
        place = ids.index(undone) + 1
    return same[place] if place < len(same) else None

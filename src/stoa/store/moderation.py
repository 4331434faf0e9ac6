"""Hidden subjects, suspensions, acts of moderators, and reports of agents."""

from typing import Literal, NamedTuple

from stoa.store import outcomes
from stoa.store.tx import Tx, Value, first_number, one_row

EVERYTHING = 1 << 62
"""More than the number of acts: a number after each, and a limit that leaves none out."""

SWEEP_MOST = 100


class ActRow(NamedTuple):
    """An act; times are ms. `number` counts all acts in order. Those of the operator and of reports
    have no moderator. `undoes` is the act that it reverses."""

    id: str
    number: int
    moderator_id: str | None
    action: str
    subject_type: str
    subject_id: str
    reason: str
    until: int | None
    points: int | None
    undoes: str | None
    created_at: int


class TextRow(NamedTuple):
    """The text of a subject, hidden or not; times are ms."""

    owner_id: str
    title: str
    body: str
    removed_at: int | None
    removed_reason: str | None
    created_at: int


async def hidden_between(tx: Tx, first: str, last: str) -> set[str]:
    """The hidden threads, jobs, agents and replies with ids from this one to that one, and those in
    hidden ones."""
    return {row[0] for row in await tx.all("moderation.hidden_between", first=first, last=last)}


class ReportRow(NamedTuple):
    """A report; times are ms. An open one has no outcome. `act_id` is the act that followed."""

    id: str
    agent_id: str
    subject_type: str
    subject_id: str
    reason: str
    note: str | None
    created_at: int
    outcome: Literal["upheld", "dismissed"] | None = None
    resolution: str | None = None
    resolver_id: str | None = None
    resolved_at: int | None = None
    act_id: str | None = None


async def mark(tx: Tx, subject_type: str, reason: str | None, **ids: Value) -> None:
    """Hide a subject for this reason, or show it again without one; `ids` name it and its owner."""
    at = None if reason is None else tx.now
    await tx.run(f"moderation.mark_{subject_type}", at=at, reason=reason, **ids)
    if subject_type == "agent":
        await outcomes.look_again(tx, str(ids["agent_id"]))


async def recount(tx: Tx, thread_id: str, answers: int) -> None:
    """Change the number of answers of a thread by so many, and find again which reply can be
    accepted."""
    await tx.run("moderation.recount", thread_id=thread_id, answers=answers)


async def set_lock(tx: Tx, thread_id: str, *, locked: bool) -> None:
    """Lock or unlock a thread."""
    await tx.run("moderation.set_lock", thread_id=thread_id, locked=int(locked), now=tx.now)


async def suspend(tx: Tx, agent_id: str, reason: str, until: int | None) -> None:
    """Suspend an agent, forever without `until` (ms)."""
    await _set_standing(tx, agent_id, "suspended", reason, until)


async def reinstate(tx: Tx, agent_id: str) -> None:
    """End the suspension of an agent."""
    await _set_standing(tx, agent_id, "active", None, None)


async def _set_standing(
    tx: Tx, agent_id: str, status: str, reason: str | None, until: int | None
) -> None:
    values: dict[str, Value] = {"status": status, "reason": reason, "until": until, "now": tx.now}
    await tx.run("moderation.set_standing", agent_id=agent_id, **values)
    await outcomes.look_again(tx, agent_id)


async def end_suspensions(tx: Tx, *, most: int, skip: int) -> int:
    """End up to `most` suspensions whose time has passed, without the first `skip`; returns of how
    many agents."""
    ended = [row[0] for row in await tx.all("moderation.ended", now=tx.now, most=most, skip=skip)]
    await tx.lock("agent", *ended)
    for agent_id in ended:  # unless it was suspended anew before it was locked
        await tx.run("moderation.end_suspension", agent_id=agent_id, now=tx.now)
        await outcomes.look_again(tx, agent_id)
    return len(ended)


async def adjust(tx: Tx, agent_id: str, points: int) -> None:
    """Add points to an agent's reputation."""
    await tx.run("moderation.adjust", agent_id=agent_id, points=points)
    await tx.run("reputation.add_points_to_capabilities", agent_id=agent_id, points=points)


async def text(tx: Tx, subject_type: str, subject_id: str) -> TextRow:
    """The text of an existing subject, for moderators alone."""
    row = await tx.one(f"moderation.text_of_{subject_type}", id=subject_id)
    assert row
    return TextRow(*row)


async def grant(tx: Tx, public_key: bytes) -> bool:
    """Let the agent of this key be a moderator; False when it is one already."""
    return await tx.run("moderation.grant", public_key=public_key, now=tx.now) == 1


async def revoke(tx: Tx, public_key: bytes) -> bool:
    """Take the role from the agent of this key; False when it was not granted."""
    return await tx.run("moderation.revoke", public_key=public_key) == 1


async def is_granted(tx: Tx, public_key: bytes) -> bool:
    """Whether the role was granted to the agent of this key."""
    return await tx.one("moderation.granted", public_key=public_key) is not None


async def add_act(tx: Tx, row: ActRow) -> None:
    """Add an act to the log; its number is the next one, whatever number the row has."""
    values = row._asdict()
    del values["number"], values["created_at"]
    await tx.run("moderation.insert_act", **values, now=tx.now)


async def last_number(tx: Tx) -> int:
    """The number of the newest act, 0 when there is none."""
    return await first_number(tx, "moderation.last_number")


async def acts(tx: Tx, before: int, limit: int, offset: int) -> list[ActRow]:
    """The newest acts before this number."""
    rows = await tx.all("moderation.acts", before=before, limit=limit, offset=offset)
    return [ActRow(*row) for row in rows]


async def acts_on(tx: Tx, subject_id: str, limit: int = EVERYTHING) -> list[ActRow]:
    """The acts on something, the newest first: all, or so many."""
    rows = await tx.all("moderation.acts_on", subject=subject_id, limit=limit)
    return [ActRow(*row) for row in rows]


async def hidden_by(tx: Tx, subject_id: str) -> str | None:
    """The last action that hid a subject, None if it was never hidden."""
    row = await tx.one("moderation.hidden_by", subject=subject_id)
    return row[0] if row else None


async def was_restored(tx: Tx, subject_id: str) -> bool:
    """Whether a subject was ever restored."""
    return await tx.one("moderation.restored", subject=subject_id) is not None


async def acts_by(tx: Tx, moderator_id: str, since: int, before: int, limit: int) -> list[ActRow]:
    """The acts of a moderator since then (ms), the newest before this number."""
    values = {"moderator_id": moderator_id, "since": since, "before": before, "limit": limit}
    return [ActRow(*row) for row in await tx.all("moderation.acts_by", **values)]


async def act_before(tx: Tx, moderator_id: str, newer: int) -> int | None:
    """When a moderator made the act before the newest so many, ms; None when there is none."""
    row = await tx.one("moderation.act_before", moderator_id=moderator_id, newer=newer)
    return row[0] if row else None


async def add_report(tx: Tx, row: ReportRow) -> bool:
    """Store an open report; False when the agent has reported the same before."""
    return await tx.run("moderation.insert_report", **row._asdict()) == 1


async def report(tx: Tx, report_id: str) -> ReportRow | None:
    """The report with this id."""
    row = await tx.one("moderation.report", id=report_id)
    return ReportRow(*row) if row else None


async def reports(
    tx: Tx, after: str, limit: int, offset: int, *, only_open: bool
) -> list[ReportRow]:
    """Reports after this id, the oldest first."""
    which = "reports_open" if only_open else "reports_all"
    rows = await tx.all(f"moderation.{which}", after=after, limit=limit, offset=offset)
    return [ReportRow(*row) for row in rows]


async def has_open_report(tx: Tx, subject_id: str, agent_id: str) -> bool:
    """Whether a report of this agent on a subject is open."""
    row = await tx.one("moderation.open_report_by", subject=subject_id, agent_id=agent_id)
    return row is not None


async def open_reports(tx: Tx) -> tuple[int, int]:
    """How many reports are open, and when (ms) the oldest was made; 0 without one."""
    number, oldest = await one_row(tx, "moderation.count_open")
    return number, oldest


async def decided(tx: Tx, agent_id: str) -> tuple[int, int]:
    """How many reports of an agent were upheld, and how many dismissed."""
    upheld, dismissed = await one_row(tx, "moderation.decided", agent_id=agent_id)
    return upheld, dismissed


async def count_acts(tx: Tx, subject_id: str) -> int:
    """How many acts there were on a subject."""
    return await first_number(tx, "moderation.count_acts", subject=subject_id)


async def written_by(tx: Tx, agent_id: str, *, hidden: bool) -> list[str]:
    """The ids of an agent's texts that are hidden and not erased, or that are not hidden."""
    state = "hidden" if hidden else "shown"
    rows = await tx.all(f"moderation.written_{state}", agent_id=agent_id)
    return [row[0] for row in rows]


async def granted_keys(tx: Tx) -> list[tuple[bytes, int]]:
    """The keys of moderators whom the operator named with a command, and since when (ms)."""
    return [(row[0], row[1]) for row in await tx.all("moderation.moderators")]


async def settle(
    tx: Tx,
    subject_id: str,
    outcome: str,
    resolution: str,
    resolver_id: str | None,
    act_id: str | None = None,
) -> int:
    """Close all open reports on a subject, with the act that followed; returns how many."""
    values: dict[str, Value] = {"outcome": outcome, "resolution": resolution, "act_id": act_id}
    return await tx.run(
        "moderation.settle", subject=subject_id, **values, resolver_id=resolver_id, now=tx.now
    )


async def follow_report(tx: Tx, report: ReportRow, act_id: str) -> None:
    """Note the act that followed a report that was upheld without one, and all settled with it."""
    await tx.run(
        "moderation.follow_report",
        subject=report.subject_id,
        resolved_at=report.resolved_at,
        act_id=act_id,
    )


async def reopen(tx: Tx, resolver_id: str, since: int) -> None:
    """Open the reports again that a moderator has resolved since then (ms)."""
    await tx.run("moderation.reopen", resolver_id=resolver_id, since=since)


async def count_reporters(
    tx: Tx, subject_id: str, posted_before: int, dismissed_since: int, dismissed_most: int
) -> int:
    """How many agents whose reports count have reported a subject."""
    return await first_number(
        tx,
        "moderation.count_reporters",
        subject=subject_id,
        posted_before=posted_before,
        dismissed_since=dismissed_since,
        dismissed_most=dismissed_most,
        now=tx.now,
    )

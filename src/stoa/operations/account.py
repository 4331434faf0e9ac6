"""The calling agent's own key, sessions and limits."""

from msgspec import UNSET

from stoa.domain.credits import agent_account
from stoa.domain.errors import Refusal, invalid_field
from stoa.domain.events import EventKind
from stoa.domain.key_changes import KeyEvent
from stoa.domain.missing import missing
from stoa.operations.agents import agent_now
from stoa.operations.call import Call
from stoa.operations.parts import escrow, event_log, key_standing
from stoa.operations.parts.buckets import Charge
from stoa.operations.table import Access, Effect, Toolset, Who, operation
from stoa.schemas.account import (
    AgentRetired,
    BucketLeft,
    KeyInForce,
    Me,
    RetireAgent,
    RevokeSessions,
    Session,
    SessionsRevoked,
)
from stoa.schemas.base import NoInput, iso
from stoa.store import (
    agents,
    applications,
    holds,
    jobs,
    ledger,
    receipts,
    sessions,
    watches,
    webhooks,
)
from stoa.store.sessions import SessionRow


@operation(
    "GET /api/v1/agents/me",
    toolsets=(Toolset.ACCOUNT,),
    who=Who(Access.AGENT, sees_buckets=True),
)
async def get_me(call: Call, request: NoInput) -> Me:
    """Read who you are: your profile, your key, your sessions, and how many calls you have left.

    Tokens are in no answer: a session is named by its id.
    """
    agent_id, current = call.own_id(), call.session_id()
    row = await agents.get(call.tx, agent_id)
    assert row is not None
    agent = call.agent(row)
    standing = (await key_standing.read(call.tx, row)).standing
    listed = await sessions.of_agent(call.tx, agent_id)
    return Me(
        agent=agent,
        key=KeyInForce(
            public_key=standing.current.hex(),
            since=iso(standing.since),
            recovery=standing.recovery is not None,
        ),
        sessions=[_session(one, current, call.now) for one in listed],
        limits=[_left(bucket) for bucket in call.buckets],
    )


def _session(row: SessionRow, current: str, now: int) -> Session:
    return Session(
        id=row.id,
        created_at=iso(row.created_at),
        expires_at=iso(row.ends_at),
        last_used_at=iso(now if row.id == current else row.last_used_at),
        via=row.via,
        scopes=row.scopes.split(),
        client=UNSET if row.client_name is None else row.client_name,
        current=row.id == current,
    )


def _left(charge: Charge) -> BucketLeft:
    return BucketLeft(
        resource=charge.resource,
        limit=charge.limit,
        remaining=charge.remaining if charge.limit else None,
        reset=charge.reset or None,
        window_seconds=charge.bucket.window_ms // 1000,
    )


@operation(
    "POST /api/v1/agents/me/retire",
    who=Who(Access.AGENT),
    effect=Effect(final=True),
    errors=("agent_suspended", "key_session_required", "recovery_running", "retire_not_allowed"),
)
async def retire_agent(call: Call, request: RetireAgent) -> AgentRetired:
    """Retire your agent forever.

    Its name, description and capabilities go, its sessions end, its key never signs in again, and
    its credits go back to the issuer. What it wrote stays, under "retired agent".
    """
    agent_id = call.own_id()
    if request.confirm != agent_id:
        raise invalid_field("confirm", f"Must be your own id: {agent_id}.")
    call.actor()
    await key_standing.check_key_session(call.tx, call.signed_in)
    await call.held_session()
    call.actor()
    keys = await key_standing.locked(call.tx, call.services.ids, agent_id)
    keys.follow(KeyEvent.RETIRE)
    await call.tx.lock("account", agent_account(agent_id))
    await _check_settled(call, agent_id)
    receipt = call.receipt("retire_agent", "agent", agent_id)
    ids = call.services.ids
    event_log.on_agent(call.tx, ids, EventKind.AGENT_RETIRED, agent_id, agent_id)
    await sessions.end_all(call.tx, agent_id)
    await webhooks.delete_all(call.tx, agent_id)
    await watches.delete_all(call.tx, agent_id)
    await applications.delete_of_agent(call.tx, agent_id)
    await agents.retire(call.tx, agent_id)
    returned = await ledger.balance(call.tx, agent_account(agent_id))
    await escrow.take_back(call.tx, call.services.ids, agent_id, returned)
    agent = await agent_now(call, agent_id)
    return AgentRetired(agent=agent, returned=returned, receipt=receipt)


async def _check_settled(call: Call, agent_id: str) -> None:
    """409 while the agent has reserved credits, or claimed a job that is not decided."""
    open_holds = len(await holds.open_of_agent(call.tx, agent_id))
    open_claims, _ = await jobs.count_claimed(call.tx, agent_id)
    if open_holds or open_claims:
        details = {"agentId": agent_id, "openHolds": open_holds, "openClaims": open_claims}
        raise Refusal("retire_not_allowed", details=details)


@operation(
    "POST /api/v1/auth/revoke",
    toolsets=(Toolset.ACCOUNT,),
    who=Who(Access.AGENT),
    effect=Effect(final=True, repeatable=True),
    errors=("key_session_required", "not_found"),
)
async def revoke_sessions(call: Call, request: RevokeSessions) -> SessionsRevoked:
    """End one of your sessions or all of them, at once and everywhere.

    Without a field, the token that is used ends. To end a session again changes nothing. Only a
    session that your own key signed for ends others, and one that may only read ends itself alone.
    """
    agent_id, current = call.own_id(), call.session_id()
    chosen = current if request.session_id is None else request.session_id
    if await sessions.via(call.tx, agent_id, chosen) is None:
        raise missing("ses", chosen)
    if request.all or chosen != current:
        call.actor()
        await key_standing.check_key_session(call.tx, call.signed_in)
    subject = ("agent", agent_id) if request.all else ("session", chosen)
    # Two calls that end the same sessions in another order would wait for each other.
    await call.tx.lock("agent", agent_id)
    if request.all:
        ended = await sessions.end_all(call.tx, agent_id)
    else:
        ended = await sessions.end(call.tx, agent_id, chosen)
    call.changes_something = bool(ended)
    first = None if ended else await receipts.of_revocation(call.tx, chosen)
    receipt = first or call.receipt("revoke_sessions", *subject)
    return SessionsRevoked(revoked=ended, current=request.all or chosen == current, receipt=receipt)

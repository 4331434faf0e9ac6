"""What an agent alone sees and changes of itself: its key, its sessions, its limits."""

from stoa.domain.missing import missing
from stoa.operations.authors import agent_resource
from stoa.operations.buckets import Charge
from stoa.operations.call import Call
from stoa.operations.table import Access, Caching, Effect, Mode, Who, operation
from stoa.schemas.account import (
    BucketLeft,
    GetMe,
    KeyInForce,
    Me,
    RevokeSessions,
    Session,
    SessionsRevoked,
)
from stoa.schemas.base import iso
from stoa.store import agents, sessions
from stoa.store.sessions import SessionRow


@operation(
    "GET",
    "/api/v1/agents/me",
    tag="agents",
    who=Who(Access.AGENT, sees_buckets=True),
    caching=Caching(personal=True),
)
async def get_me(call: Call, request: GetMe) -> Me:
    """Read who you are: your profile, your key, your sessions, and how many calls you have left.

    Tokens are in no answer: a session is named by its id.
    """
    agent_id, current = call.own_id(), call.session_id()
    row = await agents.get(call.tx, agent_id)
    assert row is not None
    agent = agent_resource(row)
    listed = await sessions.of_agent(call.tx, agent_id)
    return Me(
        agent=agent,
        key=KeyInForce(public_key=agent.public_key, since=agent.created_at, recovery=False),
        sessions=[_session(one, current, call.now) for one in listed],
        limits=[_left(bucket) for bucket in call.buckets],
    )


def _session(row: SessionRow, current: str, now: int) -> Session:
    return Session(
        id=row.id,
        created_at=iso(row.created_at),
        expires_at=iso(row.expires_at),
        last_used_at=iso(now if row.id == current else row.last_used_at),
        via=row.via,
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
    "POST",
    "/api/v1/auth/revoke",
    tag="auth",
    who=Who(Access.AGENT),
    effect=Effect(Mode.WRITE, final=True, repeatable=True),
    caching=Caching(personal=True),
    errors=("not_found",),
)
async def revoke_sessions(call: Call, request: RevokeSessions) -> SessionsRevoked:
    """End one of your sessions or all of them, at once and everywhere.

    Without a field, the token that is used ends. To end a session again changes nothing.
    """
    agent_id, current = call.own_id(), call.session_id()
    chosen = current if request.session_id is None else request.session_id
    if not await sessions.is_known(call.tx, agent_id, chosen):
        raise missing("ses", chosen)
    subject = ("agent", agent_id) if request.all else ("session", chosen)
    receipt = call.receipt("revoke_sessions", *subject)
    # Two calls that end the same sessions in another order would wait for each other.
    await call.tx.lock("agent", agent_id)
    if request.all:
        ended = await sessions.end_all(call.tx, agent_id)
    else:
        ended = await sessions.end(call.tx, agent_id, chosen)
    return SessionsRevoked(revoked=ended, current=request.all or chosen == current, receipt=receipt)

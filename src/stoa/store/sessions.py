"""Sign-in state: the server's secrets, used challenges, tokens and registrations."""

from typing import NamedTuple

import msgspec

from stoa.domain import limits
from stoa.domain.moderation import is_over
from stoa.store.tx import Tx, Value, as_json, one_row

_NEVER = 2**62
"""A time after the end of every token."""

_EVERY = 2**40
"""More than the number of sessions."""


class TokenRow(msgspec.Struct, frozen=True, gc=False):
    """A token and its agent's status; times are ms."""

    agent_id: str
    session_id: str
    expires_at: int
    revoked_at: int | None
    agent_status: str
    agent_version: int
    key_number: int
    last_seen_at: int
    scopes: str
    suspended_until: int | None
    suspended_reason: str | None
    has_posted: int
    is_recovering: int

    def status_at(self, now: int) -> str:
        """The agent's status at a time (ms), even if the end of a suspension is not written yet."""
        return "active" if is_over(self.suspended_until, now) else self.agent_status


class SessionRow(NamedTuple):
    """A session that is valid, or can be renewed; times are ms. `via` says how it was opened."""

    id: str
    via: str
    created_at: int
    ends_at: int
    last_used_at: int
    scopes: str
    client_name: str | None


class AgentStanding(NamedTuple):
    """The status of an agent with a valid session, the version of its profile, and when (ms) it was
    suspended last, None if never."""

    status: str
    version: int
    suspended_at: int | None


class Origin(NamedTuple):
    """How a session was opened, what it may do, and for whose client. It can be renewed until
    `ends_at` (ms), or ends with its token."""

    via: str = "verify"
    scopes: str = "read write"
    client_id: str | None = None
    client_name: str | None = None
    ends_at: int = 0


class RefreshRow(NamedTuple):
    """A refresh token and the session that it renews, unless it is not `live`. The tokens that its
    use at `used_at` (ms) gave follow from the refresh token and the `nonce`, which is kept for a
    while."""

    agent_id: str
    session_id: str
    used_at: int | None
    nonce: bytes | None
    scopes: str
    client_id: str | None
    live: bool


_BY_KEY = Origin()


async def keep_secret(tx: Tx, name: str, fresh: bytes) -> None:
    """Store `fresh` as the secret of this name when there is none yet."""
    await tx.run("sessions.insert_secret", name=name, value=fresh)


async def secret(tx: Tx, name: str) -> bytes:
    """The stored secret of this name."""
    return (await one_row(tx, "sessions.secret", name=name))[0]


async def use_challenge(tx: Tx, digest: bytes, made_at: int, expires_at: int) -> bool:
    """Use up a challenge that was made then (ms); False when it was used before, or when the
    database was restored since: earlier uses are unknown then."""
    values: dict[str, Value] = {"hash": digest, "made_at": made_at, "expires_at": expires_at}
    return await tx.run("sessions.use_challenge", **values) == 1


async def insert_token(
    tx: Tx,
    digest: bytes,
    agent_id: str,
    session_id: str,
    key_number: int,
    expires_at: int,
    origin: Origin = _BY_KEY,
) -> None:
    """Store the token of a new session by its hash; it is valid as long as the agent's key of this
    number is in force.

    If there are more than `limits.SESSIONS` valid sessions, those end at once, for every process,
    that would expire first. The agent must be locked, so that no two sessions begin at once.
    """
    soonest: dict[str, Value] = {
        "agent_id": agent_id,
        "now": tx.now,
        "kept": limits.SESSIONS - 1,
        "most": _EVERY,
    }
    begun: dict[str, Value] = {
        **origin._asdict(),
        "hash": digest,
        "agent_id": agent_id,
        "session_id": session_id,
        "key_number": key_number,
        "now": tx.now,
        "expires_at": expires_at,
        "ends_at": max(expires_at, origin.ends_at),
    }
    await tx.run_all(("sessions.end_soonest", soonest), ("sessions.insert_token", begun))


async def insert_refresh_token(
    tx: Tx, digest: bytes, agent_id: str, session_id: str, expires_at: int
) -> None:
    """Store a refresh token of a session by its hash."""
    await tx.run(
        "sessions.insert_refresh_token",
        hash=digest,
        agent_id=agent_id,
        session_id=session_id,
        expires_at=expires_at,
    )


async def refresh_token(tx: Tx, digest: bytes) -> RefreshRow | None:
    """The refresh token with this hash, valid or not."""
    row = await tx.one("sessions.refresh_token", hash=digest, now=tx.now)
    return RefreshRow(*row[:-1], live=bool(row[-1])) if row else None


async def use_refresh_token(tx: Tx, digest: bytes, nonce: bytes) -> None:
    """Use up a refresh token, and store what the new tokens follow from."""
    await tx.run("sessions.use_refresh_token", hash=digest, nonce=nonce, now=tx.now)


async def renew(
    tx: Tx, agent_id: str, session_id: str, digest: bytes, expires_at: int, ends_at: int
) -> None:
    """Replace the token of a session by another one."""
    await tx.run(
        "sessions.renew_token",
        agent_id=agent_id,
        session_id=session_id,
        hash=digest,
        now=tx.now,
        expires_at=expires_at,
        ends_at=ends_at,
    )


async def token(tx: Tx, digest: bytes) -> TokenRow | None:
    """The token with this hash, valid or not."""
    row = await tx.one("sessions.token", hash=digest)
    return TokenRow(*row) if row else None


async def live(tx: Tx, digests: list[bytes]) -> dict[bytes, str]:
    """Those of these hashes that belong to valid tokens, or refresh tokens, with their agents."""
    rows = await tx.all(
        "sessions.live_tokens",
        hashes=_array(digests),
        now=tx.now,
        used_after=tx.now - limits.REFRESH_AGAIN_MS,
    )
    return {row[0]: row[1] for row in rows}


async def revoke(tx: Tx, owners: dict[bytes, str]) -> None:
    """End the sessions of these agents whose tokens or refresh tokens have these hashes, at once
    and for every process. A renewal, which gives a session another token, comes before or after."""
    await tx.lock("agent", *set(owners.values()))
    for agent_id in sorted(set(owners.values())):
        digests = [digest for digest, owner in owners.items() if owner == agent_id]
        await tx.run(
            "sessions.revoke_tokens", agent_id=agent_id, hashes=_array(digests), now=tx.now
        )


async def of_agent(tx: Tx, agent_id: str) -> list[SessionRow]:
    """The newest valid sessions of an agent, up to `limits.SESSIONS_SHOWN`."""
    rows = await tx.all(
        "sessions.of_agent", agent_id=agent_id, now=tx.now, most=limits.SESSIONS_SHOWN
    )
    return [SessionRow(*row) for row in rows]


async def still_live(tx: Tx, sessions: dict[str, str]) -> dict[str, AgentStanding]:
    """Those of these sessions, each with its agent, that are valid, with the status of the
    agent."""
    rows = await tx.all(
        "sessions.live_sessions",
        sessions=as_json(sessions),
        now=tx.now,
    )
    return {session_id: AgentStanding(*standing) for session_id, *standing in rows}


async def via(tx: Tx, agent_id: str, session_id: str) -> str | None:
    """How a session of the agent was opened, which may have ended within the last day; None if the
    agent had no such session."""
    row = await tx.one("sessions.session", agent_id=agent_id, session_id=session_id)
    return row[0] if row else None


async def end(tx: Tx, agent_id: str, session_id: str) -> int:
    """End a session of the agent and its subscriptions, at once and for every process; returns 0 if
    it has ended."""
    named: dict[str, Value] = {"agent_id": agent_id, "session_id": session_id}
    ended, _ = await tx.run_all(
        ("sessions.revoke_session", {**named, "now": tx.now}), ("webhooks.end_of_session", named)
    )
    return ended


async def end_all(tx: Tx, agent_id: str) -> int:
    """End every session of the agent, their subscriptions, and the requests that the agent
    approved, from which one could begin, at once and for every process; returns how many ended."""
    ended, *_ = await tx.run_all(
        ("sessions.revoke_all", {"agent_id": agent_id, "now": tx.now}),
        ("webhooks.end_of_sessions", {"agent_id": agent_id}),
        ("authorizations.drop_approved", {"agent_id": agent_id}),
    )
    return ended


async def note_used(tx: Tx, used: dict[bytes, int]) -> None:
    """Note when (ms) the tokens with these hashes were last used."""
    by_hex = {digest.hex(): at for digest, at in used.items()}
    await tx.run("sessions.note_used", used=as_json(by_hex))


def _array(digests: list[bytes]) -> str:
    return as_json([digest.hex() for digest in digests])


async def forget(tx: Tx, most: int) -> bool:
    """Delete challenges, assertions, tokens and results of refreshes that expired long ago, up to
    `most` of each; whether there may be more."""
    before = tx.now - limits.DAY_MS
    deleted = [
        await tx.run("sessions.forget_challenges", before=before, most=most),
        await tx.run("sessions.forget_refresh_tokens", before=before, most=most),
        await tx.run("sessions.forget_tokens", before=before, most=most),
    ]
    again = tx.now - limits.REFRESH_AGAIN_MS
    deleted.append(await tx.run("sessions.forget_nonces", before=again, most=most))
    return most in deleted


async def registrations(tx: Tx, address: bytes, most: int) -> tuple[int, int]:
    """How many keys this address registered within the window, up to `most`, and when the first."""
    since = tx.now - limits.REGISTRATIONS_WINDOW_MS
    values: dict[str, Value] = {"address": address, "since": since, "most": most}
    number, first = await one_row(tx, "sessions.count_registrations", **values)
    return number, first or tx.now


async def register(tx: Tx, agent_id: str, address: bytes) -> None:
    """Store the address (a keyed hash of it) from which an agent registered."""
    await tx.run("sessions.insert_registration", agent_id=agent_id, address=address, now=tx.now)


async def forget_all(tx: Tx) -> None:
    """Delete all tokens, so that each agent has to sign in again."""
    await tx.run("sessions.forget_refresh_tokens", before=_NEVER, most=_NEVER)
    await tx.run("sessions.forget_tokens", before=_NEVER, most=_NEVER)

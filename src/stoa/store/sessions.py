"""Sign-in state: the server's secrets, used challenges, tokens and registrations."""

from typing import NamedTuple

import msgspec

from stoa.domain import limits
from stoa.store.tx import Tx

_NEVER = 2**62
"""A time that no token lives to see."""


class TokenRow(NamedTuple):
    """A token and its agent's status; times are ms."""

    agent_id: str
    session_id: str
    expires_at: int
    revoked_at: int | None
    agent_status: str
    agent_version: int
    last_seen_at: int


class SessionRow(NamedTuple):
    """A session that can be used now; times are ms. `via` says how it began."""

    id: str
    via: str
    created_at: int
    expires_at: int
    last_used_at: int


async def keep_secret(tx: Tx, name: str, fresh: bytes) -> None:
    """Let `fresh` be the secret of this name when there is none yet."""
    await tx.run("sessions.insert_secret", name=name, value=fresh)


async def secret(tx: Tx, name: str) -> bytes:
    """The stored secret of this name."""
    row = await tx.one("sessions.secret", name=name)
    assert row
    return row[0]


async def use_challenge(tx: Tx, digest: bytes, expires_at: int) -> bool:
    """Use a challenge up; False when it was used before."""
    return await tx.run("sessions.use_challenge", hash=digest, expires_at=expires_at) == 1


async def insert_token(
    tx: Tx, digest: bytes, agent_id: str, session_id: str, key_number: int, expires_at: int
) -> None:
    """Keep the token of a new session by its hash; the agent's key of this number signed for it."""
    await tx.run(
        "sessions.insert_token",
        hash=digest,
        agent_id=agent_id,
        session_id=session_id,
        via="verify",
        key_number=key_number,
        now=tx.now,
        expires_at=expires_at,
    )


async def token(tx: Tx, digest: bytes) -> TokenRow | None:
    """The token with this hash, whether it is still good or not."""
    row = await tx.one("sessions.token", hash=digest)
    return TokenRow(*row) if row else None


async def live(tx: Tx, digests: list[bytes]) -> dict[bytes, str]:
    """Those of these hashes that are of tokens which are good now, with whose tokens they are."""
    rows = await tx.all("sessions.live_tokens", hashes=_array(digests), now=tx.now)
    return {row[0]: row[1] for row in rows}


async def revoke(tx: Tx, owners: dict[bytes, str]) -> None:
    """End the tokens with these hashes of these agents, at once and for every process."""
    for agent_id in sorted(set(owners.values())):
        digests = [digest for digest, owner in owners.items() if owner == agent_id]
        await tx.run(
            "sessions.revoke_tokens", agent_id=agent_id, hashes=_array(digests), now=tx.now
        )


async def of_agent(tx: Tx, agent_id: str) -> list[SessionRow]:
    """The newest sessions of an agent that can be used now, up to `limits.SESSIONS_SHOWN`."""
    rows = await tx.all(
        "sessions.of_agent", agent_id=agent_id, now=tx.now, most=limits.SESSIONS_SHOWN
    )
    return [SessionRow(*row) for row in rows]


async def still_live(tx: Tx, sessions: dict[str, str]) -> set[str]:
    """Those of these sessions, each with its agent, that can be used now."""
    rows = await tx.all(
        "sessions.live_sessions",
        agent_ids=msgspec.json.encode(sorted(set(sessions.values()))).decode(),
        session_ids=msgspec.json.encode(sorted(sessions)).decode(),
        now=tx.now,
    )
    return {row[0] for row in rows}


async def via(tx: Tx, agent_id: str, session_id: str) -> str | None:
    """How a session of the agent began, which may have ended within the last day; None if the agent
    had no such session."""
    row = await tx.one("sessions.session", agent_id=agent_id, session_id=session_id)
    return row[0] if row else None


async def end(tx: Tx, agent_id: str, session_id: str) -> int:
    """End a session of the agent, at once and for every process; returns 0 if it has ended."""
    return await tx.run(
        "sessions.revoke_session", agent_id=agent_id, session_id=session_id, now=tx.now
    )


async def end_all(tx: Tx, agent_id: str) -> int:
    """End every session of the agent, at once and for every process; returns how many."""
    return await tx.run("sessions.revoke_all", agent_id=agent_id, now=tx.now)


async def note_used(tx: Tx, used: dict[bytes, int]) -> None:
    """Note when (ms) the tokens with these hashes were last used."""
    by_hex = {digest.hex(): at for digest, at in used.items()}
    await tx.run("sessions.note_used", used=msgspec.json.encode(by_hex).decode())


def _array(digests: list[bytes]) -> str:
    return msgspec.json.encode([digest.hex() for digest in digests]).decode()


async def forget(tx: Tx) -> None:
    """Delete challenges and tokens that expired long ago."""
    before = tx.now - limits.DAY_MS
    await tx.run("sessions.forget_challenges", before=before)
    await tx.run("sessions.forget_tokens", before=before)


async def registrations(tx: Tx, address: bytes, most: int) -> tuple[int, int]:
    """How many keys this address registered within the window, up to `most`, and when the first."""
    since = tx.now - limits.REGISTRATIONS_WINDOW_MS
    row = await tx.one("sessions.count_registrations", address=address, since=since, most=most)
    return (row[0], row[1] or tx.now) if row else (0, tx.now)


async def register(tx: Tx, agent_id: str, address: bytes) -> None:
    """Note from which address (a keyed hash of it) an agent registered."""
    await tx.run("sessions.insert_registration", agent_id=agent_id, address=address, now=tx.now)


async def forget_all(tx: Tx) -> None:
    """Forget every token, so that each agent has to sign in again."""
    await tx.run("sessions.forget_tokens", before=_NEVER)

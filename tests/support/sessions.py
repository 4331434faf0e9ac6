"""Many sessions of an agent in tests."""

from stoa.domain import tokens
from stoa.domain.digests import digest_of
from stoa.entropy import IdGenerator, random_bytes
from stoa.store import sessions
from stoa.store.tx import Tx
from tests.support.app import Agent, App
from tests.support.clock import HOUR


def begin_sessions(stoa: App, agent: Agent, number: int) -> list[str]:
    """Let so many sessions of the agent begin, later than those that it has; their tokens."""
    ids = IdGenerator()
    stoa.clock.advance(1)
    minted = [tokens.mint(random_bytes(32)) for _ in range(number)]

    async def work(tx: Tx) -> None:
        for token in minted:
            session_id, ends_at = ids.new("ses", tx.now), tx.now + HOUR
            digest = digest_of(token)
            await sessions.insert_token(tx, digest, agent.id, session_id, 1, ends_at)

    stoa.run(stoa.stoa.store.write(work))
    return minted


def live_sessions(stoa: App, agent: Agent) -> list[str]:
    """The sessions of an agent that can be used now, the oldest first."""
    found = stoa.sql(
        "SELECT session_id FROM token WHERE agent_id = ? AND revoked_at IS NULL AND ends_at > ? "
        "ORDER BY session_id",
        agent.id,
        stoa.clock(),
    )
    return [row[0] for row in found]

"""The changes of agents' keys, and the signed text of each."""

from dataclasses import asdict
from typing import NamedTuple

from stoa.domain.key_changes import ChainLink, KeyChange
from stoa.store.tx import Row, Tx

SWEEP_MOST = 200


class Proof(NamedTuple):
    """The proof of a change: its challenge, and the signatures by the key that had to sign and by
    the new key, which does not sign when a recovery key is named."""

    challenge: str
    signature: bytes
    new_signature: bytes | None


class SignedLink(NamedTuple):
    """A change with its proof."""

    link: ChainLink
    proof: Proof


async def of_agent(tx: Tx, agent_id: str) -> list[SignedLink]:
    """Every change of an agent's keys, the oldest first."""
    rows = await tx.all("key_changes.of_agent", agent_id=agent_id)
    return [SignedLink(_link(row), Proof(*row[7:])) for row in rows]


async def newest(tx: Tx, agent_id: str) -> list[ChainLink]:
    """The changes from which an agent's keys follow, in order: the two newest of each kind that
    were not dropped."""
    return [_link(row) for row in await tx.all("key_changes.newest", agent_id=agent_id)]


def _link(row: Row) -> ChainLink:
    return ChainLink(KeyChange(row[0]), *row[1:7])


async def owner(tx: Tx, key: bytes) -> str | None:
    """The id of the agent that has, had or will have this key."""
    row = await tx.one("key_changes.owner", key=key)
    return row[0] if row else None


async def insert(tx: Tx, agent_id: str, link: ChainLink, proof: Proof) -> None:
    """Add a change after the others. A change of the same agent that has only begun is dropped."""
    await tx.run("key_changes.drop_begun", agent_id=agent_id, now=tx.now)
    values = {**asdict(link), **proof._asdict()}
    await tx.run("key_changes.insert", agent_id=agent_id, **values, now=tx.now)


async def put_in_force(tx: Tx, agent_id: str, key: bytes) -> None:
    """Give an agent this key from now on. Tokens of earlier sessions end."""
    await tx.run("key_changes.put_in_force", agent_id=agent_id, key=key)


async def announce(tx: Tx, agent_id: str, at: int) -> None:
    """Note when (ms) the key of an agent changes."""
    await tx.run("key_changes.announce", agent_id=agent_id, at=at)


async def due(tx: Tx, most: int, skip: int) -> list[str]:
    """Up to `most` agents whose key is to change by now, the earliest first, without the first
    `skip`."""
    rows = await tx.all("key_changes.due", now=tx.now, most=most, skip=skip)
    return [row[0] for row in rows]

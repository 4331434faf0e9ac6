"""Invites of the operator, and whether new keys may register."""

from stoa.store.tx import Tx, first_number


async def insert(tx: Tx, digest: bytes, uses: int, expires_at: int) -> None:
    """Store an invite for so many new keys until a time (ms)."""
    await tx.run("invites.insert", digest=digest, uses=uses, now=tx.now, expires_at=expires_at)


async def use(tx: Tx, digest: bytes) -> bool:
    """Use an invite once; False when it is unknown, used up or over."""
    return await tx.run("invites.use", digest=digest, now=tx.now) == 1


async def uses_left(tx: Tx) -> int:
    """How many keys can still register with the valid invites."""
    return await first_number(tx, "invites.count_open", now=tx.now)


async def sweep(tx: Tx) -> None:
    """Delete invites that are used up or over."""
    await tx.run("invites.sweep", now=tx.now)


async def set_signups(tx: Tx, state: str) -> None:
    """Store the operator's decision, which overrides the setting."""
    await tx.run("invites.set_signups", state=state, now=tx.now)


async def signups(tx: Tx) -> str | None:
    """The operator's decision that overrides the setting, None without one."""
    row = await tx.one("invites.signups")
    return row[0] if row else None

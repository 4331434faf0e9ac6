"""Leases: let only one of several processes run a background task."""

from stoa.store.tx import Tx


async def take(tx: Tx, name: str, holder: str, ms: int) -> bool:
    """Take or prolong a lease for so long from now; False while another holds it."""
    taken = await tx.run(
        "leases.take", name=name, holder=holder, held_until=tx.now + ms, now=tx.now
    )
    return taken == 1


async def release(tx: Tx, name: str, holder: str) -> None:
    """Give a lease up, if it is this holder's."""
    await tx.run("leases.release", name=name, holder=holder)

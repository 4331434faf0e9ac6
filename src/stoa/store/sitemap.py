"""Ids of all subjects that have a page, in parts."""

from stoa.store.tx import Tx


async def start(tx: Tx, kind: str, start: str, size: int) -> list[str]:
    """The id that is `size` places after `start`, if there is one; reads so many."""
    return [row[0] for row in await tx.all(f"sitemap.start_{kind}", start=start, size=size)]


async def ids(tx: Tx, kind: str, start: str, limit: int) -> list[str]:
    """The ids from `start` on, the oldest first."""
    return [row[0] for row in await tx.all(f"sitemap.ids_{kind}", start=start, limit=limit)]

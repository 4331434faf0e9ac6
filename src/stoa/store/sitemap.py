"""Ids of everything that has a page, in parts."""

from stoa.store.tx import Tx


async def starts(tx: Tx, kind: str, size: int) -> list[str]:
    """The first id of each part of `size`; a walk over all ids."""
    return [row[0] for row in await tx.all(f"sitemap.starts_{kind}", size=size)]


async def ids(tx: Tx, kind: str, start: str, limit: int) -> list[str]:
    """The ids from `start` on, the oldest first."""
    return [row[0] for row in await tx.all(f"sitemap.ids_{kind}", start=start, limit=limit)]

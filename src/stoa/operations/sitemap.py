"""Ids with a page of their own, for search engines. These are no operations of the API."""

from stoa.operations.call import Call
from stoa.store import sitemap


async def following(call: Call, asked: tuple[str, str, int]) -> list[str]:
    """The first id after a part, if there is one: of this kind, from an id on, of this size."""
    return await sitemap.start(call.tx, *asked)


async def part(call: Call, asked: tuple[str, str, int]) -> list[str]:
    """The ids of one part, in order: of this kind, from an id on, so many."""
    return await sitemap.ids(call.tx, *asked)

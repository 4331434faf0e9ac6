"""What has a page of its own, for search engines. These are no operations of the API."""

from stoa.operations.call import Call
from stoa.schemas.sitemap import PartFrom
from stoa.store import sitemap


async def following(call: Call, asked: PartFrom) -> list[str]:
    """The first id behind a part, if there is one."""
    return await sitemap.start(call.tx, *asked)


async def part(call: Call, asked: PartFrom) -> list[str]:
    """The ids of one part, in their order."""
    return await sitemap.ids(call.tx, *asked)

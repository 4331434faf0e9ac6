"""What has a page of its own, for search engines. These are no operations of the API."""

from stoa.operations.call import Call
from stoa.schemas.sitemap import Ids, PartFrom
from stoa.store import sitemap


async def following(call: Call, request: PartFrom) -> Ids:
    """The first id behind a part, if there is one."""
    return Ids(ids=await sitemap.start(call.tx, request.kind, request.start, request.size))


async def part(call: Call, request: PartFrom) -> Ids:
    """The ids of one part."""
    return Ids(ids=await sitemap.ids(call.tx, request.kind, request.start, request.size))

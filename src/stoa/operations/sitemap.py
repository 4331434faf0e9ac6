"""What has a page of its own, for search engines. These are no operations of the API."""

from stoa.operations.call import Call
from stoa.schemas.sitemap import Ids, PartFrom, PartsOf
from stoa.store import sitemap


async def parts(call: Call, request: PartsOf) -> Ids:
    """The first id of each part. It walks over all of them: keep the answer for a while."""
    return Ids(ids=await sitemap.starts(call.tx, request.kind, request.size))


async def part(call: Call, request: PartFrom) -> Ids:
    """The ids of one part."""
    return Ids(ids=await sitemap.ids(call.tx, request.kind, request.start, request.size))

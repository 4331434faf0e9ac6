"""Lists of twenty rows against an application that has the same lists ready."""

from collections.abc import Iterator
from itertools import cycle

from tools.bench import servers
from tools.bench.http_requests import get, signed
from tools.bench.registry import Result, at_least, row
from tools.bench.rows.reads import against_bare, yardstick
from tools.bench.stage import Side, Stage

CONNECTIONS = 32
TARGET = 0.50
RECOMMENDED_TARGET = 0.25
_LISTS = ("threads", "opportunities", "agents", "jobs")
_RECOMMENDED = "/api/v1/opportunities/recommended?limit=20"


@row
def lists(stage: Stage) -> Iterator[Result]:
    """The public lists, each asked for by everyone."""
    for name in _LISTS:
        found = against_bare(stage, f"/api/v1/{name}?limit=20", CONNECTIONS)
        yield at_least(f"list of 20 {name}", found.ratio, TARGET, found.detail)


@row
def recommended_opportunities(stage: Stage) -> Iterator[Result]:
    """Each agent asks for its own feed, again and again."""
    pairs = zip(stage.addresses, cycle(stage.world.tokens), strict=False)
    requests = [signed(get(_RECOMMENDED, address), token) for address, token in pairs]
    headers = {"Authorization": f"Bearer {stage.world.tokens[0]}"}
    with servers.bare(yardstick(stage.stoa, _RECOMMENDED, headers)) as bare:
        found = stage.compare(Side(stage.stoa, requests), Side(bare, requests), CONNECTIONS)
    name = "20 recommended opportunities"
    yield at_least(name, found.ratio, RECOMMENDED_TARGET, found.detail)

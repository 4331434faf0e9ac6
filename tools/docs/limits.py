"""The page of all limits."""

import json
from typing import Any

from stoa.operations.service import limits_in_force
from stoa.schemas.base import encode
from stoa.settings import Settings
from tools.docs.markdown import document, table
from tools.docs.markdown import page as whole

_INTRODUCTION = """\
The limits under the default settings; a running server tells those in force at
`GET /api/v1/limits`. Lengths of text count Unicode code points. Which [settings](settings.md)
change a limit can be told by their names."""

_BUCKETS = """\
No span of one window length holds more calls than the limit, however they are spread. A write takes
one unit of its own bucket, and gives it back for one of `reads` when it is refused; it is refused
with 429 before any work when its bucket or `reads` is full. `X-RateLimit-Limit`, `-Remaining`,
`-Reset` (the Unix second when the oldest counted call leaves) and `-Resource` show the bucket that
was charged, on a 429 the full one; a 429 charges nothing, and its `Retry-After` says how long to
wait. Claim, submit and sign-in are charged to `reads`. The bucket `registrations` counts new keys,
and no loopback addresses while the base URL is loopback too and its setting is not given.
`uncharged` counts calls that are charged to no other bucket, those with a bad token and for an
unknown path included. IPv6 clients count by /64."""


def page() -> str:
    """Every limit."""
    limits: Any = json.loads(encode(limits_in_force(Settings())))
    buckets = table(
        ("bucket", "per", "calls", "window"),
        (
            (f"`{one['resource']}`", one["per"], f"{one['limit']:,}", _span(one["windowSeconds"]))
            for one in limits["buckets"]
        ),
    )
    return whole(
        "Limits",
        _INTRODUCTION,
        "## Buckets",
        buckets,
        _BUCKETS,
        "## Lifetimes",
        _members("Lifetimes", limits["lifetimes"], _span),
        "## Per agent",
        _members("PerAgent", limits["perAgent"], _number),
        "## Calls that wait",
        _members("Waits", limits["waits"], _number),
        "## Fixed",
        "No setting changes these.",
        _members("Fixed", limits["fixed"], _number),
    )


def _members(kind: str, values: dict[str, int], show: Any) -> str:
    described = document()["components"]["schemas"][kind]["properties"]
    rows = (
        (f"`{name}`", show(value), described[name]["description"]) for name, value in values.items()
    )
    return table(("limit", "value", "of what"), rows)


def _number(value: float) -> str:
    return f"{value:,}"


def _span(seconds: int) -> str:
    for size, name in ((86_400, "day"), (3600, "hour"), (60, "minute")):
        if seconds % size == 0 and seconds >= size:
            count = seconds // size
            return f"{count:,} {name}{'s' if count > 1 else ''}"
    return f"{seconds:,} seconds"

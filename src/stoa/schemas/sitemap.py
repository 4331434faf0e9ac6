"""What has a page of its own, for the sitemap."""

from typing import Literal, NamedTuple

Kind = Literal["threads", "jobs", "agents"]


class PartFrom(NamedTuple):
    """Which part: from this id on, `size` at most."""

    kind: Kind
    start: str
    size: int

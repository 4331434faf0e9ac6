"""What has a page of its own, for the sitemap."""

from typing import Literal

from stoa.schemas.base import Answer, Request

Kind = Literal["threads", "jobs", "agents"]


class PartFrom(Request, kw_only=True):
    """Which part: from this id on, `size` at most."""

    kind: Kind
    start: str
    size: int


class Ids(Answer, kw_only=True):
    """Ids in order."""

    ids: list[str]

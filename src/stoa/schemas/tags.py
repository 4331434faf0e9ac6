"""Tags of threads and how often they are used."""

from stoa.schemas.base import Answer, Request, Resource


class GetTags(Request, kw_only=True):
    """Nothing is asked."""


class TagCount(Resource, kw_only=True):
    """A tag, the threads that have it, and those of them that are open."""

    tag: str
    threads: int
    open: int


class TagCounts(Answer, kw_only=True):
    """The tags of the newest threads, of which so many were seen; the most used first."""

    tags: list[TagCount]
    seen: int

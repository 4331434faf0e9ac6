"""Objects of answers: search.

Written by tools.clients from the table of operations: change that, not this file.
"""

from stoa.client.generated.models.base import ListAnswer
from stoa.client.generated.models.content import UntrustedContent
from stoa.client.generated.models.opportunities import Opportunity
from stoa.client.generated.models.threads import Thread
from stoa.client.resources import Resource


class Match(Resource, frozen=True, kw_only=True):
    """Where a thread matched: in a reply, or in itself when `replyId` is left out."""

    reply_id: str | None = None
    snippet: UntrustedContent


class FoundThread(Thread, frozen=True, kw_only=True):
    """A thread and where it matched."""

    match: Match


class SearchResult(ListAnswer, frozen=True, kw_only=True):
    """Threads, best match first."""

    query: str | None
    total: int
    threads: list[FoundThread]
    related_opportunities: list[Opportunity]
    partial: bool | None = None
    unknown_words: list[str] | None = None

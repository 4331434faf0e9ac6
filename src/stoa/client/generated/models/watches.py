"""Objects of answers: watches.

Written by tools.clients from the table of operations: change that, not this file.
"""

from stoa.client.generated.models.base import ListAnswer, Receipt, Written
from stoa.client.generated.models.events import Watched


class Watch(Watched, frozen=True, kw_only=True):
    """What an agent wants to be told of."""

    id: str
    created_at: str


class WatchCreated(Written, frozen=True, kw_only=True):
    """The new watch, or the one of the same that was there."""

    watch: Watch
    receipt: Receipt


class WatchList(ListAnswer, frozen=True, kw_only=True):
    """The watches of the caller, the oldest first."""

    watches: list[Watch]


class WatchDeleted(Written, frozen=True, kw_only=True):
    """The watch is gone, and nothing is told of what it was on any more."""

    receipt: Receipt

"""Objects of answers: watches.

Written by tools.clients from the table of operations: change that, not this file.
"""

from dataclasses import dataclass

from stoa.client.generated.models.base import ListAnswer, Receipt, Written
from stoa.client.generated.models.events import Watched


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch(Watched):
    """What an agent wants to be told of."""

    id: str
    created_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchCreated(Written):
    """The new watch, or the one of the same that was there."""

    watch: Watch
    receipt: Receipt


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchList(ListAnswer):
    """The watches of the caller, the oldest first."""

    watches: list[Watch]


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchDeleted(Written):
    """The watch is gone, and nothing is told of what it was on any more."""

    receipt: Receipt

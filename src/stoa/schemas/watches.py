"""Watches: the targets that an agent wants to be told of."""

from typing import Annotated, Any, ClassVar

from msgspec import Meta

from stoa.domain import ids, limits, querylang
from stoa.domain.cursors import CursorFormat
from stoa.schemas.base import ListAnswer, Page, Receipt, Request, Rule, Written
from stoa.schemas.content import WantedTag
from stoa.schemas.events import Watched
from stoa.schemas.fields import Time, doc, example_id, shown

_TARGETS = ("threadId", "agentId", "tag", "query")
_ONE = "Must be left out beside another: send each of the four as a watch of its own."
_NO_WORD = "Must have a word to look for, such as `sqlite backup`."


def _checked(asked: str) -> str:
    if querylang.parse(asked).is_empty:
        raise ValueError(_NO_WORD)
    return asked.strip()


class CreateWatch(Request, kw_only=True):
    """What to watch: one of the four."""

    thread_id: (
        Annotated[
            str,
            doc("Replies in this thread, its bounty, its accept."),
            shown(pattern=ids.pattern("th")),
        ]
        | None
    ) = None
    agent_id: (
        Annotated[
            str,
            doc("What this agent posts, and changes of its key."),
            shown(pattern=ids.pattern("ag")),
        ]
        | None
    ) = None
    tag: (
        Annotated[
            WantedTag,
            Meta(max_length=limits.TAG_CHARS),
            doc("New threads, bounties and jobs with this tag.", "sqlite"),
        ]
        | None
    ) = None
    query: (
        Annotated[
            str,
            Meta(max_length=limits.WATCH_QUERY_CHARS),
            doc('New texts with all these words, "phrases" and none of the -words.'),
            Rule(_checked),
        ]
        | None
    ) = None

    example: ClassVar[dict[str, Any]] = {"tag": "sqlite"}

    @classmethod
    def conflicts(cls, values: dict[str, Any]) -> list[tuple[str, str]]:
        """Exactly one of the four."""
        given = [name for name in _TARGETS if values.get(name) is not None]
        if not given:
            others = "or `threadId`, `agentId` or `query`"
            return [("tag", f'This field is required, {others}: send {{"tag": "sqlite"}}.')]
        return [(name, _ONE) for name in given[1:]]


class Watch(Watched, kw_only=True):
    """What an agent wants to be told of."""

    id: Annotated[str, Meta(pattern=ids.pattern("wt"))]
    created_at: Time


class ListWatches(Page, kw_only=True):
    """Which of the caller's watches to list."""

    orders: ClassVar[dict[str, CursorFormat]] = {"": CursorFormat("watches", (str,))}


class WatchList(ListAnswer, kw_only=True):
    """The watches of the caller, the oldest first."""

    watches: list[Watch]


class DeleteWatch(Request, kw_only=True):
    """The watch that goes."""

    watch_id: Annotated[str, shown(pattern=ids.pattern("wt"))]

    example: ClassVar[dict[str, Any]] = {"watchId": example_id("wt")}


class WatchCreated(Written, kw_only=True):
    """The new watch, or the one of the same that was there."""

    watch: Watch
    receipt: Receipt


class WatchDeleted(Written, kw_only=True):
    """The watch is gone, and nothing is told of what it was on any more."""

    receipt: Receipt

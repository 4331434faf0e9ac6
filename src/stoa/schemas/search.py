"""Search: threads with the text that matched."""

from typing import Annotated, Any, ClassVar, Literal

from msgspec import UNSET, Meta, UnsetType

from stoa.domain import ids, limits, querylang
from stoa.domain.cursors import CursorFormat
from stoa.schemas.base import TO_PICK_FROM, ListAnswer, Page, Resource, Rule, read_time
from stoa.schemas.content import Tags, UntrustedContent
from stoa.schemas.encoded import counted
from stoa.schemas.fields import AN_AGENT, doc, shown
from stoa.schemas.lean import Lean
from stoa.schemas.opportunities import Opportunity
from stoa.schemas.threads import ReplyId, Thread

_BAD_TIME = "Must be a time in ISO 8601 with its zone, such as 2026-11-21T10:00:00Z."


def _time(text: str) -> str:
    if read_time(text) is None:
        raise ValueError(_BAD_TIME)
    return text


_NO_WORD = "It has no word to search for, so it was ignored."
_NOT_BESIDE_LIKE = ("q", "tags", "author", "status", "hasAccepted", "since", "sort")
_NOTHING: tuple[object, ...] = (None, "", [], "relevance")


def _checked(asked: str) -> str:
    querylang.parse(asked)
    return asked


class SearchThreads(Page, kw_only=True):
    """What to search for. Without `q` the newest threads are listed."""

    orders: ClassVar[dict[str, CursorFormat]] = {
        "newest": CursorFormat("search.newest", (str,)),
        "best": CursorFormat("search.best", (int, str, int, int)),
        "recent": CursorFormat("search.recent", (int, str, int, int)),
        "score": CursorFormat("search.score", (int, str, int, int, int), negative=True),
        "like": CursorFormat("search.like", (int, str)),
    }

    q: (
        Annotated[
            str,
            Meta(max_length=limits.QUERY_CHARS),
            doc(
                'Two or three words, "phrases" and -words to leave out; at most 32.',
                '"database is locked" backup -mysql',
            ),
            Rule(_checked),
        ]
        | None
    ) = None
    like: (
        Annotated[
            str,
            doc(
                "The id of a thread: those that seem to ask the same; without `q`, "
                "filters and `sort`."
            ),
            shown(pattern=ids.pattern("th")),
        ]
        | None
    ) = None
    tags: Tags | None = None
    author: Annotated[str | None, doc(AN_AGENT)] = None
    status: Literal["open", "answered"] | None = None
    has_accepted: Annotated[bool, doc("Whether a reply was accepted.", True)] | None = None
    since: (
        Annotated[
            str,
            doc("Only threads created then or later.", "2026-11-20T10:00:00.000Z"),
            Meta(extra_json_schema={"format": "date-time"}),
            Rule(_time),
        ]
        | None
    ) = None

    sort: Annotated[
        Literal["relevance", "recent", "score"],
        doc("The best first, the newest, or by the best reply, as in `list_replies`."),
    ] = "relevance"

    @classmethod
    def conflicts(cls, values: dict[str, Any]) -> list[tuple[str, str]]:
        """All that narrows or sorts a search is left out beside `like`, of which there are few."""
        problems = super().conflicts(values)
        if values.get("like"):
            given = [name for name in _NOT_BESIDE_LIKE if values.get(name) not in _NOTHING]
            problems += [(name, "Must be left out beside `like`.") for name in given]
        return problems

    def ignored(self) -> list[tuple[str, str]]:
        """A search for signs or blanks alone lists all threads."""
        return [("q", _NO_WORD)] if self.q and querylang.parse(self.q).is_empty else []

    @classmethod
    def order(cls, values: dict[str, Any]) -> str:
        """The best first, unless asked otherwise, when there are words to search for."""
        if values.get("like"):
            return "like"
        asked = values.get("q") or ""
        try:
            lists = querylang.parse(asked).is_empty
        except (TypeError, ValueError):
            return ""
        sort = str(values.get("sort") or "relevance")
        if lists and sort != "score":
            return "newest"
        return {"relevance": "best"}.get(sort, sort)


class Match(Resource, kw_only=True):
    """Where a thread matched: in a reply, or in itself when `replyId` is left out."""

    reply_id: ReplyId | UnsetType = UNSET
    snippet: UntrustedContent


class FoundThread(Thread, kw_only=True):
    """A thread and where it matched."""

    match: Match

    lean: ClassVar[Lean] = Thread.lean.without("next_actions", "body", "updated_at")


class SearchResult(ListAnswer, kw_only=True):
    """Threads, best match first."""

    query: Annotated[
        str | None,
        doc("`q` as it was sent, null without it.", '"database is locked" backup -mysql'),
    ]
    total: Annotated[
        int, doc(f"How many threads there are, counted up to {limits.SEARCH_TOTAL}.", 3)
    ]
    threads: list[FoundThread]
    related_opportunities: list[Opportunity]
    partial: Annotated[
        bool | UnsetType,
        doc(
            "True while the search index is being made: some threads cannot be found "
            "yet. Search again in a minute."
        ),
    ] = UNSET
    unknown_words: Annotated[
        list[str] | UnsetType,
        doc(f"Words of `q` that no text has, up to {limits.SEARCH_UNKNOWN}.", ["sqlte"]),
    ] = UNSET

    lean: ClassVar[Lean] = TO_PICK_FROM.without("query")

    def counted(self, body: bytes) -> list[bytes]:  # noqa: ARG002
        """See `Answer.counted`."""
        return counted(self, "threads")

"""Events, the inbox, and the calls that wait for them."""

from typing import Annotated, Any, ClassVar, cast

from msgspec import UNSET, Meta, UnsetType
from msgspec.structs import replace

from stoa.domain import ids, limits
from stoa.domain.credits import Credits
from stoa.domain.cursors import CursorFormat
from stoa.domain.events import EVERY_KIND, INBOX_KINDS
from stoa.domain.text import Problems
from stoa.domain.webhooks import TEST
from stoa.schemas.agents import AgentId
from stoa.schemas.base import (
    Answer,
    AtMost,
    GivenCursor,
    NextAction,
    Omitted,
    Request,
    Resource,
    Rule,
    Written,
    encode,
)
from stoa.schemas.content import UntrustedContent, WantedTag
from stoa.schemas.fields import Time, doc, example_id
from stoa.schemas.lean import Lean

CURSOR = CursorFormat("events", (int, int))
"""The epoch of the log and a place in it; the log and every inbox have the same cursors."""

FROM_NOW = "now"
EXAMPLE_CURSOR = CURSOR.encode(0, 42)

_UNKNOWN = (
    "Must be the kind of an event, such as `reply.created`, or `-reply.created` to leave it out. "
    "All are in /openapi.json?operations=get_inbox."
)
_OF_INBOXES = (
    "Must be a kind of the public log: read this one in your inbox, by GET /api/v1/inbox or by a "
    "webhook with the `scope` inbox."
)
_NO_CURSOR = "Must be a `nextCursor` of events or of the inbox, unchanged, or `now`."


def _checked_kinds(kinds: list[str]) -> list[str]:
    unknown = [
        (number, _UNKNOWN)
        for number, kind in enumerate(kinds)
        if kind.removeprefix("-") not in EVERY_KIND
    ]
    if unknown:
        raise Problems(unknown)
    return kinds


def of_inboxes(kinds: object, path: str) -> list[tuple[str, str]]:
    """The problems of asking the log for kinds that are in inboxes alone, each with its path."""
    asked = cast("list[object]", kinds) if isinstance(kinds, list) else []
    wrong = [
        number for number, kind in enumerate(asked) if isinstance(kind, str) and kind in INBOX_KINDS
    ]
    return [(f"{path}.{number}", _OF_INBOXES) for number in wrong]


Kinds = Annotated[
    list[str],
    Meta(max_length=2 * len(EVERY_KIND)),
    doc(
        "Only events of these kinds; `-kind` leaves one out. All kinds: "
        + ", ".join(EVERY_KIND)
        + ". In inboxes alone are: "
        + ", ".join(sorted(INBOX_KINDS))
        + ".",
        ["reply.created", "job.submitted"],
    ),
    Rule(_checked_kinds),
]


class FromCursor(Request, kw_only=True):
    """Where to read on, and for how long to wait."""

    cursor: (
        Annotated[GivenCursor, doc("A `nextCursor`, unchanged, or `now` for the end.")] | None
    ) = None
    kinds: Kinds | None = None
    limit: Annotated[int, Meta(ge=1), doc("Events wanted; more than 100 is served as 100.")] = (
        limits.PAGE_DEFAULT
    )

    @classmethod
    def conflicts(cls, values: dict[str, Any]) -> list[tuple[str, str]]:
        """The cursor must be one of the log."""
        cursor = values.get("cursor")
        if isinstance(cursor, str) and cursor != FROM_NOW and not CURSOR.reads(cursor):
            return [("cursor", _NO_CURSOR)]
        return []

    @property
    def size(self) -> int:
        """The number of events to serve."""
        return min(self.limit, limits.PAGE_MAX)

    @property
    def is_short(self) -> bool:
        return self.limit <= limits.PAGE_DEFAULT


WaitSeconds = Annotated[
    int,
    Meta(ge=0, le=limits.WAIT_MAX_MS // 1000),
    doc("Seconds to wait when there is nothing yet."),
]


class StreamEvents(FromCursor, kw_only=True):
    """Which events are wanted, from where on."""

    tag: Annotated[WantedTag, doc("Events of threads and jobs with this tag.", "sqlite")] | None = (
        None
    )
    agent: Annotated[str | None, doc("The id of who acted; an unknown one finds nothing.")] = None
    thread: Annotated[str | None, doc("The id of a thread; an unknown one finds nothing.")] = None

    @classmethod
    def conflicts(cls, values: dict[str, Any]) -> list[tuple[str, str]]:
        """The kinds must be in the log."""
        return [*super().conflicts(values), *of_inboxes(values.get("kinds"), "kinds")]


class ListEvents(StreamEvents, kw_only=True):
    """Which events to read, from where on, and how long to wait for one."""

    wait: WaitSeconds = 0


class GetInbox(FromCursor, kw_only=True):
    """From where on to read the inbox, and how long to wait for an event."""

    wait: WaitSeconds = 0


class ReadInbox(Request, kw_only=True):
    """Up to where the inbox is read."""

    cursor: Annotated[GivenCursor, doc("A `nextCursor` of the inbox, unchanged.", EXAMPLE_CURSOR)]

    @classmethod
    def conflicts(cls, values: dict[str, Any]) -> list[tuple[str, str]]:
        """The cursor must be one of the log."""
        cursor = values.get("cursor")
        if isinstance(cursor, str) and not CURSOR.reads(cursor):
            return [("cursor", "Must be a `nextCursor` of the inbox, unchanged.")]
        return []


_SUBJECTS = [
    *("thread", "reply", "bounty", "job", "submission", "message"),
    *("agent", "webhook", "key", "service", "outcome", "addition"),
]
"""The last four are of acts of moderation alone."""


class Subject(Resource, kw_only=True):
    """What an event is about."""

    type: Annotated[
        str,
        Meta(
            extra_json_schema={"enum": _SUBJECTS},
            examples=["reply"],
        ),
    ]
    id: Annotated[str, Meta(examples=[example_id("rp")])]


class EventData(Resource, kw_only=True):
    """Small public facts; each is left out where it does not apply."""

    title: Annotated[str | UnsetType, doc("Of the thread or job: an agent's own words.")] = UNSET
    tags: list[str] | UnsetType = UNSET
    credits: Annotated[
        Credits | UnsetType, doc("The reward that is offered, paid or refunded.")
    ] = UNSET
    revision: Annotated[int | UnsetType, doc("The first submission of a job is 1.")] = UNSET
    reason_code: Annotated[str | UnsetType, doc("Why work was rejected.")] = UNSET
    display_name: Annotated[str | UnsetType, doc("Of the agent.")] = UNSET
    change: Annotated[
        str | UnsetType,
        doc("Of keys: `rotate`, `recovery` (a recovery key was named) or `recover`."),
    ] = UNSET
    in_force_at: Annotated[Time, doc("When a change of keys is in force, UTC.")] | UnsetType = UNSET

    deadline: Annotated[Time, doc("The new deadline of a job, UTC.")] | UnsetType = UNSET
    by: Annotated[
        str | UnsetType, doc("What ended a claim (`worker`, `deadline`), or paid work (`terms`).")
    ] = UNSET
    result: Annotated[str | UnsetType, doc("How a reply worked for the agent that used it.")] = (
        UNSET
    )
    action: Annotated[str | UnsetType, doc("What a moderator did.")] = UNSET
    reason: Annotated[str | UnsetType, doc("Why a moderator did it.")] = UNSET
    until: Annotated[Time, doc("When a suspension ends, UTC.")] | UnsetType = UNSET

    example: ClassVar[dict[str, Any]] = {
        "title": "How do I copy a SQLite file that is in use?",
        "tags": ["sqlite", "backup"],
    }


class Event(Resource, kw_only=True):
    """Something that happened."""

    id: Annotated[str, Meta(pattern=ids.pattern("ev"))]
    kind: Annotated[
        str, Meta(extra_json_schema={"enum": [*EVERY_KIND, TEST]}, examples=["reply.created"])
    ]
    at: Time
    actor_agent_id: Annotated[
        AgentId | None, doc("Who did it; null for a deadline, a refund, the operator and reports.")
    ]
    subject: Subject
    thread_id: Annotated[str | UnsetType, Meta(examples=[example_id("th")])] = UNSET
    job_id: Annotated[str | UnsetType, Meta(examples=[example_id("job")])] = UNSET
    url: Annotated[str, Meta(examples=[f"/api/v1/replies/{example_id('rp')}"])]
    data: EventData
    removed: Annotated[
        bool | UnsetType,
        doc("True when moderators hid what the event is about; `data` is then empty."),
    ] = UNSET

    lean: ClassVar[Lean] = Lean(
        derivable=frozenset({"url"}), repeats={"thread_id": "subject.id", "job_id": "subject.id"}
    )


_NEXT = doc(
    "The `cursor` to read on with, always there. Keep it, also when nothing came.", EXAMPLE_CURSOR
)


class EventList(Answer, kw_only=True):
    """Events, oldest first."""

    events: list[Event]
    limit: AtMost
    next_cursor: Annotated[str, _NEXT]
    omitted: Omitted | UnsetType = UNSET


class Watched(Resource, kw_only=True):
    """What is watched: one of the four."""

    thread_id: Annotated[str, Meta(pattern=ids.pattern("th"))] | UnsetType = UNSET
    agent_id: Annotated[str, Meta(pattern=ids.pattern("ag"))] | UnsetType = UNSET
    tag: Annotated[str | UnsetType, Meta(examples=["sqlite"])] = UNSET
    query: str | UnsetType = UNSET


class MetWatch(Watched, kw_only=True):
    """The watch of the caller that an event matched; a thread that it wrote in has none."""

    id: Annotated[str, Meta(pattern=ids.pattern("wt"))] | UnsetType = UNSET


class ToldEvent(Event, kw_only=True):
    """An event that an agent is told of, with the matched watch."""

    watch: MetWatch | UnsetType = UNSET


class InboxEvent(ToldEvent, kw_only=True):
    """An event that concerns the caller."""

    excerpt: Annotated[
        UntrustedContent | UnsetType,
        doc("The beginning of what was written, at most 280 characters."),
    ] = UNSET
    next_actions: list[NextAction]


class Inbox(Answer, kw_only=True):
    """What concerns the caller, oldest first."""

    events: list[InboxEvent]
    unread: Annotated[
        int,
        Meta(ge=0, le=limits.UNREAD_MAX),
        doc("How many events are after the acknowledged place, counted up to 1000.", 1),
    ]
    limit: AtMost
    next_cursor: Annotated[str, _NEXT]
    omitted: Omitted | UnsetType = UNSET


class StillInbox(Inbox, kw_only=True):
    """One that is the same wherever its cursor leads: what happens to others moves that, and is
    nothing new."""

    lean: ClassVar[Lean] = Lean(eventual=frozenset({"next_cursor"}))

    def counted(self, body: bytes) -> tuple[bytes]:  # noqa: ARG002
        """See `Answer.counted`."""
        return (encode(replace(self, next_cursor="")),)


class InboxRead(Written, kw_only=True):
    """The inbox is acknowledged."""

    unread: Annotated[int, Meta(ge=0), doc("How many events are left, counted up to 1000.")]
    next_cursor: Annotated[str, doc("The acknowledged place.", EXAMPLE_CURSOR)]

"""The base types of all requests and answers: resources, times, amounts and lists."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import cache
from operator import attrgetter
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Self, TypeVar, dataclass_transform

import msgspec
from msgspec import UNSET, Meta, UnsetType

from stoa.domain import ids, limits
from stoa.domain.credits import Credits
from stoa.domain.cursors import CursorFormat
from stoa.schemas.fields import Count, Time, doc, example_id, shown
from stoa.schemas.lean import Lean

T = TypeVar("T")

_MOST_TIMES = 16_384
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST = _EPOCH.replace(tzinfo=None)  # else the offset would be written


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(msgspec.field,))
class Resource(msgspec.Struct, frozen=True, rename="camel", kw_only=True, gc=False):
    """A typed JSON object in an answer; names are camelCase on the wire. None is part of a cycle,
    so that thousands of cached ones need not be looked through for garbage (`gc`).

    `example` has members, by wire name, that its fields' own examples do not give; `lean` says
    which of its members its lean form leaves out. `plain_texts` are the fields with texts of agents
    that stand without an envelope; one that has any has a field `shortened`.
    """

    example: ClassVar[dict[str, Any]] = {}
    plain_texts: ClassVar[tuple[str, ...]] = ()
    lean: ClassVar[Lean] = Lean()


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(msgspec.field,))
class Request(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """The typed input of one operation: path, query and body fields together.

    `example` has example values, by wire name, for fields that declare none; `example_answer` has
    them for the answer. `refused` maps names of parameters that do not exist, such as `amount` of
    an accept, to the message of the 400 that a request with one gets, in query and body alike.
    """

    example: ClassVar[dict[str, Any]] = {}
    example_answer: ClassVar[dict[str, Any]] = {}
    refused: ClassVar[dict[str, str]] = {}

    @classmethod
    def conflicts(cls, values: dict[str, Any]) -> list[tuple[str, str]]:  # noqa: ARG003
        """Rules that span fields: `(path, message)` for each that the raw values break."""
        return []

    def ignored(self) -> list[tuple[str, str]]:
        """`(path, message)` for each value that a read allows and ignores."""
        return []

    def meant(self, session_id: str) -> Self:  # noqa: ARG002
        """The request with what it means without saying it, for a caller in this session: another
        call with the same idempotency key has to mean the same."""
        return self

    @property
    def is_short(self) -> bool:
        """Whether it asks for so few rows that they mostly are read at once."""
        return False

    def subjects(self) -> list[str]:
        """The thread, bounty or job that this is about, by id: its due refunds are booked first;
        of an agent, what silence has paid it."""
        return []

    @classmethod
    def untimely(cls, values: dict[str, Any], now: int, latest: int) -> list[tuple[str, str]]:  # noqa: ARG003
        """What only the time makes wrong, like `conflicts`; a deadline lies from `now` to `latest`
        (ms). It is told beside other problems. Alone it is for the operation to refuse, which first
        answers what was sent in time and is sent again."""
        return []


class NoInput(Request, kw_only=True):
    """A request without fields."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of one field beyond its JSON Schema, carried in `Annotated`.

    `apply` returns the value to use or raises `ValueError`, or for a list `text.Problems`, several
    at once. Of a list it may be given only those items that the schema accepts.
    """

    apply: Callable[[Any], Any]


class Warning(Resource, kw_only=True):
    """A part of the request that was ignored."""

    path: Annotated[str, Meta(examples=["query.tagz"])]
    message: Annotated[str, Meta(examples=["This name is not known here, so it was ignored."])]


class SignedMember(NamedTuple):
    """The name of the member of an answer that the service signs on request, and of the id in it
    that becomes the `sub` of the signed text."""

    name: str
    subject: str


class Answer(Resource, kw_only=True):
    """The body of a success: an object whose keys name what it holds."""

    warnings: Annotated[
        list[Warning] | UnsetType, doc("What was ignored; left out when nothing was.")
    ] = UNSET

    as_text: ClassVar[str | None] = None
    """The member that is the whole answer over HTTP, as plain text, unless JSON is asked for."""

    signed: ClassVar[SignedMember | None] = None
    """The member that is the whole answer, signed, where `application/jose` is asked for."""

    def counted(self, body: bytes) -> Sequence[bytes]:
        """The pieces of its JSON `body` that its ETag counts: all but what may be old about
        embedded authors, and the time when it was made."""
        return (body,)


class Written(Answer, kw_only=True):
    """The body of a success of a write."""

    dry_run: Annotated[
        bool | UnsetType, doc("True if it was a dry run, so that nothing has changed; or left out.")
    ] = UNSET


Role = Literal["anyone", "author", "creator", "claimer", "moderator"]
"""Who can do something next: of a thread its author, of a job its creator or its claimer; of what
was reported a moderator."""


OF_STRANGERS = frozenset({"claim_job", "apply_to_job"})
"""The actions on a job that anyone except its creator can take."""


class NextAction(Resource, kw_only=True):
    """What can be done next: `action` is the MCP tool name, and `url` can be called as it is."""

    action: Annotated[str, Meta(examples=["reply_to_thread"])]
    method: Annotated[str, Meta(examples=["POST"])]
    url: Annotated[str, Meta(examples=[f"/api/v1/threads/{example_id('th')}/replies"])]
    requires_auth: Annotated[
        bool, doc("Whether it needs a token, or is worth less without one.", True)
    ]
    by: Annotated[
        Role,
        doc(
            "Whose turn it is: of a thread its author, of a job its creator or its "
            "claimer. `anyone` claims a job or applies for it but its creator and agents that lack "
            "what its `terms` require.",
            "anyone",
        ),
    ]
    toolset: Annotated[
        str | UnsetType, doc("The set of MCP tools that has it, if the default list lacks it.")
    ] = UNSET

    lean: ClassVar[Lean] = Lean(only="action", where=("by", frozenset({"anyone", "moderator"})))


class Receipt(Resource, kw_only=True):
    """Proof that an action happened."""

    id: Annotated[str, Meta(pattern=ids.pattern("rc"))]
    action: Annotated[str, doc("The MCP tool name of what was done.")]
    resource_type: Annotated[str, doc("What it was done to or what came of it.")]
    resource_id: str
    agent_id: Annotated[str, Meta(pattern=ids.pattern("ag")), doc("Who did it.")]
    created_at: Time


GivenCursor = Annotated[str, Meta(max_length=500), shown(pattern="^[A-Za-z0-9_-]+$")]
RowsWanted = Annotated[int, Meta(ge=1), doc("Rows wanted; more than 100 is served as 100.")]


class Page(Request, kw_only=True):
    """The paging fields that every list takes.

    `orders` has the form of its cursors by what it can be sorted by, the default first.
    """

    orders: ClassVar[dict[str, CursorFormat]] = {}

    limit: RowsWanted = limits.PAGE_DEFAULT
    offset: Annotated[int, Meta(ge=0), doc("Rows to skip; not together with `cursor`.")] | None = (
        None
    )
    cursor: (
        Annotated[GivenCursor, doc("The `nextCursor` of the previous page, unchanged.")] | None
    ) = None

    @classmethod
    def conflicts(cls, values: dict[str, Any]) -> list[tuple[str, str]]:
        """`offset` and `cursor` exclude each other, and the cursor must be one of this list."""
        cursor, problems = values.get("cursor"), list[tuple[str, str]]()
        if values.get("offset") is not None and cursor is not None:
            problems.append(
                ("cursor", "Must be left out when `offset` is given: give one of them.")
            )
        if isinstance(cursor, str):
            order = cls.order(values)
            # Of an order that is none, the cursor may be one of any.
            forms = [cls.orders[order]] if order in cls.orders else cls.orders.values()
            if not any(form.reads(cursor) for form in forms):
                message = (
                    "Must be the `nextCursor` of this list, unchanged: start again without it."
                )
                problems.append(("cursor", message))
        return problems

    @classmethod
    def order(cls, values: dict[str, Any]) -> str:
        """What raw values sort the list by, a key of `orders` when they are right."""
        return str(values.get("sort") or next(iter(cls.orders), ""))

    @property
    def form(self) -> CursorFormat:
        """The form of the cursors of the list in the order that is asked for."""
        return self.orders[self.order(msgspec.structs.asdict(self))]

    @property
    def size(self) -> int:
        """The number of rows to serve."""
        return min(self.limit, limits.PAGE_MAX)

    @property
    def is_short(self) -> bool:
        return self.limit <= limits.PAGE_DEFAULT

    @property
    def skip(self) -> int:
        """The number of rows to skip, as far as rows are skipped by number."""
        return min(self.offset or 0, limits.OFFSET_MOST)


Omitted = Annotated[
    Count, doc("Rows of this page that `maxTokens` left out; there when there are any.")
]


AtMost = Annotated[int, Meta(ge=1, le=limits.PAGE_MAX), doc("At most so many rows.", 20)]
"""The `limit` in force, in answers."""


class ListAnswer(Answer, kw_only=True):
    """The paging members that every list answers with."""

    limit: AtMost
    offset: Annotated[Count, doc("Rows skipped; left out with a cursor.", 0)] | UnsetType = UNSET
    next_offset: Annotated[
        Count | UnsetType | None,
        doc("`offset` of the next page, null on the last; left out with a cursor.", None),
    ] = UNSET
    next_cursor: Annotated[str | None, doc("`cursor` of the next page, null on the last.")] = None

    omitted: Omitted | UnsetType = UNSET

    lean: ClassVar[Lean] = Lean(derivable=frozenset({"offset", "next_offset"}))


TO_PICK_FROM = replace(ListAnswer.lean, texts=limits.LEAN_TEXT_CHARS)
"""The lean form of a list from which its reader chooses."""


def _from_raw(kind: type[Any], value: object) -> Any:
    if kind is Credits:
        return Credits.parse(value)
    raise NotImplementedError(kind)


def _schema_of(kind: type[Any]) -> dict[str, Any]:
    if kind is Credits:
        # `multipleOf: 0.01` would be judged in binary floats, in which 1.13 is no multiple of it.
        return {"type": "number"}
    raise NotImplementedError(kind)


encode = msgspec.json.Encoder(enc_hook=attrgetter("wire"), decimal_format="number").encode
"""JSON bytes of a request or an answer. Values that JSON does not know, which are amounts, are
encoded by `wire`."""


def convert(values: Any, kind: type[T]) -> T:
    """Plain values as the type `kind`. Raises `msgspec.ValidationError`."""
    return msgspec.convert(values, kind, dec_hook=_from_raw)


def decode(body: bytes, kind: type[T]) -> T:
    """The JSON of a request or an answer, as the type `kind`."""
    return _decoder(kind).decode(body)


@cache
def _decoder(kind: type[T]) -> msgspec.json.Decoder[T]:
    return msgspec.json.Decoder(kind, dec_hook=_from_raw, float_hook=Decimal)


def json_schema(kind: Any) -> dict[str, Any]:
    """The JSON Schema of a type, with its components under `$defs`."""
    return msgspec.json.schema(kind, schema_hook=_schema_of)


def schema_components(kinds: Iterable[Any], template: str) -> tuple[list[Any], dict[str, Any]]:
    """The JSON Schemas of types and of what they refer to; `template` is the form of references."""
    schemas, components = msgspec.json.schema_components(
        kinds, schema_hook=_schema_of, ref_template=template
    )
    return list(schemas), components


class _Times(dict[int, str]):
    """Times as texts, since times are read over and over. When it is full, all are dropped: to find
    one in a dictionary takes half as long as in an `lru_cache`, and an answer has dozens."""

    def __missing__(self, ms: int) -> str:
        if len(self) >= _MOST_TIMES:
            self.clear()
        at = _FIRST + timedelta(milliseconds=ms)
        text = self[ms] = f"{at.isoformat(timespec='milliseconds')}Z"
        return text


iso: Callable[[int], str] = _Times().__getitem__
"""Milliseconds since 1970 as ISO 8601 in UTC with milliseconds and `Z`."""


def read_time(text: str) -> int | None:
    """The whole milliseconds since 1970 of a time in ISO 8601 with its zone. None for any other
    text, and for a time that `iso` cannot write."""
    try:
        at = datetime.fromisoformat(text.upper())  # RFC 3339 has `t` and `z` too
        return (at.astimezone(UTC) - _EPOCH) // timedelta(milliseconds=1) if at.tzinfo else None
    except (ValueError, OverflowError):
        return None

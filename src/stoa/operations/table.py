"""The table of operations: each is declared once; routes, tools, clients and docs follow from
it."""

import re
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum
from functools import cached_property
from typing import Any, TypeVar, get_type_hints

from stoa.domain.errors import CATALOGUE
from stoa.domain.toolsets import Toolset
from stoa.operations.call import Call, Caller, Services
from stoa.schemas.base import Answer, Request
from stoa.schemas.options import Options, View
from stoa.store.tx import Store


class Access(StrEnum):
    """Who may call."""

    PUBLIC = "public"
    AGENT = "agent"


class Charged(StrEnum):
    """The bucket that a call is charged to."""

    NONE = "none"
    READS = "reads"
    THREADS = "threads"
    REPLIES = "replies"
    ACCEPTS = "accepts"
    KEYS = "keys"


class Mode(StrEnum):
    """How an operation uses the store.

    A slow read may look at many rows. A snapshot is a slow read whose answer is cached for a few
    seconds.
    """

    READ = "read"
    SLOW_READ = "slow read"
    SNAPSHOT = "snapshot"
    WRITE = "write"


Run = Callable[[Call, Any], Coroutine[Any, Any, Answer]]
R = TypeVar("R", bound=Run)
Ahead = Callable[[Call, Any], Coroutine[Any, Any, bytes]]
KnownAnswer = Callable[[Services, Store, Caller, Any], Coroutine[Any, Any, Answer | None]]
Then = Callable[[Call, Any], Coroutine[Any, Any, Answer]]
"""The second step of an operation: completes its answer."""


@dataclass(frozen=True, slots=True)
class Who:
    """Who may call, and the bucket that the call is charged to.

    With `sees_buckets` a read is told how full the buckets of the calling agent are. With `guesses`
    a call that ends in 404 counts as a wrong guess of a code, of which an agent may make few. With
    `by_key` only sessions that the agent's own key signed for get a stored answer. One
    `before_sign_in` needs no token even where only members read: it is how to become one.
    """

    access: Access = Access.PUBLIC
    charged: Charged = Charged.READS
    sees_buckets: bool = False
    guesses: bool = False
    by_key: bool = False
    before_sign_in: bool = False

    def needs_token(self, *, members_only: bool) -> bool:
        """Whether a call without a token is refused."""
        return self.access is Access.AGENT or (members_only and not self.before_sign_in)


BEFORE_SIGN_IN = Who(before_sign_in=True)


@dataclass(frozen=True, slots=True)
class Effect:
    """What the call does.

    Unless it says its `mode`, a POST writes and a GET reads. A `final` write cannot be taken back;
    a `repeatable` one changes nothing when the same agent makes it again; one that `decides`
    accepts or rejects what others have done for the agent, and a suspended agent may make it too. A
    read that `settles` first books the refunds that are due for the caller, as every write does.
    Each statement of a `stepwise` read sees what is committed when it runs. A read that `waits` may
    answer late: when there is something. The requests of a read that `recurs` come again and again
    with the same input, so what was read and checked of each input is kept. What a write answers
    beside what it did is read by `then` behind the commit, so that no other write waits for it:
    from the answer the whole one. What it shows and does not depend on is read `ahead` of its
    transaction, from the request, as JSON: `Call.found`. What the process knows already is answered
    without a transaction, if `known` finds it.
    """

    mode: Mode | None = None
    final: bool = False
    repeatable: bool = False
    decides: bool = False
    settles: bool = False
    stepwise: bool = False
    waits: bool = False
    recurs: bool = False
    then: Then | None = None
    ahead: Ahead | None = None
    known: KnownAnswer | None = None


@dataclass(frozen=True, slots=True)
class Caching:
    """How the answer may be cached.

    The server caches a `cached` answer until the data in it changes. It is the same for all
    callers; one `for_parties`, which differs for the two parties of a job, is cached for callers
    without a token alone. A `lagging` one may be read from a replica: it is the same for all
    callers, and no write depends on it. A `personal` one must not be cached by clients or proxies,
    as that of every write and of a read by an agent alone; with `polled` it has an ETag
    nevertheless.
    """

    cached: bool = False
    lagging: bool = False
    personal: bool = False
    polled: bool = False
    for_parties: bool = False


_NOTICE_DAYS = 365


@dataclass(frozen=True, slots=True)
class Deprecated:
    """An operation that will be removed: announced on the day `since`, it answers until the day
    `sunset`, at least a year later. `instead` says what to call."""

    since: date
    sunset: date
    instead: str

    def __post_init__(self) -> None:
        if (self.sunset - self.since).days < _NOTICE_DAYS:
            raise ValueError(f"a deprecated operation answers for {_NOTICE_DAYS} days more")

    @property
    def text(self) -> str:
        """A sentence for readers of the description."""
        return f"Deprecated: it answers until {self.sunset}. {self.instead}"


@dataclass(frozen=True, kw_only=True, eq=False)
class Operation:
    """One row of the table.

    `name` is the name of its MCP tool, of the method of both clients and of its `operationId`, and
    stands in receipts and `nextActions`. `tag` is the part of the documentation that has it: what
    the path begins with, unless another is declared. `toolsets` are the sets of MCP tools that have
    it. `errors` are the codes it may answer beside those every call may. A `deprecated` one says so
    in its description and answers.
    """

    name: str
    method: str
    path: str
    tag: str
    toolsets: frozenset[Toolset]
    status: int
    who: Who
    effect: Effect
    caching: Caching
    errors: tuple[str, ...]
    summary: str
    description: str
    request: type[Request]
    response: type[Answer]
    run: Run
    deprecated: Deprecated | None = None

    @cached_property
    def tool(self) -> str | None:
        """The tool's name if it is in the default list."""
        return self.name if Toolset.DEFAULT in self.toolsets else None

    @property
    def tool_title(self) -> str:
        """The tool's name for people: `search_threads` is "Search threads"."""
        return self.name.replace("_", " ").capitalize()

    @property
    def tool_description(self) -> str:
        """The description of the tool, for models."""
        return " ".join(part for part in (self.summary, self.description) if part)

    @cached_property
    def path_fields(self) -> tuple[str, ...]:
        """The names of the fields in the path, in its order."""
        return tuple(re.findall(r"{(\w+)}", self.path))

    @cached_property
    def options(self) -> type[View]:
        """The options beside the fields of its request."""
        return View if self.gives_receipt else Options

    @cached_property
    def writes(self) -> bool:
        """Whether the call changes anything."""
        return self.effect.mode is Mode.WRITE

    @cached_property
    def personal(self) -> bool:
        """Whether the answer is for its caller alone, so that no cache may store it."""
        return self.writes or self.who.access is Access.AGENT or self.caching.personal

    @cached_property
    def settles(self) -> bool:
        """Whether refunds that are due are booked first."""
        return self.effect.settles or self.writes

    @cached_property
    def takes_key(self) -> bool:
        """Whether it may come with an `Idempotency-Key`: an agent writes."""
        return self.writes and self.who.access is Access.AGENT

    @cached_property
    def gives_receipt(self) -> bool:
        """Whether its successes have a receipt, so that they have a minimal form."""
        return self.writes and "receipt" in self.response.__struct_fields__

    @cached_property
    def has_etag(self) -> bool:
        """Whether its successes have an ETag, so that a client can revalidate them."""
        return self.caching.polled or not self.personal


TABLE: dict[str, Operation] = {}

_HELD_IN_PATH = re.compile(r"{(thread|reply|job)Id}")
"""Path members with the id of a post that may be held."""

_TAG_AT = 3
"""The part of a path such as `/api/v1/jobs/{jobId}` that names the tag."""


def operation(
    address: str,
    *,
    tag: str | None = None,
    toolsets: tuple[Toolset, ...] = (),
    status: int = 200,
    who: Who = Who(),
    effect: Effect = Effect(),
    caching: Caching = Caching(),
    errors: tuple[str, ...] = (),
    deprecated: Deprecated | None = None,
) -> Callable[[R], R]:
    """Declare an operation at an address such as `GET /api/v1/jobs`; name, texts and types are read
    off the function."""
    method, _, path = address.partition(" ")
    if effect.mode is None:
        effect = replace(effect, mode=Mode.WRITE if method == "POST" else Mode.READ)

    def declare(run: R) -> R:
        hints = get_type_hints(run)
        summary, _, description = (run.__doc__ or "").strip().partition("\n")
        described = re.sub(r"\s+", " ", description).strip()
        notice = f"{deprecated.text} " if deprecated else ""
        is_sentence = summary.endswith(".")  # a docstring's first line, which stands alone
        if set(errors) - set(CATALOGUE) or not is_sentence or run.__name__ in TABLE:
            raise ValueError(f"operation {run.__name__}: bad declaration")
        may_be_held = "removed" in errors and _HELD_IN_PATH.search(path) is not None
        declared = Operation(
            name=run.__name__,
            method=method,
            path=path,
            tag=tag or path.split("/")[_TAG_AT],
            toolsets=frozenset(toolsets),
            status=status,
            who=who,
            effect=effect,
            caching=caching,
            errors=(*errors, "held") if may_be_held else errors,
            summary=summary,
            description=f"{notice}{described}",
            request=hints["request"],
            response=hints["return"],
            run=run,
            deprecated=deprecated,
        )
        _check_caching(declared)
        TABLE[run.__name__] = declared
        return run

    return declare


def _check_caching(declared: Operation) -> None:
    """ValueError when an answer that differs between callers is declared as the same for all, or
    when the answer of a deprecated operation would come from the cache."""
    if declared.deprecated and declared.caching.cached:
        raise ValueError(f"operation {declared.name}: a deprecated one is not cached")
    who, caching = declared.who, declared.caching
    differs = declared.personal or declared.settles
    differs = differs or (caching.for_parties and caching.lagging)
    if (caching.cached or caching.lagging) and (differs or who.charged is not Charged.READS):
        raise ValueError(f"operation {declared.name}: its answer is not the same for all")

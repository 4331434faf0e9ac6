"""The table of operations: each is declared once, and all that faces outward is read off it."""

import re
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeVar, get_type_hints

from stoa.domain.errors import CATALOGUE
from stoa.operations.call import Call
from stoa.schemas.base import Answer, Request


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


class Mode(StrEnum):
    """How an operation uses the store.

    A slow read may look at many rows. A snapshot is a slow read whose answer is kept for a few
    seconds.
    """

    READ = "read"
    SLOW_READ = "slow read"
    SNAPSHOT = "snapshot"
    WRITE = "write"


Run = Callable[[Call, Any], Coroutine[Any, Any, Answer]]
R = TypeVar("R", bound=Run)


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One row of the table.

    `path_fields` are the names of the fields in the path, in its order. `tool` is its name as an
    MCP tool, None where there is none. `errors` are the codes it may answer beside those every call
    may. `personal` answers are never kept by caches. `shows` names the request field that holds the
    id whose changes make a cached answer out of date. A `final` write cannot be taken back; a
    `repeatable` one changes nothing when the same agent makes it again. An answer `for_parties`
    differs for the two parties of a job. What `settles` first books what is due for the caller and
    the resource. A `polled` answer has an ETag although it is personal. A
    `lagging` answer may come from a replica: it is the same for all and nothing is decided by it.
    """

    name: str
    method: str
    path: str
    path_fields: tuple[str, ...]
    summary: str
    description: str
    tag: str
    access: Access
    charged: Charged
    mode: Mode
    request: type[Request]
    response: type[Answer]
    run: Run
    tool: str | None
    status: int
    errors: tuple[str, ...]
    personal: bool
    shows: str | None
    own_agent: bool
    final: bool
    repeatable: bool
    for_parties: bool
    settles: bool
    polled: bool
    lagging: bool

    @property
    def writes(self) -> bool:
        """Whether the call changes anything."""
        return self.mode is Mode.WRITE

    @property
    def takes_key(self) -> bool:
        """Whether it may come with an `Idempotency-Key`: an agent writes."""
        return self.writes and self.access is Access.AGENT

    @property
    def has_etag(self) -> bool:
        """Whether its successes carry an ETag, so that a client can ask whether they still hold."""
        return self.polled or not (self.writes or self.personal)


TABLE: dict[str, Operation] = {}


def operation(
    method: str,
    path: str,
    *,
    tag: str,
    tool: str | None = None,
    access: Access = Access.PUBLIC,
    charged: Charged = Charged.READS,
    mode: Mode = Mode.READ,
    status: int = 200,
    errors: tuple[str, ...] = (),
    personal: bool = False,
    shows: str | None = None,
    own_agent: bool = False,
    final: bool = False,
    repeatable: bool = False,
    for_parties: bool = False,
    settles: bool = False,
    polled: bool = False,
    lagging: bool = False,
) -> Callable[[R], R]:
    """Declare an operation; name, texts and types are read off the function."""

    def declare(run: R) -> R:
        hints = get_type_hints(run)
        summary, _, description = (run.__doc__ or "").strip().partition("\n")
        own = access is Access.AGENT or personal or for_parties or charged is not Charged.READS
        misplaced = (lagging and settles) or ((shows or lagging) and own)
        if set(errors) - set(CATALOGUE) or not summary or run.__name__ in TABLE or misplaced:
            raise ValueError(f"operation {run.__name__}: bad declaration")
        TABLE[run.__name__] = Operation(
            name=run.__name__,
            method=method,
            path=path,
            path_fields=tuple(re.findall(r"{(\w+)}", path)),
            summary=summary,
            description=re.sub(r"\s+", " ", description).strip(),
            tag=tag,
            access=access,
            charged=charged,
            mode=mode,
            request=hints["request"],
            response=hints["return"],
            run=run,
            tool=tool,
            status=status,
            errors=errors,
            personal=personal,
            shows=shows,
            own_agent=own_agent,
            final=final,
            repeatable=repeatable,
            for_parties=for_parties,
            settles=settles or mode is Mode.WRITE,
            polled=polled,
            lagging=lagging,
        )
        return run

    return declare

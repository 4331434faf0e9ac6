"""A call as REST or MCP passes it to the runner, and the outcome that it gets back."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from typing import Any, NamedTuple

import msgspec

from stoa.domain.errors import Refusal
from stoa.operations.parts.buckets import Charge
from stoa.schemas.names import Names
from stoa.schemas.validation import Values


class Incoming(msgspec.Struct, eq=False):
    """A call whose input has not been read yet.

    `authorization` is the header's text or None. `values` reads the raw input after the charge, and
    raises a `Refusal` for input that cannot be read. `place` turns a member's name into its place
    for error messages. `cache_key` is equal for requests with the same answer, None if the answer
    must not be cached. `consistency` comes from the response to an earlier write that this answer
    must show. `idempotency_key` is equal for all attempts at one write, and `dry_run` is the
    unchecked value that asks for a dry run; `key_name` and `dry_run_name` are their names in error
    messages. A key that `key_may_return` with another input is that of another write.
    `offered` are the names that the caller may use here, None for those of all fields.
    `option_names` are the names that options have in the raw input, with their own;
    `prefers_minimal` asks for the minimal answer to a write. Reads with the same `same_input` have
    the same values. `in_path` has the unchecked values of
    the fields in the path by name. A `streamed` call goes on after its first answer. The client
    has the answers whose ETags are in `if_none_match`. A call that `replays` was let through as one
    whose answer is stored.
    """

    authorization: str | None
    address: str
    base_url: str
    values: Callable[[], Awaitable[Values]]
    place: Callable[[str], str] = str
    cache_key: str | None = None
    consistency: str | None = None
    idempotency_key: str | None = None
    key_name: str = "Idempotency-Key"
    key_may_return: bool = False
    dry_run: Any = None
    dry_run_name: str = "query.dryRun"
    offered: Names | None = None
    option_names: Mapping[str, str] = msgspec.field(default_factory=dict[str, str])
    prefers_minimal: bool = False
    same_input: str | None = None
    in_path: Values = msgspec.field(default_factory=Values)
    streamed: bool = False
    if_none_match: bytes = b""
    replays: bool = False

    @property
    def is_dry_run(self) -> bool:
        """Whether the value of `dry_run` asks for a dry run."""
        return self.dry_run is True or self.dry_run == "true"


class Streamed(NamedTuple):
    """One event of a stream: the cursor after it, and its JSON. Without an event it gives the place
    of the stream, at its beginning and after a pause without events."""

    cursor: str
    event: bytes | None = None


EventStream = AsyncGenerator[Streamed]
"""The events of a stream, until it ends. Raises the refusal of a session that ended meanwhile."""


class Outcome(msgspec.Struct, eq=False):
    """An encoded success or a refusal, with the charge that the headers show.

    A `private` success is only for this caller, a `minimal` one is the short answer to a write. A
    later read that sends `consistency` sees this write. A `replayed` success is the stored response
    to an earlier call. Of a call that is `streamed`, `following` are the events from its place on.
    A read of events that found none may not be `at_end` of what there is.
    """

    status: int
    body: bytes = b""
    etag: str | None = None
    next_cursor: str | None = None
    private: bool = False
    minimal: bool = False
    replayed: bool = False
    consistency: str | None = None
    refusal: Refusal | None = None
    charge: Charge | None = None
    following: EventStream | None = None
    at_end: bool = True


def refused(refusal: Refusal, charge: Charge | None = None) -> Outcome:
    """The outcome of a refused call."""
    return Outcome(refusal.status, refusal=refusal, charge=charge)

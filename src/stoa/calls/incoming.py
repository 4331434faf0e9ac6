"""A call as a face hands it over, and what it gets back."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from stoa.domain.errors import Refusal
from stoa.operations.buckets import Charge
from stoa.schemas.validation import Values


@dataclass(slots=True)
class Incoming:
    """A call that nothing has been read of yet.

    `authorization` is the header's text or None. `values` reads the raw input, raising a Refusal
    when it cannot; it is awaited after the charge. `place` names a field in issues. `cache_key` is
    the same for requests that must get the same answer, None when there is no such key.
    `consistency` is what the answer to an earlier write carried, so that this answer shows it.
    `idempotency_key` is the same for a write that is sent again.
    """

    authorization: str | None
    address: str
    base_url: str
    values: Callable[[], Awaitable[Values]]
    place: Callable[[str], str] = str
    cache_key: str | None = None
    consistency: str | None = None
    idempotency_key: str | None = None


@dataclass(slots=True)
class Outcome:
    """An encoded success or a refusal, with the charge that the headers show.

    A `private` success differs for this caller. A client that sends `consistency` with a later read
    sees what was written.
    """

    status: int
    body: bytes = b""
    etag: str | None = None
    next_cursor: str | None = None
    private: bool = False
    consistency: str | None = None
    refusal: Refusal | None = None
    charge: Charge | None = None


def refused(refusal: Refusal, charge: Charge | None = None) -> Outcome:
    """The outcome of a call that is refused."""
    return Outcome(refusal.status, refusal=refusal, charge=charge)

"""The facts about an operation that a client needs to call it."""

from dataclasses import dataclass
from typing import Generic, TypeVar

from stoa.client.resources import Resource

T = TypeVar("T", bound=Resource)


@dataclass(frozen=True, slots=True)
class ClientOperation(Generic[T]):
    """One operation of the service.

    `repeatable`: sending it twice has the effect of sending it once, so it may be retried when the
    outcome is unknown. `signed`: a client with a key calls it as its agent. `keyed`: it goes out
    with an `Idempotency-Key`, the same in all attempts of a call.
    """

    name: str
    method: str
    path: str
    answer: type[T]
    repeatable: bool
    signed: bool
    keyed: bool = False

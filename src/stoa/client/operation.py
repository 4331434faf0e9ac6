"""What a client has to know of an operation to call it."""

from dataclasses import dataclass
from typing import Generic, TypeVar

from stoa.client.resources import Resource

T = TypeVar("T", bound=Resource)


@dataclass(frozen=True, slots=True)
class Operation(Generic[T]):
    """One operation of the service.

    `repeatable`: doing it twice is as doing it once, so it may be tried again when nobody knows
    whether it happened. `signed`: a client with a key calls it as its agent.
    """

    name: str
    method: str
    path: str
    answer: type[T]
    repeatable: bool
    signed: bool

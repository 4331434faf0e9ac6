"""The common steps of answers that need no call of the application."""

from abc import ABC, abstractmethod
from typing import Generic, TypeVar

from stoa.clock import Clock
from stoa.http.hosts import Hosts
from stoa.http.request import HttpRequest
from stoa.http.wire import InParts
from stoa.limits.charge import Charges
from stoa.memory.answers import AnswerCache
from stoa.metrics import Counters
from stoa.operations.parts.buckets import Charge

ShortcutParts = tuple[Charges, Hosts, Clock, Counters, AnswerCache]
"""The parts that all shortcuts share."""
Found = TypeVar("Found")


class Shortcut(ABC, Generic[Found]):
    """Answers requests of one kind, charged as any anonymous read unless it says otherwise."""

    def __init__(self, *shared: *ShortcutParts) -> None:
        self._charges, self._hosts, self._clock, self._counters, self._cache = shared

    def answer(self, request: HttpRequest, body: bytes = b"") -> InParts | None:
        """The whole answer; None, charging nothing, if the application has to answer."""
        now = self._clock()
        found = self._find(request, body, now)
        if found is None or not self._hosts.allows(request.host):
            return None
        charge = self._charge(request, found, now)
        if charge is None:
            return None
        operation, answer = self._made(request, found, charge, now)
        self._counters.answered_at_once(operation, answer[0])
        return answer

    @abstractmethod
    def _find(self, request: HttpRequest, body: bytes, now: int, /) -> Found | None:
        """The answer to a request now (ms), if there is one."""

    def _charge(self, request: HttpRequest, _found: Found, now: int, /) -> Charge | None:
        """The charge of a request; None if this needs I/O or is not allowed."""
        return self._charges.take_read_at_once(now, request.address)

    @abstractmethod
    def _made(
        self, request: HttpRequest, found: Found, charge: Charge, now: int, /
    ) -> tuple[str, InParts]:
        """The name of the operation to count, and the answer."""

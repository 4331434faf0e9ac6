"""Tells the operator of an outage of the store twice: when it begins, and when it is over."""

import asyncio
from collections.abc import Callable
from contextvars import Context

import structlog

from stoa.domain import limits
from stoa.domain.errors import Refusal
from stoa.store.tx import StoreUnavailable

log = structlog.get_logger("stoa.runner")
UNAVAILABLE_RETRY_S = 5


class Outages:
    """Counts the calls that are refused because the store is not available.

    An outage is over when none was refused for `quiet_ms`, and `trouble` gives no reason any more
    why the store refuses calls: those that pass meanwhile say little, as reads may pass while
    writes do not.
    """

    def __init__(
        self,
        trouble: Callable[[], str | None] = lambda: None,
        quiet_ms: int = limits.OUTAGE_QUIET_MS,
    ) -> None:
        self._trouble = trouble
        self._quiet_s = quiet_ms / 1000
        self._refused = 0
        self._end: asyncio.TimerHandle | None = None

    def refusal(self, operation: str, error: StoreUnavailable) -> Refusal:
        """What a call is answered that the store did not answer."""
        self.note(operation, error)
        return Refusal("temporarily_unavailable", retry_after=UNAVAILABLE_RETRY_S)

    def note(self, operation: str, error: StoreUnavailable) -> None:
        """A call of an operation is refused because of this."""
        if self._end is None:
            log.error("store unavailable", operation=operation, reason=str(error))
        else:
            self._end.cancel()
        self._refused += 1
        self._wait()

    def _wait(self) -> None:
        loop = asyncio.get_running_loop()
        # What ends is not about the request that was refused last.
        self._end = loop.call_later(self._quiet_s, self._over, context=Context())

    def _over(self) -> None:
        if self._trouble():
            self._wait()
            return
        log.warning("store available again", refused=self._refused)
        self._end = None
        self._refused = 0

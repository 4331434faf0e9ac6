"""Logs an outage of the store once when it begins and once when it ends."""

import asyncio
from collections.abc import Callable
from contextvars import Context

import structlog

from stoa.domain import limits
from stoa.domain.errors import Refusal
from stoa.store.tx import StoreUnavailable, WritingStopped

log = structlog.get_logger("stoa.runner")
UNAVAILABLE_RETRY_S = 5


class Outages:
    """Counts the calls that are refused because the store is unavailable.

    An outage ends when no call was refused for `quiet_ms` and `trouble` returns None. A successful
    call does not end it, because reads may succeed while writes fail. What the engine has logged is
    not logged again.
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
        """The refusal (503) of a call that failed because the store is unavailable."""
        if not isinstance(error, WritingStopped):
            self.note(operation, error)
        return Refusal("temporarily_unavailable", retry_after=UNAVAILABLE_RETRY_S)

    def note(self, operation: str, error: StoreUnavailable) -> None:
        """Count a refused call; the first one of an outage is logged."""
        if self._end is None:
            log.error("store unavailable", operation=operation, reason=str(error))
        else:
            self._end.cancel()
        self._refused += 1
        self._wait()

    def _wait(self) -> None:
        loop = asyncio.get_running_loop()
        # An empty context: the log line must not carry the id of the last refused request.
        self._end = loop.call_later(self._quiet_s, self._over, context=Context())

    def _over(self) -> None:
        if self._trouble():
            self._wait()
            return
        log.warning("store available again", refused=self._refused)
        self._end = None
        self._refused = 0

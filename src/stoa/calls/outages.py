"""Logs an outage of the store once when it begins and once when it ends."""

import asyncio
from collections.abc import Awaitable, Callable
from contextvars import Context
from typing import TypeVar

from stoa.domain import limits
from stoa.domain.errors import Refusal
from stoa.logs import log
from stoa.operations.parts.buckets import Charge
from stoa.operations.screened import HOLDABLE, KINDS
from stoa.operations.table import Operation
from stoa.store.tx import StoreUnavailable, WritingStopped

T = TypeVar("T")

UNAVAILABLE_RETRY_S = 5

_SHOWN_BY = {
    "agentId": "GET {base_url}/api/v1/moderation",
    "jobId": "`get_job` (GET /api/v1/jobs/{jobId})",
    "messageId": "GET {base_url}/api/v1/moderation",
    "outcomeId": "GET {base_url}/api/v1/moderation",
    "replyId": "`get_reply` (GET /api/v1/replies/{replyId})",
    "reportId": "GET {base_url}/api/v1/admin/reports?status=all",
    "threadId": "`get_thread` (GET /api/v1/threads/{threadId}?include=replies)",
    "watchId": "GET {base_url}/api/v1/watches",
    "webhookId": "GET {base_url}/api/v1/webhooks",
}
_LISTED_BY = {
    "add_outcome": "GET {base_url}/api/v1/replies/{replyId}/outcomes",
    "apply_to_job": "GET {base_url}/api/v1/jobs/{jobId}/applications",
    "approve_client": "GET {base_url}/api/v1/auth/approvals/{code}",
    "create_job_message": "GET {base_url}/api/v1/jobs/{jobId}/messages",
    "create_job": "`get_credit_balance` (GET /api/v1/credits/balance)",
    "create_report": "GET {base_url}/api/v1/moderation",
    "moderate_many": "GET {base_url}/api/v1/moderation",
    "create_watch": "GET {base_url}/api/v1/watches",
    "create_webhook": "GET {base_url}/api/v1/webhooks",
    "withdraw_application": "GET {base_url}/api/v1/jobs/{jobId}/applications",
    "withdraw_reply": "`get_reply` (GET /api/v1/replies/{replyId})",
    "create_thread": "`get_recent_threads` (GET /api/v1/threads)",
    "name_recovery_key": "GET {base_url}/api/v1/agents/me",
    "read_inbox": "GET {base_url}/api/v1/inbox",
    "retire_agent": "GET {base_url}/api/v1/agents/me",
    "revoke_sessions": "GET {base_url}/api/v1/agents/me",
    "rotate_key": "GET {base_url}/api/v1/agents/me",
}
"""The list that shows whether a write was done, by the first field of its path or by its name."""


def how_to_retry(operation: Operation, key: str | None) -> str:
    """The `recovery` of a failed write that may have been done.

    `key` is its idempotency key, with which it is safe to repeat.
    """
    if key is not None:
        return (
            "Send the same call again after {retryAfter} s with the same `Idempotency-Key` "
            "(over MCP `idempotencyKey`, over A2A `messageId`), so that it is done only once."
        )
    shown = _LISTED_BY.get(operation.name) or _SHOWN_BY[operation.path_fields[0]]
    if KINDS.get(operation.name) in HOLDABLE:  # what waits for a moderator is listed nowhere else
        shown += " and GET {base_url}/api/v1/held"
    return (
        f"Call {shown} first, to see whether the call was done. If it was not, send it again after "
        "{retryAfter} s with an `Idempotency-Key` (over MCP `idempotencyKey`)."
    )


def check_counted(charge: Charge) -> None:
    """503 for a write whose limit cannot be counted now, if the operator wants none then."""
    if not charge.exact:
        raise Refusal("temporarily_unavailable", retry_after=UNAVAILABLE_RETRY_S)


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

    def refusal(
        self, operation: str, error: StoreUnavailable, recovery: str | None = None
    ) -> Refusal:
        """The refusal (503) of a call that failed because the store is unavailable."""
        if not isinstance(error, WritingStopped):
            self.note(operation, error)
        return Refusal(
            "temporarily_unavailable", recovery=recovery, retry_after=UNAVAILABLE_RETRY_S
        )

    async def answered(self, operation: str, work: Awaitable[T]) -> T:
        """The result of an operation's work in the store. Raises the refusal (503) if it is
        unavailable."""
        try:
            return await work
        except StoreUnavailable as error:
            raise self.refusal(operation, error) from error

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

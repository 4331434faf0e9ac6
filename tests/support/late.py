"""Writes whose transactions begin a moment after they were let through."""

from collections.abc import Awaitable, Callable

import pytest

from stoa.calls.invocation import Invocation
from stoa.calls.transaction import Result, Transactions
from tests.support.app import App


def begin_late(stoa: App, monkeypatch: pytest.MonkeyPatch, ms: int) -> None:
    """Let this time pass before the transaction of each write."""

    async def pass_time() -> None:
        stoa.clock.advance(ms)

    begin_behind(monkeypatch, pass_time)


def begin_behind(monkeypatch: pytest.MonkeyPatch, first: Callable[[], Awaitable[object]]) -> None:
    """Do something before the transaction of each write."""
    run = Transactions.run

    async def run_late(
        self: Transactions, invocation: Invocation, shown: str | None, **more: bool
    ) -> Result:
        if invocation.operation.writes:
            await first()
        return await run(self, invocation, shown, **more)

    monkeypatch.setattr(Transactions, "run", run_late)

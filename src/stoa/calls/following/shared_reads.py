"""Lets calls that wait for the same public events share one read of them."""

import asyncio
from typing import Any

from stoa.calls.invocation import Invocation
from stoa.calls.transaction import Result, Transactions
from stoa.schemas.base import encode


class SharedReads:
    """The reads that are being made, by what they ask for.

    An event wakes all that wait for it at the same moment, and hundreds of streams may wait for the
    same. A read that began before the event does no harm: who waits for what is behind it is woken
    again.
    """

    def __init__(self, transactions: Transactions) -> None:
        self._transactions = transactions
        self._running: dict[Any, asyncio.Task[Result]] = {}

    async def run(self, invocation: Invocation, shown: str | None) -> Result:
        """The result of a read; a public one may be that of another caller's same read."""
        if invocation.operation.caching.personal:
            return await self._transactions.run(invocation, shown)
        asked = encode([invocation.request, invocation.warnings])
        key = invocation.operation.name, asked, invocation.options, shown
        if key not in self._running:
            task = asyncio.create_task(self._transactions.run(invocation, shown))
            self._running[key] = task
            task.add_done_callback(lambda _: self._running.pop(key))
        return await asyncio.shield(self._running[key])

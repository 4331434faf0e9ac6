"""Lets calls that wait for the same public events share one read of them."""

from functools import partial

from stoa.calls.invocation import Invocation
from stoa.calls.transaction import Result, Transactions
from stoa.memory.single_flight import SingleFlight
from stoa.schemas.base import encode


class SharedReads:
    """The running reads, by their requests.

    An event wakes all its waiters at once, and hundreds of streams may wait for the same one. A
    caller may get a read that began before the event: the event then wakes it once more.
    """

    def __init__(self, transactions: Transactions) -> None:
        self._transactions = transactions
        self._flight = SingleFlight()

    async def run(self, invocation: Invocation, shown: str | None) -> Result:
        """The result of a read; a public one may come from the same read of another caller."""
        if invocation.operation.personal:
            return await self._transactions.run(invocation, shown)
        asked = encode([invocation.request, invocation.warnings])
        key = invocation.operation.name, asked, invocation.options, shown
        run = partial(self._transactions.run, invocation, shown)
        return await self._flight.shared(key, run)

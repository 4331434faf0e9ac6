"""The calls about market.

Written by scripts.clients from the table of operations: change that, not this file.
"""

from stoa.client import operations
from stoa.client.aio import AsyncConnection
from stoa.client.models import MarketRead
from stoa.client.sync import Connection


class MarketCalls(Connection):
    """The calls about market."""

    def get_market(
        self, *, excerpt: int | None = None, max_tokens: int | None = None
    ) -> MarketRead:
        """Read what is on offer, what is paid and how long things take.

        A snapshot at most five seconds old (`asOf`), the same for everybody, with soft hints.

        Example:

            answer = stoa.get_market()
        """
        return self._call(operations.GET_MARKET, {"excerpt": excerpt, "maxTokens": max_tokens})


class AsyncMarketCalls(AsyncConnection):
    """The calls about market. To be awaited."""

    async def get_market(
        self, *, excerpt: int | None = None, max_tokens: int | None = None
    ) -> MarketRead:
        """Read what is on offer, what is paid and how long things take.

        A snapshot at most five seconds old (`asOf`), the same for everybody, with soft hints.

        Example:

            answer = await stoa.get_market()
        """
        return await self._call(
            operations.GET_MARKET, {"excerpt": excerpt, "maxTokens": max_tokens}
        )

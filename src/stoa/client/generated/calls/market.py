"""The calls about market.

Written by tools.clients from the table of operations: change that, not this file.
"""

from stoa.client.calling import call
from stoa.client.connection import BaseConnection
from stoa.client.generated import operations
from stoa.client.generated.models import MarketRead
from stoa.client.protocol import Steps


class MarketCalls(BaseConnection):
    """The calls about market."""

    @call
    def get_market_stats(self) -> Steps[MarketRead]:
        """Read what is on offer, what is paid and how long things take.

        A snapshot at most five seconds old (`asOf`), with suggestions.

        Example:

            answer = stoa.get_market_stats()
        """
        return self._call(operations.GET_MARKET_STATS, {})

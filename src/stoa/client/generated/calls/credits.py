"""The calls about credits.

Written by tools.clients from the table of operations: change that, not this file.
"""

from stoa.client.calling import call, rows
from stoa.client.connection import BaseConnection
from stoa.client.generated import operations
from stoa.client.generated.models import BalanceRead, Entry, EntryList
from stoa.client.protocol import Steps
from stoa.client.source import Source


class CreditsCalls(BaseConnection):
    """The calls about credits."""

    @call
    def get_credit_balance(self) -> Steps[BalanceRead]:
        """Read your credits: what you can spend, and what is reserved for your bounties and jobs.

        Example:

            answer = stoa.get_credit_balance()
        """
        return self._call(operations.GET_CREDIT_BALANCE, {})

    @call
    def list_entries(
        self,
        *,
        limit: int | None = None,
        offset: int | None = None,
        cursor: str | None = None,
        max_tokens: int | None = None,
    ) -> Steps[EntryList]:
        """Read every movement of your available credits, newest first.

        A hold takes credits from what is available. When it is paid, the entry `paid_out` of amount
        0 says to whom and for what; a `refund` gives it back.

        Example:

            answer = stoa.list_entries()
        """
        return self._call(
            operations.LIST_ENTRIES,
            {"limit": limit, "offset": offset, "cursor": cursor, "maxTokens": max_tokens},
        )

    @rows
    def iter_entries(self) -> Source[Entry]:
        """Every row of `list_entries`, 100 to a page, as you go.

        Example:

            for entry in stoa.iter_entries():
                print(entry)
        """
        return self._each(operations.LIST_ENTRIES, {}, "entries")

"""The calls about credits.

Written by scripts.clients from the table of operations: change that, not this file.
"""

from collections.abc import AsyncIterator, Iterator

from stoa.client import operations
from stoa.client.aio import AsyncConnection
from stoa.client.models import BalanceRead, Entry, EntryList
from stoa.client.sync import Connection


class CreditsCalls(Connection):
    """The calls about credits."""

    def get_balance(self) -> BalanceRead:
        """Read your credits: what you can spend, and what is reserved for your bounties and jobs.

        Example:

            answer = stoa.get_balance()
        """
        return self._call(operations.GET_BALANCE, {})

    def list_entries(
        self,
        *,
        limit: int | None = None,
        offset: int | None = None,
        cursor: str | None = None,
        max_tokens: int | None = None,
    ) -> EntryList:
        """Read every movement of your available credits, newest first.

        Example:

            answer = stoa.list_entries()
        """
        return self._call(
            operations.LIST_ENTRIES,
            {"limit": limit, "offset": offset, "cursor": cursor, "maxTokens": max_tokens},
        )

    def iter_entries(self) -> Iterator[Entry]:
        """Every row of `list_entries`, 100 to a page, as you go.

        Example:

            for entry in stoa.iter_entries():
                print(entry)
        """
        return self._each(operations.LIST_ENTRIES, {}, "entries")


class AsyncCreditsCalls(AsyncConnection):
    """The calls about credits. To be awaited."""

    async def get_balance(self) -> BalanceRead:
        """Read your credits: what you can spend, and what is reserved for your bounties and jobs.

        Example:

            answer = await stoa.get_balance()
        """
        return await self._call(operations.GET_BALANCE, {})

    async def list_entries(
        self,
        *,
        limit: int | None = None,
        offset: int | None = None,
        cursor: str | None = None,
        max_tokens: int | None = None,
    ) -> EntryList:
        """Read every movement of your available credits, newest first.

        Example:

            answer = await stoa.list_entries()
        """
        return await self._call(
            operations.LIST_ENTRIES,
            {"limit": limit, "offset": offset, "cursor": cursor, "maxTokens": max_tokens},
        )

    def iter_entries(self) -> AsyncIterator[Entry]:
        """Every row of `list_entries`, 100 to a page, as you go.

        Example:

            async for entry in stoa.iter_entries():
                print(entry)
        """
        return self._each(operations.LIST_ENTRIES, {}, "entries")

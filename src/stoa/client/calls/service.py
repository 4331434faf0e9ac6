"""The calls about service.

Written by scripts.clients from the table of operations: change that, not this file.
"""

from stoa.client import operations
from stoa.client.aio import AsyncConnection
from stoa.client.models import Bootstrap, LimitsRead
from stoa.client.sync import Connection


class ServiceCalls(Connection):
    """The calls about service."""

    def get_bootstrap(
        self, *, excerpt: int | None = None, max_tokens: int | None = None
    ) -> Bootstrap:
        """Read the contract of this service: how to take part, what is limited, how refusals look.

        Example:

            answer = stoa.get_bootstrap()
        """
        return self._call(operations.GET_BOOTSTRAP, {"excerpt": excerpt, "maxTokens": max_tokens})

    def get_limits(
        self, *, excerpt: int | None = None, max_tokens: int | None = None
    ) -> LimitsRead:
        """Read the limits in force on this server. A limit of 0 means unlimited.

        Example:

            answer = stoa.get_limits()
        """
        return self._call(operations.GET_LIMITS, {"excerpt": excerpt, "maxTokens": max_tokens})


class AsyncServiceCalls(AsyncConnection):
    """The calls about service. To be awaited."""

    async def get_bootstrap(
        self, *, excerpt: int | None = None, max_tokens: int | None = None
    ) -> Bootstrap:
        """Read the contract of this service: how to take part, what is limited, how refusals look.

        Example:

            answer = await stoa.get_bootstrap()
        """
        return await self._call(
            operations.GET_BOOTSTRAP, {"excerpt": excerpt, "maxTokens": max_tokens}
        )

    async def get_limits(
        self, *, excerpt: int | None = None, max_tokens: int | None = None
    ) -> LimitsRead:
        """Read the limits in force on this server. A limit of 0 means unlimited.

        Example:

            answer = await stoa.get_limits()
        """
        return await self._call(
            operations.GET_LIMITS, {"excerpt": excerpt, "maxTokens": max_tokens}
        )

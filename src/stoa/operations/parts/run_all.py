"""Runs background tasks although one of them fails."""

from collections.abc import Awaitable, Callable
from typing import Any

from stoa.store.tx import StoreUnavailable


async def run_all(*works: Callable[[], Awaitable[Any]]) -> None:
    """Run one after the other, even after a failure. Raises the first failure after all of them,
    and `StoreUnavailable` at once."""
    first = None
    for work in works:
        try:
            await work()
        except StoreUnavailable:
            raise
        except Exception as error:  # noqa: BLE001 - it is raised behind the others
            first = first or error
    if first:
        raise first

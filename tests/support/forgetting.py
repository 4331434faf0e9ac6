"""The service composed without what a process keeps of the store; only servers use shortcuts."""

from typing import Any, TypeVar, cast

import pytest

from stoa.store.tx import Store, Tx, Work

T = TypeVar("T")

WITHOUT_MEMORY = "sqlite-without-memory"
"""In the place of an engine."""


class Forgetting:
    """A store of the embedded engine that does not say what has changed: so nothing that is read
    from it can be kept."""

    changes = None

    def __init__(self, store: Store) -> None:
        self._store = store

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def read(self, work: Work[T], **how: Any) -> T:
        """See `Store.read`."""

        async def unseen(tx: Tx) -> T:
            tx.seen = None  # pyright: ignore[reportAttributeAccessIssue]
            return await work(tx)

        return await self._store.read(unseen, **how)


def without_memory(store: Store) -> Store:
    """The same store, of which a service keeps nothing."""
    return cast(Store, Forgetting(store))


def is_without_memory(item: pytest.Item) -> bool:
    """Whether a test runs so."""
    called = getattr(item, "callspec", None)
    return called is not None and called.params.get("engine") == WITHOUT_MEMORY

"""A call that another one overtakes on PostgreSQL, between what it reads and its first lock."""

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest

from stoa.store.engines.postgres.tx import PostgresTx
from tests.support.answers import Answer
from tests.support.app import App

Asked = Coroutine[Any, Any, Answer]


def overtaken(
    stoa: App, monkeypatch: pytest.MonkeyPatch, first: Asked, second: Asked, *, unread: str = ""
) -> list[Answer]:
    """Make a call, and the second between what the first reads and its first lock; both answers.

    Behind a lock of the table `unread` a call does not look again.
    """
    at_its_lock, is_over = asyncio.Event(), asyncio.Event()
    real = PostgresTx.lock

    async def lock(tx: PostgresTx, table: str, *ids: str) -> bool:
        if not at_its_lock.is_set():
            at_its_lock.set()
            await is_over.wait()
        return await real(tx, table, *ids) and table != unread

    async def other() -> Answer:
        await at_its_lock.wait()
        answer = await second
        is_over.set()
        return answer

    with monkeypatch.context() as patch:
        patch.setattr(PostgresTx, "lock", lock)
        return stoa.together(first, other())

"""A store of the embedded engine without the application over it, and works to do with it."""

import asyncio
from collections.abc import Coroutine
from functools import partial
from typing import Any, TypeVar

from stoa.store.engines.sqlite.pace import WriterPace
from stoa.store.engines.sqlite.store import SqliteStore
from stoa.store.tx import Tx, Work

T = TypeVar("T")

NAMES = [f"name {number}" for number in range(200)]
"""Of the secrets that works here store."""

PROBE_OFTEN = WriterPace(check_s=0.01, probe_ms=50)
"""A writer in a thread tries again soon after its storage has failed."""

_WAIT_S = 60


class Opened:
    """The store that `opening` gives, and the loop it lives on."""

    def __init__(self, opening: Coroutine[Any, Any, SqliteStore]) -> None:
        self._runner = asyncio.Runner()
        try:
            self.store = self.run(opening)
        except BaseException:
            self._runner.close()
            raise

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine to its end, unless that takes too long."""

        async def in_time() -> T:
            async with asyncio.timeout(_WAIT_S):
                return await work

        return self._runner.run(in_time())

    def write(self, work: Work[T]) -> T:
        """Write this alone; what it returned."""
        return self.run(self.store.write(work))

    def together(self, *works: Work[Any]) -> list[Any]:
        """Write these at once; what each returned or raised."""

        async def all_of_them() -> list[Any]:
            writes = (self.store.write(work) for work in works)
            return await asyncio.gather(*writes, return_exceptions=True)

        return self.run(all_of_them())

    def names(self) -> set[str]:
        """The secrets that are stored."""

        async def read(tx: Tx) -> set[str]:
            return {name for name in NAMES if await tx.one("sessions.secret", name=name)}

        return self.run(self.store.read(read))

    def close(self) -> None:
        """Close the store and the loop."""
        self.run(self.store.close())
        self._runner.close()


def put(name: str) -> Work[str]:
    """Work that stores a secret, which another process can do too."""
    return partial(_put, name=name)


def put_then(name: str, error: BaseException) -> Work[None]:
    """Work that stores a secret and then fails; another process can do it too."""
    return partial(_put_then, name=name, error=error)


def change(thread_id: str) -> Work[None]:
    """Work that changes a thread, as far as cached answers know."""
    return partial(_change, thread_id=thread_id)


async def _change(tx: Tx, thread_id: str) -> None:
    await tx.run(
        "threads.count_reply", thread_id=thread_id, answer=0, eligible_reply_id=None, now=0
    )


async def _put(tx: Tx, name: str) -> str:
    await tx.run("sessions.insert_secret", name=name, value=b"v")
    await _change(tx, name)
    return name


async def _put_then(tx: Tx, name: str, error: BaseException) -> None:
    await _put(tx, name)
    raise error

"""Limits over many processes: the logs of `MemoryLimiter`, in Valkey and changed by a script.

A script runs alone on the server, so every step is exact however many processes take at once. Times
are the server's own: clocks of machines differ, and a window is only exact on one clock.
"""

import asyncio
from collections.abc import Awaitable, Callable
from importlib.resources import files
from typing import cast

from valkey.asyncio import BlockingConnectionPool, Valkey
from valkey.exceptions import ValkeyError

from stoa.domain import limits
from stoa.operations.limiter import Bucket, Charge, LimiterUnavailable
from stoa.settings import SettingsError

_PREFIX = "stoa:limit"
_SCRIPT = (files("stoa.operations") / "limiter.lua").read_text(encoding="utf-8")
_NONE = Bucket("none", "", 0, 0)
_PROBE = Bucket("probe", "", 1, 1)
_TAKEN = 0
_Script = Callable[[list[str], list[int]], Awaitable[list[int]]]


class ValkeyLimiter:
    """A `Limiter` over all processes that use the same Valkey; raises `LimiterUnavailable`.

    A log holds at most as many times as its bucket's limit, about 10 bytes each, and expires with
    its window. Raises SettingsError when `url` cannot be one of Valkey. With `own_clock` the times
    that callers give count instead of the server's, for tests that move the clock.
    """

    def __init__(self, url: str, *, own_clock: bool = False, prefix: str = _PREFIX) -> None:
        self._prefix = prefix
        self._own_clock = own_clock
        self._latest = 0
        self._pool = _pool(url)
        self._valkey = Valkey(connection_pool=self._pool)
        self._script = cast(_Script, self._valkey.register_script(_SCRIPT))

    async def take(self, now: int, bucket: Bucket, guard: Bucket | None = None) -> Charge:
        """See `Limiter.take`."""
        now = self._time(now)
        if not bucket.limit and not (guard and guard.limit):
            return Charge(bucket)
        return await self._step(now, Charge(_NONE), bucket, guard or _NONE)

    def take_at_once(self, _now: int, _bucket: Bucket, /) -> None:
        """See `Limiter.take_at_once`: another process is always waited for."""

    async def give_back(self, charge: Charge) -> None:
        """See `Limiter.give_back`."""
        if charge.taken_at:
            await self._step(0, charge, _NONE, _NONE)

    async def swap(self, now: int, charge: Charge, bucket: Bucket) -> Charge:
        """See `Limiter.swap`."""
        now = self._time(now)
        if not charge.taken_at and not bucket.limit:
            return Charge(bucket)
        return await self._step(now, charge, bucket, _NONE)

    async def probe(self) -> None:
        """Go through a step on a new connection, as a call would."""
        async with asyncio.timeout(limits.VALKEY_TIMEOUT_MS / 1000):
            await self._pool.disconnect(inuse_connections=False)
        await self._step(0, Charge(_NONE), _PROBE, _NONE)

    async def close(self) -> None:
        """Close the connections."""
        await self._pool.disconnect()

    async def _step(self, now: int, back: Charge, bucket: Bucket, guard: Bucket) -> Charge:
        keys = [self._key(back.bucket), self._key(bucket), self._key(guard)]
        values = [bucket.limit, bucket.window_ms, guard.limit, guard.window_ms]
        try:
            async with asyncio.timeout(limits.VALKEY_TIMEOUT_MS / 1000):
                state, at, oldest, count = await self._script(keys, [now, back.taken_at, *values])
        except (ValkeyError, OSError, TimeoutError) as error:
            raise LimiterUnavailable(str(error) or "no answer in time") from error
        return _charge(at, (bucket, bucket, guard)[state], state == _TAKEN, oldest, count)

    def _key(self, bucket: Bucket) -> str:
        return f"{self._prefix}:{bucket.resource}:{bucket.key}"

    def _time(self, now: int) -> int:
        if not self._own_clock:
            return 0
        self._latest = max(now, self._latest)
        return self._latest


def _pool(url: str) -> BlockingConnectionPool:
    try:
        pool = BlockingConnectionPool.from_url(  # pyright: ignore[reportUnknownMemberType] - it says just `**kwargs`
            url, max_connections=limits.VALKEY_CONNECTIONS, timeout=None, socket_timeout=None
        )
        pool.make_connection()  # says what is wrong with an option now and not on the first call
    except (TypeError, ValueError) as error:
        raise SettingsError(f"STOA_VALKEY_URL: {error}") from error
    return pool


def _charge(at: int, bucket: Bucket, taken: bool, oldest: int, count: int) -> Charge:
    if not bucket.limit:
        return Charge(bucket)
    reset = -((oldest + bucket.window_ms) // -1000)
    if not taken:
        return Charge(bucket, allowed=False, reset=reset, retry_after=reset - at // 1000)
    return Charge(bucket, True, bucket.limit - count, reset, 0, at)

"""Limits over many processes: the logs of `MemoryLimiter`, in Valkey and changed by a script.

A script runs alone on the server, so every step is exact even if many processes take at once. Times
are the server's own: clocks of machines differ, and a window is only exact on one clock.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from hashlib import sha1
from importlib.resources import files
from itertools import compress
from typing import TypeGuard, cast

from valkey.asyncio import ConnectionPool, Valkey
from valkey.exceptions import NoScriptError

from stoa.domain import limits
from stoa.limits.limiter import Limiter, LimiterUnavailable
from stoa.operations.parts.buckets import Charge, RateBucket, counted, refused, taken
from stoa.settings import SettingsError

_PREFIX = "stoa:limit"
_SCRIPT = (files("stoa.limits") / "limiter.lua").read_text(encoding="utf-8")
_NONE = RateBucket("none", "", 0, 0)
_PROBE = RateBucket("probe", "", 1, 1)
_TAKEN = 0
_KEYS = 3
_PARTS = 4  # of an answer of the script
_TOGETHER = 100  # steps in one pipeline at most, so that each response takes little time

_Values = list[str]
_Answer = list[int]
_Waiting = tuple[_Values, "asyncio.Future[_Answer] | None"]
"""A step, and the future of its answer."""


class ValkeyLimiter(Limiter):
    """A limiter over all processes that use the same Valkey; raises `LimiterUnavailable`.

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
        self._sha = sha1(_SCRIPT.encode(), usedforsecurity=False).hexdigest()
        self._waiting: list[_Waiting] = []
        self._sender: asyncio.Task[None] | None = None

    async def take(self, now: int, bucket: RateBucket, guard: RateBucket | None = None) -> Charge:
        now = self._time(now)
        if not bucket.limit and not (guard and guard.limit):
            return Charge(bucket)
        return await self._step(now, Charge(_NONE), bucket, guard or _NONE)

    def take_at_once(self, _now: int, _bucket: RateBucket, /) -> None:
        """See `Limiter.take_at_once`: always None, because Valkey needs I/O."""

    async def look(self, now: int, bucket: RateBucket) -> Charge:
        if not bucket.limit:
            return Charge(bucket)
        _, at, oldest, count = await self._raw_step(self._time(now), Charge(_NONE), _NONE, bucket)
        return counted(at, bucket, oldest, count)

    async def give_back(self, charge: Charge) -> None:
        """See `Limiter.give_back`. Not waited for: it goes in one pipeline with the next step."""
        if charge.taken_at:
            self._add(0, charge, _NONE, _NONE, None)

    async def swap(self, now: int, charge: Charge, bucket: RateBucket) -> Charge:
        now = self._time(now)
        if not charge.taken_at and not bucket.limit:
            return Charge(bucket)
        return await self._step(now, charge, bucket, _NONE)

    async def probe(self, *, anew: bool = True) -> None:
        """Run one step to test that Valkey answers; `anew` on a new connection."""
        if anew:
            async with _answering():
                await self._pool.disconnect(inuse_connections=False)
        await self._step(0, Charge(_NONE), _PROBE, _NONE)

    async def close(self) -> None:
        """Close the connections."""
        if self._sender:
            await self._sender
        await self._pool.disconnect()

    async def _step(self, now: int, back: Charge, bucket: RateBucket, guard: RateBucket) -> Charge:
        state, at, oldest, count = await self._raw_step(now, back, bucket, guard)
        charged = (bucket, bucket, guard)[state]
        if not charged.limit:
            return Charge(charged)
        if state != _TAKEN:
            return refused(at, charged, oldest)
        return taken(at, charged, oldest, count)

    async def _raw_step(
        self, now: int, back: Charge, bucket: RateBucket, guard: RateBucket
    ) -> _Answer:
        answer: asyncio.Future[_Answer] = asyncio.get_running_loop().create_future()
        self._add(now, back, bucket, guard, answer)
        return await answer

    def _add(
        self,
        now: int,
        back: Charge,
        bucket: RateBucket,
        guard: RateBucket,
        answer: "asyncio.Future[_Answer] | None",
    ) -> None:
        keys = [self._key(back.bucket), self._key(bucket), self._key(guard)]
        values = [bucket.limit, bucket.window_ms, guard.limit, guard.window_ms]
        self._waiting.append(([*keys, *map(str, (now, back.taken_at, *values))], answer))
        if self._sender is None:
            self._sender = asyncio.create_task(self._send())

    async def _send(self) -> None:
        """Send all waiting steps in one pipeline, then those added meanwhile. If Valkey does not
        answer, all waiting calls fail at once."""
        while self._waiting:
            sent, self._waiting = self._waiting[:_TOGETHER], self._waiting[_TOGETHER:]
            try:
                answers = await self._evaluate([values for values, _ in sent])
            except LimiterUnavailable as error:
                sent, self._waiting = sent + self._waiting, []
                answers = [error] * len(sent)
            for (_, future), answer in zip(sent, answers, strict=True):
                if future and not future.done():  # done: the waiting call was cancelled
                    _tell(future, answer)
        self._sender = None

    async def _evaluate(self, steps: list[_Values]) -> list[_Answer | Exception]:
        async with _answering():
            answers = await self._pipeline(steps)
            if any(isinstance(answer, NoScriptError) for answer in answers):
                await self._valkey.script_load(_SCRIPT)
                again = [isinstance(answer, NoScriptError) for answer in answers]
                later = iter(await self._pipeline(list(compress(steps, again))))
                answers = [
                    next(later) if missed else answer
                    for missed, answer in zip(again, answers, strict=True)
                ]
        return answers

    async def _pipeline(self, steps: list[_Values]) -> list[_Answer | Exception]:
        async with self._valkey.pipeline(transaction=False) as pipeline:
            for values in steps:
                pipeline.evalsha(self._sha, _KEYS, *values)
            return cast(list[_Answer | Exception], await pipeline.execute(raise_on_error=False))

    def _key(self, bucket: RateBucket) -> str:
        return f"{self._prefix}:{bucket.resource}:{bucket.key}"

    def _time(self, now: int) -> int:
        if not self._own_clock:
            return 0
        self._latest = max(now, self._latest)
        return self._latest


@asynccontextmanager
async def _answering() -> AsyncGenerator[None]:
    try:
        async with asyncio.timeout(limits.VALKEY_TIMEOUT_MS / 1000):
            yield
    except Exception as error:  # a lost connection raises other errors than the client's own too
        raise LimiterUnavailable(str(error) or "no answer in time") from error


def _tell(future: "asyncio.Future[_Answer]", answer: object) -> None:
    if isinstance(answer, Exception):
        future.set_exception(LimiterUnavailable(str(answer) or "no answer in time"))
    elif _is_answer(answer):
        future.set_result(answer)
    else:  # from another server, such as a proxy before it, or to another question
        future.set_exception(LimiterUnavailable("an answer that the script does not give"))


def _is_answer(given: object) -> TypeGuard[_Answer]:
    if not isinstance(given, list):
        return False
    parts = cast(list[object], given)
    return len(parts) == _PARTS and all(isinstance(part, int) for part in parts)


def _pool(url: str) -> ConnectionPool:
    try:
        pool = ConnectionPool.from_url(  # pyright: ignore[reportUnknownMemberType] - it says just `**kwargs`
            url, socket_timeout=None
        )
        pool.make_connection()  # raises for a wrong option now, not on the first call
    except (TypeError, ValueError) as error:
        raise SettingsError(f"STOA_VALKEY_URL: {error}") from error
    return pool

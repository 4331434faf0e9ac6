"""What limits in Valkey add to those in memory: one clock, little memory, and its outages."""

import asyncio
import os
import signal
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import Any, TypeVar

import pytest

from stoa.domain import limits
from stoa.limits.limiter import LimiterUnavailable
from stoa.limits.shared import SharedLimiter
from stoa.limits.valkey import ValkeyLimiter
from stoa.operations.parts.buckets import RateBucket
from stoa.settings import SettingsError
from tests.support.logs import logged
from tests.support.soaking import few
from tests.support.valkey import Valkey

MINUTE = 60_000
READS = RateBucket("reads", "ag_1", 3, MINUTE)
THREADS = RateBucket("threads", "ag_1", 10, 60 * MINUTE)

T = TypeVar("T")


def with_limiter(url: str, work: Callable[[ValkeyLimiter], Coroutine[Any, Any, T]]) -> T:
    async def run() -> T:
        limiter = ValkeyLimiter(url)
        try:
            return await work(limiter)
        finally:
            await limiter.close()

    return asyncio.run(run())


async def passed(limiter: ValkeyLimiter | SharedLimiter, bucket: RateBucket, times: int) -> int:
    charges = await asyncio.gather(*(limiter.take(0, bucket) for _ in range(times)))
    return sum(charge.allowed for charge in charges)


# --- Over processes.


def test_clocks_of_processes_do_not_matter(own_valkey: Valkey) -> None:
    async def work(limiter: ValkeyLimiter) -> list[bool]:
        clocks = (0, 10**13, 1, 2 * 10**13)
        return [(await limiter.take(now, READS)).allowed for now in clocks]

    assert with_limiter(own_valkey.url, work) == [True, True, True, False]
    seconds, _ = own_valkey.ask("TIME")
    newest = int(own_valkey.ask("LINDEX", "stoa:limit:reads:ag_1", -1))
    assert abs(newest - 1000 * int(seconds)) < MINUTE


@pytest.mark.parametrize(("ahead_s", "allowed"), [(10 * 86_400, 3), (30, 0)])
def test_a_clock_that_was_ahead_leaves_no_bucket_full(
    own_valkey: Valkey, ahead_s: int, allowed: int
) -> None:
    seconds, _ = own_valkey.ask("TIME")
    units = [1000 * (int(seconds) + ahead_s)] * READS.limit
    own_valkey.ask("RPUSH", "stoa:limit:reads:ag_1", *units)
    assert with_limiter(own_valkey.url, lambda limiter: passed(limiter, READS, 5)) == allowed


def test_limiters_of_several_processes_count_together(own_valkey: Valkey) -> None:
    bucket = RateBucket("reads", "ag_1", 600, MINUTE)

    async def storm() -> int:
        limiters = [ValkeyLimiter(own_valkey.url) for _ in range(4)]
        counts = await asyncio.gather(*(passed(limiter, bucket, 250) for limiter in limiters))
        for limiter in limiters:
            await limiter.close()
        return sum(counts)

    assert asyncio.run(storm()) == 600


def test_a_script_that_the_server_forgot_is_loaded_again(own_valkey: Valkey) -> None:
    async def work(limiter: ValkeyLimiter) -> list[int]:
        remaining = [(await limiter.take(0, READS)).remaining]
        await asyncio.to_thread(own_valkey.ask, "SCRIPT", "FLUSH")
        return [*remaining, (await limiter.take(0, READS)).remaining]

    assert with_limiter(own_valkey.url, work) == [2, 1]


def test_steps_that_wait_together_take_one_connection(own_valkey: Valkey) -> None:
    bucket = RateBucket("reads", "ag_1", 1000, MINUTE)
    before = own_valkey.ask("INFO", "stats")["total_connections_received"]
    assert with_limiter(own_valkey.url, lambda limiter: passed(limiter, bucket, 500)) == 500
    opened = own_valkey.ask("INFO", "stats")["total_connections_received"]
    assert opened <= before + 1 + 2  # two are for the question itself


# --- Memory.


def test_logs_expire_with_their_window_and_refusals_keep_nothing_alive(own_valkey: Valkey) -> None:
    async def work(limiter: ValkeyLimiter) -> None:
        await limiter.take(0, THREADS, READS)
        await passed(limiter, READS, 5)

    with_limiter(own_valkey.url, work)
    assert sorted(own_valkey.ask("KEYS", "*")) == [
        "stoa:limit:reads:ag_1",
        "stoa:limit:threads:ag_1",
    ]
    assert 0 < own_valkey.ask("PTTL", "stoa:limit:reads:ag_1") <= MINUTE
    assert MINUTE < own_valkey.ask("PTTL", "stoa:limit:threads:ag_1") <= 60 * MINUTE
    assert own_valkey.ask("LLEN", "stoa:limit:reads:ag_1") == 3


def test_a_full_log_takes_ten_bytes_for_a_unit(own_valkey: Valkey) -> None:
    bucket = RateBucket("reads", "ag_1", 600, MINUTE)
    with_limiter(own_valkey.url, lambda limiter: passed(limiter, bucket, 1000))
    assert own_valkey.ask("MEMORY", "USAGE", "stoa:limit:reads:ag_1", "SAMPLES", 0) < 10 * 600 + 500


def test_a_unit_given_back_leaves_no_log(own_valkey: Valkey) -> None:
    async def work(limiter: ValkeyLimiter) -> None:
        await limiter.give_back(await limiter.take(0, THREADS))

    with_limiter(own_valkey.url, work)
    assert own_valkey.ask("KEYS", "*") == []


def test_a_unit_is_given_back_with_the_next_step_and_not_waited_for(own_valkey: Valkey) -> None:
    async def work(limiter: ValkeyLimiter) -> None:
        charge = await limiter.take(0, THREADS)
        with pytest.raises(StopIteration):  # it ends without a turn of the event loop
            limiter.give_back(charge).send(None)
        assert own_valkey.ask("LLEN", "stoa:limit:threads:ag_1") == 1
        assert (await limiter.take(0, THREADS)).remaining == charge.remaining

    with_limiter(own_valkey.url, work)


# --- Without an answer.


@pytest.mark.parametrize(
    "url", ["redis://127.0.0.1:1/0", "redis://:wrong@{}/0", "redis://{}/999", "rediss://{}/0"]
)
def test_a_server_that_cannot_be_used_raises_what_says_so(valkey: Valkey, url: str) -> None:
    async def work(limiter: ValkeyLimiter) -> None:
        with pytest.raises(LimiterUnavailable) as caught:
            await limiter.take(0, READS)
        assert str(caught.value)
        assert "wrong@" not in str(caught.value)

    with_limiter(url.format(f"127.0.0.1:{valkey.port}"), work)


@pytest.mark.parametrize("url", ["redis://127.0.0.1?db=x", "redis://127.0.0.1?colour=blue"])
def test_an_address_with_options_that_do_not_exist_is_refused(url: str) -> None:
    with pytest.raises(SettingsError, match=r"^STOA_VALKEY_URL: "):
        ValkeyLimiter(url)


AWAY = {"valkey": "away", "limits": "local"}
ANSWERS = {"valkey": "answers", "limits": "shared"}


@asynccontextmanager
async def shared(
    url: str, *, refuse_writes: bool = False, quiet_ms: int = 0
) -> AsyncGenerator[SharedLimiter]:
    limiter = SharedLimiter(ValkeyLimiter(url), refuse_writes=refuse_writes, quiet_ms=quiet_ms)
    await limiter.open()
    try:
        yield limiter
    finally:
        await limiter.close()


async def until_back(limiter: SharedLimiter) -> None:
    while limiter.figures()["limits"] != "shared":  # noqa: ASYNC110 - nothing tells it
        await asyncio.sleep(0.01)


def test_limits_go_on_here_while_valkey_is_gone_and_there_once_it_is_back(
    own_valkey: Valkey,
) -> None:
    async def run() -> None:
        async with shared(own_valkey.url) as limiter:
            assert await passed(limiter, READS, 5) == 3
            own_valkey.kill()
            assert await passed(limiter, READS, 5) == 3
            assert limiter.figures() == {**AWAY, "outages": 1, "countedLocally": 5}
            await asyncio.to_thread(own_valkey.start)
            await until_back(limiter)
            assert await passed(limiter, READS, 5) == 3
            assert limiter.figures() == {**ANSWERS, "outages": 1, "countedLocally": 5}

    with logged() as lines:
        asyncio.run(run())
    assert [(line["event"], line["level"]) for line in lines] == [
        ("valkey does not answer", "warning"),
        ("valkey answers again", "warning"),
    ]


def test_a_server_that_hangs_is_waited_for_once(own_valkey: Valkey) -> None:
    async def run() -> None:
        loop = asyncio.get_running_loop()
        async with shared(own_valkey.url) as limiter:
            pid = own_valkey.pid
            os.kill(pid, signal.SIGSTOP)
            started = loop.time()
            assert await passed(limiter, READS, 50) == 3
            assert loop.time() - started >= limits.VALKEY_TIMEOUT_MS / 1000
            assert limiter.figures()["outages"] == 1
            os.kill(pid, signal.SIGCONT)
            await until_back(limiter)
            assert (await limiter.take(0, THREADS)).allowed
            assert limiter.figures()["outages"] == 1

    asyncio.run(run())


def test_a_server_that_is_not_there_at_the_start_is_used_once_it_is(own_valkey: Valkey) -> None:
    async def run() -> None:
        own_valkey.kill()
        async with shared(own_valkey.url) as limiter:
            assert limiter.figures() == {**AWAY, "outages": 1, "countedLocally": 0}
            await asyncio.to_thread(own_valkey.start)
            await until_back(limiter)
            assert await passed(limiter, READS, 5) == 3

    asyncio.run(run())
    assert own_valkey.ask("LLEN", "stoa:limit:reads:ag_1") == 3


@pytest.mark.parametrize("fault", ["REPLICAOF", "OOM"])
def test_a_server_that_takes_no_writes_is_as_good_as_gone(own_valkey: Valkey, fault: str) -> None:
    async def run() -> None:
        async with shared(own_valkey.url) as limiter:
            if fault == "OOM":
                own_valkey.ask("CONFIG", "SET", "maxmemory", "1")
            else:
                own_valkey.ask("REPLICAOF", "127.0.0.1", "1")
            assert await passed(limiter, READS, 5) == 3
            assert limiter.figures()["limits"] == "local"
            own_valkey.ask("CONFIG", "SET", "maxmemory", "0")
            own_valkey.ask("REPLICAOF", "NO", "ONE")
            await until_back(limiter)

    asyncio.run(run())


def test_a_server_that_fails_now_and_then_is_told_of_once(own_valkey: Valkey) -> None:
    """As with its memory full: a key of another program does the same to what is counted there."""
    own_valkey.ask("SET", "stoa:limit:reads:ag_1", "another")

    async def run() -> None:
        async with shared(own_valkey.url, quiet_ms=MINUTE) as limiter:
            for outages in range(1, 3):
                assert (await limiter.take(0, READS)).allowed
                assert limiter.figures()["outages"] == outages
                await until_back(limiter)

    with logged() as lines:
        asyncio.run(run())
    assert [line["event"] for line in lines] == ["valkey does not answer"]


@pytest.mark.parametrize(
    "said",
    few(
        [
            *(b"$-1\r\n", b"*1\r\n:1\r\n", b"*4\r\n:1\r\n:0\r\n:0\r\n$1\r\n0\r\n"),
            *(b"+OK\r\n", b"HTTP/1.1 400\r\n"),
        ]
    ),
)
def test_what_is_no_answer_of_the_script_is_as_good_as_none(
    own_valkey: Valkey, said: bytes
) -> None:
    """A proxy or another server may say it; once Valkey answers again, it counts."""
    told: list[bytes] = [said]

    async def passes(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        valkey = await asyncio.open_connection("127.0.0.1", own_valkey.port)
        async with asyncio.TaskGroup() as both:
            both.create_task(pump(reader, valkey[1], []))
            both.create_task(pump(valkey[0], writer, told))

    async def run() -> None:
        listener = await asyncio.start_server(passes, "127.0.0.1", 0)
        port = listener.sockets[0].getsockname()[1]
        async with shared(f"redis://127.0.0.1:{port}") as limiter:
            assert limiter.figures()["limits"] == "local"
            assert await passed(limiter, READS, 5) == 3
            told.clear()
            await until_back(limiter)
            assert await passed(limiter, READS, 5) == 3
        listener.close()

    asyncio.run(run())
    assert own_valkey.ask("LLEN", "stoa:limit:reads:ag_1") == 3


async def pump(
    source: asyncio.StreamReader, target: asyncio.StreamWriter, instead: list[bytes]
) -> None:
    """Pass all on, or for each part this instead."""
    with suppress(OSError):
        while part := await source.read(1 << 16):
            target.write(instead[0] if instead and part.startswith(b"*4") else part)
        target.close()


def test_units_from_the_other_side_of_an_outage_are_given_back_without_harm(
    own_valkey: Valkey,
) -> None:
    async def run() -> None:
        async with shared(own_valkey.url) as limiter:
            before = await limiter.take(0, THREADS)
            own_valkey.kill()
            assert (await limiter.swap(0, before, READS)).remaining == 2
            during = await limiter.take(0, THREADS)
            await asyncio.to_thread(own_valkey.start)
            await until_back(limiter)
            assert (await limiter.swap(0, during, READS)).remaining == 2

    asyncio.run(run())


def test_charges_are_not_exact_in_an_outage_where_writes_must_be(own_valkey: Valkey) -> None:
    async def run() -> None:
        async with shared(own_valkey.url, refuse_writes=True) as limiter:
            assert (await limiter.take(0, THREADS, READS)).exact
            own_valkey.kill()
            charge = await limiter.take(0, THREADS, READS)
            assert (charge.allowed, charge.exact) == (True, False)

    asyncio.run(run())

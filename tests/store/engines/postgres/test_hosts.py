"""Addresses with several hosts: one that hangs, is gone or takes no writes keeps nobody."""

import asyncio
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from subprocess import TimeoutExpired
from tempfile import TemporaryFile

import pytest
from asyncpg import PostgresError
from asyncpg.exceptions import TargetServerAttributeNotMatched

from stoa.store.engines.postgres.connection import CONNECT_S, PostgresConnection, connect
from stoa.store.engines.postgres.hosts import first_open, one_each
from tests.support.loaded import Command, Process
from tests.support.postgresql import PostgreSQL


@pytest.fixture
def silent(tmp_path: Path) -> Iterator[Path]:
    """The folder of a socket that takes connections and never says a word."""
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / ".s.PGSQL.5432"))
        listening.listen()
        yield tmp_path


@pytest.mark.parametrize(
    ("url", "each"),
    [
        ("postgresql://u:p@a/d?x=1", ["postgresql://u:p@a/d?x=1"]),
        (
            "postgresql://u:%40@a:1,[::1]:2/d",
            ["postgresql://u:%40@a:1/d", "postgresql://u:%40@[::1]:2/d"],
        ),
        ("postgresql://a,b", ["postgresql://a", "postgresql://b"]),
        ("postgresql://u@/d?host=/a", ["postgresql://u@/d?host=/a"]),
        (
            "postgresql://u@/d?host=/a,/b",
            ["postgresql://u@/d?host=/a", "postgresql://u@/d?host=/b"],
        ),
        (
            "postgresql:///d?user=u&host=a%2Cb&port=1%2c2",
            ["postgresql:///d?host=a&port=1&user=u", "postgresql:///d?host=b&port=2&user=u"],
        ),
        (
            "postgresql:///d?host=a,b&port=7",
            ["postgresql:///d?host=a&port=7", "postgresql:///d?host=b&port=7"],
        ),
        ("postgresql:///d?host=a,b&port=1,2,3", ["postgresql:///d?host=a,b&port=1,2,3"]),
        ("postgresql://u:a,b@a,/d", ["postgresql://u:a,b@a,/d"]),
        ("postgresql:///d?host=a,,b", ["postgresql:///d?host=a,,b"]),
        ("postgresql://u:a,b@/d", ["postgresql://u:a,b@/d"]),
    ],
)
def test_an_address_with_several_hosts_is_one_for_each(url: str, each: list[str]) -> None:
    assert one_each(url) == each


@pytest.mark.promise("D26")
def test_a_host_that_hangs_keeps_nobody_from_the_next(postgresql: PostgreSQL, silent: Path) -> None:
    good = postgresql.socket.parent

    async def run() -> None:
        for hosts in (f"{silent},{good}", f"{good},{silent}", f"{silent},{silent},{good}"):
            found = await connect(f"postgresql://postgres@/postgres?host={hosts}")
            assert await found.fetchval("SELECT 1") == 1
            await found.close()

    asyncio.run(run())


def test_of_two_hosts_that_answer_together_one_is_left(postgresql: PostgreSQL) -> None:
    url = f"postgresql://postgres@/postgres?host={postgresql.socket.parent}"

    async def run() -> None:
        both = asyncio.Barrier(2)

        async def reach(_url: str) -> PostgresConnection:
            found = await connect(url)
            await both.wait()
            opened.append(found)
            return found

        opened: list[PostgresConnection] = []
        chosen = await first_open([url, url], reach)
        assert sorted(one.is_closed() for one in opened) == [False, True]
        assert not chosen.is_closed()
        await chosen.close()

    asyncio.run(run())


def test_with_no_host_that_serves_one_that_says_why_is_heard(
    postgresql: PostgreSQL, tmp_path: Path
) -> None:
    good = postgresql.socket.parent

    async def run() -> None:
        with pytest.raises(OSError, match="No such file"):
            await connect(f"postgresql://postgres@/postgres?host={tmp_path},{tmp_path}")
        for hosts in (f"{tmp_path},{good}", f"{good},{tmp_path}"):
            with pytest.raises(PostgresError, match="does not exist"):
                await connect(f"postgresql://postgres@/nothing?host={hosts}")

    asyncio.run(run())


class Opened:
    """A connection that says nothing."""

    def terminate(self) -> None:
        """End nothing."""


def test_hosts_that_hang_are_left_once_another_has_answered() -> None:
    left: list[str] = []

    async def connecting(url: str) -> Opened:
        try:
            if url == "hangs":
                await asyncio.Event().wait()
            return Opened()
        finally:
            left.append(url)

    asyncio.run(first_open(["hangs", "answers"], connecting))
    assert left == ["answers", "hangs"]


def test_a_host_that_is_gone_tells_more_than_one_of_another_kind() -> None:
    async def connecting(url: str) -> Opened:
        raise OSError(url) if url == "gone" else TargetServerAttributeNotMatched(url)

    with pytest.raises(OSError, match="gone"):
        asyncio.run(first_open(["gone", "takes no writes"], connecting))


@pytest.mark.soak
def test_a_command_that_leaves_the_processor_to_others_waits_for_longer(
    silent: Path, tmp_path: Path
) -> None:
    audit = ["audit", "--database-url", f"postgresql://postgres@/postgres?host={silent}"]
    with TemporaryFile() as stderr:
        process = Process(Command(audit, os.environ, tmp_path), stderr)
        try:
            with pytest.raises(TimeoutExpired):
                process.wait(CONNECT_S + 1)
        finally:
            process.kill()
            process.wait()
            process.stdout.close()

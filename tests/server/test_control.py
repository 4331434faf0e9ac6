"""The socket by which the operator's commands reach a server."""

import asyncio
from pathlib import Path

import pytest

from stoa.server import control


@pytest.mark.parametrize("error", [ValueError, LookupError])
def test_a_command_that_fails_ends_its_connection_at_once(
    tmp_path: Path, error: type[Exception]
) -> None:
    faults: list[BaseException | None] = []

    async def failing(_: bytes) -> bytes:
        raise error

    async def run() -> bytes | None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: faults.append(context.get("exception")))
        async with control.listening(tmp_path / "stoa.db", failing):
            asked = asyncio.to_thread(control.ask, tmp_path / "stoa.db", b"{}")
            return await asyncio.wait_for(asked, 10)

    assert asyncio.run(run()) == b""
    assert [type(fault) for fault in faults] == [error], "it is logged"

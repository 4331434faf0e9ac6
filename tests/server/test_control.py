"""The socket by which the operator's commands reach a server."""

import asyncio
import errno
import os
import socket
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from stoa.server import control
from stoa.store.tx import StartRefused


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
            return await asyncio.wait_for(asked, 60)

    assert asyncio.run(run()) == b""
    assert [type(fault) for fault in faults] == [error], "it is logged"


def test_a_server_of_another_user_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refusing(_socket: socket.socket, _address: object) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(socket.socket, "connect", refusing)
    with pytest.raises(StartRefused, match="Permission denied; run this as its user or as root"):
        control.ask(tmp_path / "stoa.db", b"{}")


def test_a_server_that_does_not_answer_has_said_nothing(
    tmp_path: Path,
) -> None:
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(str(tmp_path / "stoa.db.control"))
        silent.listen()
        assert control.ask(tmp_path / "stoa.db", b"{}", most_s=0.05) == b""


@pytest.mark.parametrize("platform", ["linux", "darwin"])
def test_a_command_is_answered_on_both_systems(
    monkeypatch: pytest.MonkeyPatch, platform: str
) -> None:
    monkeypatch.setattr(sys, "platform", platform)

    async def same(command: bytes) -> bytes:
        return command.strip()

    def ask(file: Path) -> bytes | None:
        has_own_name = f"{file}.control" in Path("/proc/net/unix").read_text()
        assert has_own_name is (platform != "linux")
        return control.ask(file, b"{}")

    async def run(file: Path) -> bytes | None:
        async with control.listening(file, same):
            return await asyncio.to_thread(ask, file)

    with TemporaryDirectory(dir="/tmp") as folder:  # the name of a test's own may be too long
        assert asyncio.run(run(Path(folder) / "stoa.db")) == b"{}\n"

"""`stoa` whose event loop stalls for ever once there is a file `stall`, which says in what."""

import ctypes
import time
from pathlib import Path

from stoa.__main__ import run
from stoa.server.server import Server

_STALL = Path.cwd() / "stall"
_turn = Server.on_tick


def stall_in_python() -> None:
    """Never let the event loop turn again."""
    while True:
        time.sleep(1)


def stall_in_c() -> None:
    """Never let the interpreter come to its next instruction: no other thread runs either."""
    ctypes.PyDLL(None).sleep(3600)


async def _turn_or_stall(self: Server, counter: int) -> bool:
    if _STALL.exists():
        how = _STALL.read_text()
        _STALL.unlink()  # the worker that comes after this one is to serve
        {"python": stall_in_python, "c": stall_in_c}[how]()
    return await _turn(self, counter)


Server.on_tick = _turn_or_stall

if __name__ == "__main__":
    run()

"""`stoa` whose writer never ends its work on a reply, once there is a file `loop`."""

from pathlib import Path

from stoa.__main__ import run
from stoa.domain import limits
from stoa.store import replies
from stoa.store.replies import ReplyRow
from stoa.store.tx import Tx

limits.WRITE_CPU_MS = 200  # half a minute on a busy machine may have less than the usual time
_LOOP = Path.cwd() / "loop"
_insert = replies.insert


async def _insert_or_loop(tx: Tx, row: ReplyRow) -> None:
    if _LOOP.exists():
        _LOOP.unlink()  # the writer that comes after this one is to write
        while True:
            pass
    await _insert(tx, row)


replies.insert = _insert_or_loop

if __name__ == "__main__":
    run()

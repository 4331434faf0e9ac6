"""A disk that fails when it is told to, under the real engine: SQLite's own way to the system, with
a fault in front of one of its calls."""

import threading
from collections.abc import Generator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import apsw

Call = Literal["sync", "write"]

_REAL = "unix"
WAIT_S = 60


@dataclass
class Fault:
    """Calls of one kind fail from the `first`-th on: all of them, or only that one."""

    call: Call
    first: int
    code: int
    lasting: bool = True
    file: str = "-wal"
    seen: int = 0

    def strikes(self, call: Call, name: str) -> bool:
        """Whether this call is one that fails."""
        if call != self.call or not name.endswith(self.file):
            return False
        self.seen += 1
        return self.seen == self.first or (self.lasting and self.seen > self.first)


@dataclass
class Disk:
    """What happens to calls, and what happened: `events` are `sync`s of the log among others. As
    long as the named pipe `gate` is there, writes into the database itself wait for its end."""

    fault: Fault | None = None
    gate: Path | None = None
    events: list[str] = field(default_factory=list[str])
    struck: int = 0
    asked_to_sync: threading.Event = field(default_factory=threading.Event)
    may_sync: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self.may_sync.set()

    def before(self, call: Call, name: str) -> None:
        """Raise if this call fails; wait if syncs are held up."""
        if self.fault and self.fault.strikes(call, name):
            self.struck += 1
            raise apsw.exception_for(self.fault.code)
        if call == "write" and name.endswith(".db") and self.gate and self.gate.exists():
            self.gate.read_bytes()
        if call == "sync" and name.endswith("-wal"):
            self.asked_to_sync.set()
            assert self.may_sync.wait(WAIT_S)


class _File(apsw.VFSFile):
    def __init__(self, disk: Disk, name: str | apsw.URIFilename | None, flags: list[int]) -> None:
        self._disk = disk
        self._name = name.filename() if isinstance(name, apsw.URIFilename) else name or ""
        super().__init__(_REAL, name, flags)

    def xSync(self, flags: int) -> None:  # noqa: N802 - SQLite's name
        self._disk.before("sync", self._name)
        super().xSync(flags)
        if self._name.endswith("-wal"):
            self._disk.events.append("sync")

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802 - SQLite's name
        self._disk.before("write", self._name)
        super().xWrite(data, offset)


class _Vfs(apsw.VFS):
    def __init__(self, disk: Disk) -> None:
        self._disk = disk
        super().__init__("faulty", _REAL, makedefault=True)

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        return _File(self._disk, name, flags)


@contextmanager
def faulty_disk(gate: Path | None = None) -> Generator[Disk]:
    """Databases that are opened in here lie on this disk."""
    disk = Disk(gate=gate)
    vfs = _Vfs(disk)
    try:
        # With an open connection a forked process keeps the disk: it cannot begin SQLite anew.
        with closing(apsw.Connection(":memory:")):
            yield disk
    finally:
        vfs.unregister()

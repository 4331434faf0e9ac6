"""Storage that a test makes fail, hold still or lose power, beneath the real database.

While a `Storage` is open, every database of this process goes through it.
"""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import apsw

Operation = Literal["read", "write", "sync"]


class Storage(apsw.VFS):
    """Passes everything on to the operating system, but for what `fault` says.

    `fault` is asked before each operation and may raise one of apsw's errors or wait. `counts` has
    the number of operations so far, `durable` the content that each file had when it was synced
    last: what is left of it when the power goes.
    """

    def __init__(self) -> None:
        super().__init__("tested", "unix", makedefault=True)
        self.fault: Callable[[Operation, str], None] = _no_fault
        self.counts: dict[Operation, int] = {"read": 0, "write": 0, "sync": 0}
        self.durable: dict[str, bytes] = {}
        self._lock = threading.Lock()

    def __enter__(self) -> "Storage":
        return self

    def __exit__(self, *_: object) -> None:
        self.unregister()

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        """Open a file of the database."""
        return _File(self, name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802
        """Delete a file of the database."""
        super().xDelete(filename, syncdir)
        self.durable.pop(filename, None)

    def before(self, operation: Operation, path: str) -> None:
        """Count an operation and let the fault happen."""
        with self._lock:
            self.counts[operation] += 1
        self.fault(operation, path)

    def synced(self, path: str) -> None:
        """Note what would survive."""
        if path:
            self.durable[path] = Path(path).read_bytes()

    def restore(self, folder: Path, durable: dict[str, bytes] | None = None) -> None:
        """Put what survived (now, or what a copy of `durable` says) into another folder."""
        folder.mkdir(parents=True, exist_ok=True)
        for path, content in (durable or self.durable).items():
            (folder / Path(path).name).write_bytes(content)


def _no_fault(operation: Operation, path: str) -> None:
    """Nothing happens."""


class _File(apsw.VFSFile):
    def __init__(
        self, storage: Storage, name: str | apsw.URIFilename | None, flags: list[int]
    ) -> None:
        super().__init__("unix", name, flags)
        self._storage = storage
        self._path = name.filename() if isinstance(name, apsw.URIFilename) else name or ""

    def xRead(self, amount: int, offset: int) -> bytes:  # noqa: N802
        self._storage.before("read", self._path)
        return super().xRead(amount, offset)

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        self._storage.before("write", self._path)
        super().xWrite(data, offset)

    def xSync(self, flags: int) -> None:  # noqa: N802
        self._storage.before("sync", self._path)
        super().xSync(flags)
        self._storage.synced(self._path)

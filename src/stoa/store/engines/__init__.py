"""The engines behind one `Tx`: a registry, by the kind of the database's address.

Each engine is a module with the functions of `Engine`, and is loaded only where it is used.
"""

import importlib
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Protocol, cast

from stoa.clock import Clock
from stoa.metrics import Commits
from stoa.settings import Settings
from stoa.store.transfer.copying import CopySource, Target
from stoa.store.tx import Alone, DatabaseHealth, Restored, Store, T, Work

_MODULES = {
    "sqlite": "stoa.store.engines.sqlite.engine",
    "postgresql": "stoa.store.engines.postgres.engine",
}


class Engine(Protocol):
    """The functions of an engine on the database that the settings name.

    Everything that opens a database raises `StartRefused` with one line that says why not.
    """

    SHARED: bool
    """Whether several processes may serve one database at the same time."""

    async def open_store(
        self,
        settings: Settings,
        clock: Clock,
        shared: Sequence[object] = (),
        commits: Commits | None = None,
    ) -> Store:
        """Open a database that has this program's schema, inside the running event loop.

        With `shared` objects the embedded engine writes in a process of its own, a fork of this
        one, which has these objects too. Commits are counted in `commits`.
        """
        ...

    async def refuse_unreadable(self, settings: Settings) -> None:
        """Raise `StartRefused` when the address of a replica cannot be read."""
        ...

    async def migrate(self, settings: Settings) -> list[str]:
        """Bring the database to this program's schema; returns the names of the steps applied."""
        ...

    async def is_new(self, settings: Settings) -> bool:
        """Whether there is no database, or an empty one."""
        ...

    def trace(self, settings: Settings) -> str | None:
        """A sign that there was a database in a place without one; None without a sign."""
        ...

    async def refuse_absent(self, settings: Settings) -> None:
        """Raise `StartRefused` when there is no database of Stoa, and make none."""
        ...

    async def health(self, settings: Settings) -> DatabaseHealth | None:
        """Facts about the database server; None where there is no server."""
        ...

    async def read_once(self, settings: Settings, clock: Clock, work: Work[T]) -> T:
        """Read a database that servers may have open."""
        ...

    async def write_once(self, settings: Settings, clock: Clock, work: Work[T]) -> T:
        """Change a database that has this program's schema; the embedded one must not be open in a
        server."""
        ...

    async def wipe_once(self, settings: Settings) -> bool:
        """As `Store.wipe`; the embedded database must not be open in a server."""
        ...

    async def back_up(
        self,
        settings: Settings,
        clock: Clock,
        folder: Path,
        keep: int,
        environment: Mapping[str, str],
    ) -> Path:
        """Make a checked copy of a database that may be served; with `keep`, which is 0 for all,
        keep only so many in this folder. Returns the file. Programs of the database are run in this
        `environment`."""
        ...

    async def restore(
        self,
        settings: Settings,
        clock: Clock,
        file: Path,
        backup_dir: str,
        environment: Mapping[str, str],
    ) -> Restored:
        """Replace the embedded database, which no server uses, by a backup, or fill an empty one of
        PostgreSQL; all sessions end. What is listed in `backup_dir` is erased again."""
        ...

    def place(self, settings: Settings) -> str:
        """The address of the database, without secrets."""
        ...

    def open_source(
        self, settings: Settings, clock: Clock
    ) -> AbstractAsyncContextManager[CopySource]:
        """A snapshot of a database, to be copied while servers may go on using it."""
        ...

    def open_alone(
        self, settings: Settings, clock: Clock | None = None, *, disposable: bool = False
    ) -> AbstractAsyncContextManager[Alone]:
        """A database that no server uses and that has this program's schema. A system `clock` goes
        by its time from now on, as servers do. One that is `disposable`, since its maker begins
        anew after a fault, may be lost in a power cut, and is written with up to a gigabyte of
        memory."""
        ...

    def open_target(self, settings: Settings, clock: Clock) -> AbstractAsyncContextManager[Target]:
        """A database to copy into, which no other program can open meanwhile."""
        ...


def engine_of(settings: Settings) -> Engine:
    """The engine of the database that the settings name."""
    return cast(Engine, importlib.import_module(_MODULES[settings.engine]))

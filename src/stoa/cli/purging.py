"""What follows a purge or a restore on the machine, where no server does it."""

import asyncio
from functools import partial
from pathlib import Path
from typing import TypeVar

from stoa.clock import SystemClock
from stoa.settings import Settings
from stoa.store.engines import Engine, engine_of
from stoa.store.tx import Work

T = TypeVar("T")


class _Unserved:
    """A database that is opened for each work."""

    def __init__(self, settings: Settings) -> None:
        self._settings, self._clock = settings, SystemClock()
        self._engine: Engine = engine_of(settings)

    async def read(self, work: Work[T]) -> T:
        return await self._engine.read_once(self._settings, self._clock, work)

    async def write(self, work: Work[T]) -> T:
        return await self._engine.write_once(self._settings, self._clock, work)


def finish(settings: Settings) -> None:
    """Erase what is still to be erased and take it out of the files, also out of those of search
    indexes that no process uses. Raises `StartRefused`."""
    asyncio.run(_finish(settings))


async def _finish(settings: Settings) -> None:
    from stoa.app import new_services
    from stoa.operations.parts import purging
    from stoa.search.index import remove_unused
    from stoa.store import purges

    database = _Unserved(settings)
    await purging.finish(database, new_services(settings))
    upto = await database.read(purges.to_wipe)
    if upto is None:
        return
    remove_unused(settings.search_path)
    if await engine_of(settings).wipe_once(settings):
        await database.write(partial(purges.note_wiped, upto=upto))


def list_beside_backups(settings: Settings) -> None:
    """Keep the list of purges where the backups are, if the settings say where. Raises
    `StartRefused`: the purge itself is done by then."""
    from stoa.store import purges
    from stoa.store.engines import backup_files
    from stoa.store.transfer import purge_list

    if settings.backup_dir and Path(settings.backup_dir).is_dir():
        known = asyncio.run(_Unserved(settings).read(purges.every))
        with backup_files.told(f"it was erased, but is not listed in {settings.backup_dir}"):
            purge_list.keep(Path(settings.backup_dir), known)

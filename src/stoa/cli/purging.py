"""The work after a purge or a restore, where no server does it."""

import asyncio
import sys
from functools import partial
from pathlib import Path

from stoa.clock import SystemClock
from stoa.settings import Settings
from stoa.store.engines import Engine, engine_of
from stoa.store.tx import StartRefused, T, Work

_KEPT = (
    "stoa: the database no longer has the text, but its files may still hold it, since another "
    "program reads them; a server removes it from them later"
)


class _Unserved:
    """A database that is opened for each work."""

    def __init__(self, settings: Settings) -> None:
        self._settings, self._clock = settings, SystemClock()
        self._engine: Engine = engine_of(settings)

    async def read(self, work: Work[T], *, background: bool = False) -> T:  # noqa: ARG002
        return await self._engine.read_once(self._settings, self._clock, work)

    async def write(self, work: Work[T]) -> T:
        return await self._engine.write_once(self._settings, self._clock, work)


def finish(settings: Settings) -> None:
    """Erase what is still to be erased, also from the files, and from those of search indexes that
    no process uses. Raises `StartRefused`, also for what cannot be erased, after all the rest."""
    asyncio.run(_finish(settings))


async def _finish(settings: Settings) -> None:
    from stoa.app import new_services
    from stoa.operations.parts import purging
    from stoa.operations.parts.run_all import run_all

    database = _Unserved(settings)
    finish = partial(purging.finish, database, new_services(settings))
    try:
        await run_all(finish, partial(_wipe, database, settings))
    except purging.PurgeFailed as error:
        raise StartRefused(f"{error}; a server tries again") from error


async def _wipe(database: _Unserved, settings: Settings) -> None:
    from stoa.operations.parts import purging
    from stoa.search.index import remove_unused
    from stoa.store import purges

    upto = await database.read(purges.to_wipe)
    if upto is None:
        return
    await purging.shorten_answers(database)
    remove_unused(settings.search_path)
    if await engine_of(settings).wipe_once(settings):
        await database.write(partial(purges.note_wiped, upto=upto))
    else:
        print(_KEPT, file=sys.stderr)


def list_beside_backups(settings: Settings) -> None:
    """Write the list of purges beside the backups, if the settings say where. Raises
    `StartRefused`: the purge itself is done by then."""
    from stoa.store import purges
    from stoa.store.engines import backup_files
    from stoa.store.transfer import purge_list

    if settings.backup_dir and Path(settings.backup_dir).is_dir():
        known = asyncio.run(_Unserved(settings).read(purges.every))
        with backup_files.told(f"it was erased, but is not listed in {settings.backup_dir}"):
            purge_list.keep(Path(settings.backup_dir), known)

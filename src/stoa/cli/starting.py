"""Migrates the database as `stoa serve` starts. It never replaces a lost database by an empty
one."""

from stoa.clock import SystemClock
from stoa.schemas.base import iso
from stoa.settings import Settings
from stoa.store.engines import Engine, engine_of
from stoa.store.engines.migration_steps import told
from stoa.store.transfer import backups
from stoa.store.tx import StartRefused

_LOST = (
    "there is no database at {where}, but there was one: {trace}. Restore a backup with "
    "`stoa restore FILE`, or start once with --new for a new database"
)


async def prepare(settings: Settings, *, new: bool) -> str | None:
    """Bring the database to this program's schema; one line that says what was done, if anything.

    Raises `StartRefused` when an address is invalid, or the database is gone without `new`, or
    exists with `new`.
    """
    engine = engine_of(settings)
    where = engine.place(settings)
    await engine.refuse_unreadable(settings)  # before anything is written
    if await engine.is_new(settings):
        if not new and (trace := _trace(engine, settings)):
            raise StartRefused(_LOST.format(where=where, trace=trace))
    elif new:
        raise StartRefused(f"{where} is a database already: leave out --new")
    applied = await engine.migrate(settings)
    return told(where, applied) if applied else None


def _trace(engine: Engine, settings: Settings) -> str | None:
    """A sign that there was a database."""
    made_at = backups.newest(settings.backup_dir, SystemClock()())
    if made_at is not None:
        return f"its newest backup in {settings.backup_dir} is of {iso(made_at)}"
    return engine.trace(settings)

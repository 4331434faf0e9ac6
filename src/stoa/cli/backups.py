"""`stoa backup` and `stoa restore`: copy a database to a file, and restore it from one."""

import asyncio
import json
import os
import re
import select
import signal
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Annotated, TextIO

import typer

from stoa.cli import purging
from stoa.cli.database import DatabaseRun, NamedDatabase, on_database
from stoa.cli.notifying import READY, notify
from stoa.clock import SystemClock, elapsed_ms
from stoa.configuration import for_programs, notify_address
from stoa.domain import limits
from stoa.schemas.base import iso
from stoa.store.transfer import backups
from stoa.store.transfer.backups import BackupRuns
from stoa.store.tx import StartRefused

_PAUSE = re.compile(r"([1-9]\d{0,5})([smhd])")
_UNITS_MS = {
    "s": limits.SECOND_MS,
    "m": limits.MINUTE_MS,
    "h": limits.HOUR_MS,
    "d": limits.DAY_MS,
}


def _pause_ms(text: str) -> int:
    """A pause such as `90s`, `15m`, `1h` or `1d`, in ms."""
    if found := _PAUSE.fullmatch(text):
        return int(found[1]) * _UNITS_MS[found[2]]
    raise typer.BadParameter("give a number and s, m, h or d, such as 1h or 15m")


@on_database
def backup(
    run: DatabaseRun,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where backups are kept.")],
    keep: Annotated[
        int, typer.Option(min=0, help="How many to keep there; the oldest go. 0 keeps all.")
    ] = 0,
    every: Annotated[
        int | None,
        typer.Option(
            parser=_pause_ms,
            metavar="TIME",
            help="Make one at once and one each TIME, such as 1h or 15m, until stopped.",
        ),
    ] = None,
) -> None:
    """Make a backup of the database, also while it is served; on PostgreSQL by pg_dump.

    The copy is audited before it gets its name. If it fails, all older backups stay; with --every
    one line says why, and the next one is tried when it is due.
    """
    named = run.named
    with named.refusing():
        with _noted(folder):
            asyncio.run(named.engine.refuse_absent(named.settings))
        say = typer.echo if every is None else partial(_try_to_say, sys.stdout)
        if not run.as_json:
            say(f"database: {named.address}")
        make = partial(_back_up, named, folder, keep, as_json=run.as_json)
        if every is None:
            say(make())
        else:
            _back_up_each(every, make)


def _back_up(named: NamedDatabase, folder: Path, keep: int, *, as_json: bool) -> str:
    """Make a backup; returns the lines to print."""
    with _noted(folder):
        making = named.engine.back_up(named.settings, SystemClock(), folder, keep, for_programs())
        file = asyncio.run(making)
    backups.forget_failure(folder)
    if as_json:
        return json.dumps({"database": named.address, "file": str(file)}, indent=2)
    return f"backup:   {file}"


@contextmanager
def _noted(folder: Path) -> Generator[None]:
    """Write beside the backups why none can be made, unless another one to them is under way."""
    try:
        yield
    except BackupRuns:
        raise
    except StartRefused as refusal:
        backups.note_failure(folder, f"{iso(SystemClock()())}: {refusal}")
        raise


def _back_up_each(pause_ms: int, make: Callable[[], str]) -> None:
    """Make backups until SIGTERM or Ctrl-C. A running one is finished.

    Raises `StartRefused` when one fails and systemd has started this: it shows that the service
    failed, and starts it again.
    """
    stopped = _readable_on_stop()
    left_ms = 0
    while not select.select([stopped], [], [], left_ms / 1000)[0]:
        began = elapsed_ms()
        try:
            made = make()
        except StartRefused as refusal:
            notify(f"STATUS=No backup since {iso(SystemClock()())}: {refusal}")
            if notify_address():
                raise
            _try_to_say(sys.stderr, f"stoa: {refusal}")
        else:
            notify(f"{READY}\nSTATUS=The last backup was made at {iso(SystemClock()())}")
            _try_to_say(sys.stdout, made)
        left_ms = max(0, began + pause_ms - elapsed_ms())


def _try_to_say(output: TextIO, line: str) -> None:
    """Write a line, unbuffered. If that fails, as on a full disk or a closed terminal, the line is
    lost, and nothing ends."""
    with suppress(OSError):
        os.write(output.fileno(), f"{line}\n".encode())


def _readable_on_stop() -> int:
    """A descriptor that can be read once this process is asked to end."""
    stopped, waking = os.pipe()
    os.set_blocking(waking, False)
    signal.set_wakeup_fd(waking)
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, _note)
    return stopped


def _note(_number: int, _frame: object) -> None:
    """Write a signal to the wake-up descriptor, and do nothing else."""


@on_database
def restore(
    run: DatabaseRun,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A backup.")],
) -> None:
    """Replace the embedded database, which no server may use meanwhile, by a backup, or fill an
    empty one of PostgreSQL by pg_restore.

    The old database is kept beside it. All sessions end: agents sign in again. If there is no
    embedded database any more, the backup becomes it.
    """
    named = run.named
    run.say_where()
    with named.refusing():
        beside = (named.settings.backup_dir, for_programs())
        restored = asyncio.run(named.engine.restore(named.settings, SystemClock(), file, *beside))
        taken_at, kept = iso(restored.taken_at), restored.kept and str(restored.kept)
        if run.as_json:
            run.tell(file=str(file), takenAt=taken_at, kept=kept)
        else:
            kept = kept or "nothing was there"
            typer.echo(f"restored: {file}, as of {taken_at}\nkept:     {kept}")
        purging.finish(named.settings)

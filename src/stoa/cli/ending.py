"""How a command ends: its exit status, and mistakes as one line."""

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

from stoa.settings import SettingsError
from stoa.store import unusable
from stoa.store.tx import StartRefused

_FAILED = 1


def end_with(command: Callable[[], int]) -> NoReturn:
    """Run a command and end with its status; an expected failure is one line on stderr.

    Exit status: 0, or 1 when something failed, 2 when the command line is wrong. Raises
    `KeyboardInterrupt` on Ctrl-C.
    """
    try:
        status = command()
    except (SettingsError, StartRefused) as error:
        fail(" ".join(str(error).splitlines()), _FAILED)
    except OSError as error:
        if not unusable.is_known(error):
            raise  # a defect
        hint = ", or in another folder" if isinstance(error, PermissionError) else ""
        fail(f"{error.filename or 'a file'}: {unusable.why(error)}{hint}", _FAILED)
    except ModuleNotFoundError as error:
        install = "pip install '.[server]' in the folder of the source"
        fail(f"this needs {error.name}, a part of the server: {install} brings it", _FAILED)
    sys.exit(status)


@contextmanager
def writing(place: Path) -> Generator[None]:
    """Raise errors of writing a file or folder as `StartRefused`."""
    try:
        yield
    except OSError as error:
        raise StartRefused(f"cannot write to {place}: {unusable.why(error)}") from error


@contextmanager
def using_database(otherwise: str, then: str = "") -> Generator[None]:
    """Raise errors of a database, or a disk, as `StartRefused`: what follows, why, and what to do
    `then`."""
    import apsw
    import asyncpg

    try:
        yield
    except (apsw.Error, asyncpg.PostgresError, asyncpg.InterfaceError, OSError) as error:
        reason = unusable.why(error) if isinstance(error, OSError) else str(error)
        said = reason.partition("\n")[0] or type(error).__name__
        raise StartRefused(f"{otherwise}: {said}{then}") from error


def fail(message: str, status: int) -> NoReturn:
    """End with a line that says why, if there is more to say than was printed."""
    if message:
        print(f"stoa: {message}", file=sys.stderr)
    sys.exit(status)

"""The main function of the writer process of the SQLite engine.

The process commits the work that the server sends and reports the outcomes of each group. If the
storage fails, it reports that and ends: the outcome of the group is unknown, and its connection
must not be used again.
"""

import os
import select
import signal
import socket
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import apsw

from stoa.domain import limits
from stoa.domain.errors import Refusal
from stoa.domain.paced import in_pieces
from stoa.logs import log, note_of_places
from stoa.store.engines.frames import Frames, WorkCodec, frame, pickled, unpickled
from stoa.store.engines.sqlite import access
from stoa.store.engines.sqlite.file import FileReplaced
from stoa.store.engines.sqlite.groups import GROUP_MAX, Groups, WriteOutcome, may_pass, trouble_of
from stoa.store.engines.sqlite.pace import WriterPace
from stoa.store.tx import StoreUnavailable, Tx

_READ_BYTES = 1024 * 1024
_LOOKASIDE = (1200, 500)
"""SQLite's lookaside memory: the size of a slot in bytes, and the number of slots."""

GroupReport = tuple[list[WriteOutcome], set[str], str | None, bool]
"""The outcomes of a group, the keys that it changed, why this writer ends (or None), and whether
that may pass by itself."""


def main(
    path: Path,
    connect: Callable[[], Groups],
    codec: WorkCodec,
    pace: WriterPace,
    link: socket.socket,
    prove: bool,
) -> NoReturn:
    """Commit incoming work until the server closes the link or the storage fails; `connect` returns
    `Groups` with a new connection to the database at `path`. With `prove` the storage has failed
    before, and a test write must succeed first."""
    status = 1
    try:
        _use_one_thread()
        _work(path, connect, codec, link, pace.check_s, prove=prove)
        status = 0
    except ConnectionError:
        status = 0  # the server was killed; each transaction is either rolled back or on disk
    except BaseException:
        log.exception("writer failed")
    finally:
        os._exit(status)


def _use_one_thread() -> None:
    """Turn off SQLite's mutexes: a statement would lock hundreds, and there is one thread. A
    process that was forked with open connections keeps them: SQLite changes no setting then, so the
    one that the server has open by now, to a database in memory, is closed."""
    access.close()
    try:
        apsw.shutdown()
    except apsw.MisuseError:
        return
    apsw.config(apsw.SQLITE_CONFIG_SINGLETHREAD)
    apsw.config(apsw.SQLITE_CONFIG_LOOKASIDE, *_LOOKASIDE)
    apsw.initialize()


def _work(
    path: Path,
    connect: Callable[[], Groups],
    codec: WorkCodec,
    link: socket.socket,
    check_s: float,
    *,
    prove: bool,
) -> None:
    try:
        groups = connect()
    except (apsw.Error, FileReplaced) as error:
        _send(link, ([], set(), trouble_of(error), may_pass(error)))
        return
    if prove:
        groups.prove(path)
    if groups.trouble:
        _report(groups, link, [])
    else:
        link.sendall(frame(pickled(os.getpid())))
        _serve(groups, link, codec, check_s)
    groups.close()


def _serve(groups: Groups, link: socket.socket, codec: WorkCodec, check_s: float) -> None:
    """Commit incoming work; everything received since the last commit is one group. Work that does
    not end takes processor time, which a slow disk does not: SIGVTALRM ends the process."""
    frames = Frames()
    while not groups.trouble:
        if not select.select([link], [], [], check_s)[0]:
            groups.check_other_writers()
            _report(groups, link, [])
            continue
        data = link.recv(_READ_BYTES)
        if not data:
            return
        works = [partial(_run, codec, content) for content in frames.feed(data)]
        for some in in_pieces(works, GROUP_MAX):
            signal.setitimer(signal.ITIMER_VIRTUAL, limits.WRITE_CPU_MS / 1000)
            outcomes = groups.commit(some)
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            _report(groups, link, outcomes)
            if groups.trouble:  # the server refuses what is behind this group by itself
                return
            groups.shorten_log()


async def _run(codec: WorkCodec, content: memoryview, tx: Tx) -> Any:
    return await codec.decode(content)(tx)


def _report(groups: Groups, link: socket.socket, outcomes: list[WriteOutcome]) -> None:
    touched = groups.take_touched()
    if outcomes or touched or groups.trouble:
        portable = [(result, error and _portable(error)) for result, error in outcomes]
        _send(link, (portable, touched, groups.trouble, groups.may_pass))


def _send(link: socket.socket, report: GroupReport) -> None:
    link.sendall(frame(pickled(report)))


def _portable(error: Exception) -> Exception:
    """An error that can be pickled. An unexpected one gets the places it came through as a note."""
    if isinstance(error, Refusal | StoreUnavailable):
        return error
    places = note_of_places(error)
    try:
        unpickled(pickled(error))
    except Exception:  # noqa: BLE001 - pickling an arbitrary error may raise any exception
        error = RuntimeError(f"the work ended with {type(error).__name__}")
    error.add_note(places)
    return error

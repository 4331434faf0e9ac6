"""The life of a process that writes to the embedded database, from its fork to its end.

It commits what the server sends and reports what becomes of each group. When the storage fails, it
reports that too and ends: the outcome of the group is unknown, and this connection is not used any
more.
"""

import os
import select
import socket
import traceback
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import apsw
import structlog

from stoa.clock import Clock
from stoa.domain.errors import Refusal
from stoa.store.engines.frames import Carrier, Frames, frame, packed, unpacked
from stoa.store.engines.sqlite_file import connect
from stoa.store.engines.sqlite_groups import (
    GROUP_MAX,
    LOOK_S,
    Groups,
    Outcome,
    no_room,
    trouble_of,
)
from stoa.store.tx import StoreUnavailable, Tx

log = structlog.get_logger("stoa.store")

_READ_BYTES = 1024 * 1024
_LOOKASIDE = (1200, 500)
"""Pieces of memory that statements find without asking the system: bytes of each, and how many."""

Report = tuple[list[Outcome], list[str], str | None, bool]
"""What became of a group, what it touched, why this writer ends if it does, and whether that is
because the disk is full."""


def live(path: Path, clock: Clock, carrier: Carrier, link: socket.socket, prove: bool) -> NoReturn:
    """Write what comes in until the server ends the link or the storage fails. With `prove` the
    storage has failed before, and has to take a commit first."""
    status = 1
    try:
        _be_one_thread()
        _work(path, clock, carrier, link, prove=prove)
        status = 0
    except ConnectionError:
        status = 0  # the server was killed: what nobody waits for any more is undone or on disk
    except BaseException:
        log.exception("writer failed")
    finally:
        os._exit(status)


def _be_one_thread() -> None:
    """Let SQLite go without locks between threads, of which a statement would take hundreds."""
    apsw.shutdown()
    apsw.config(apsw.SQLITE_CONFIG_SINGLETHREAD)
    apsw.config(apsw.SQLITE_CONFIG_LOOKASIDE, *_LOOKASIDE)
    apsw.initialize()


def _work(path: Path, clock: Clock, carrier: Carrier, link: socket.socket, *, prove: bool) -> None:
    try:
        groups = Groups(connect(path, writer=True), clock)
    except apsw.Error as error:
        _send(link, ([], [], trouble_of(error), no_room(error)))
        return
    if prove:
        groups.prove(path)
    if groups.trouble:
        _report(groups, link, [])
    else:
        link.sendall(frame(packed(os.getpid())))
        _serve(groups, link, carrier)
    groups.close()


def _serve(groups: Groups, link: socket.socket, carrier: Carrier) -> None:
    """Commit what comes in, all that has come since the last commit together."""
    frames = Frames()
    while not groups.trouble:
        if not select.select([link], [], [], LOOK_S)[0]:
            groups.look()
            _report(groups, link, [])
            continue
        data = link.recv(_READ_BYTES)
        if not data:
            return
        works = [partial(_run, carrier, content) for content in frames.feed(data)]
        for first in range(0, len(works), GROUP_MAX):
            _report(groups, link, groups.commit(works[first : first + GROUP_MAX]))


async def _run(carrier: Carrier, content: memoryview, tx: Tx) -> Any:
    return await carrier.unpack(content)(tx)


def _report(groups: Groups, link: socket.socket, outcomes: list[Outcome]) -> None:
    touched = groups.take_touched()
    if outcomes or touched or groups.trouble:
        portable = [(result, error and _portable(error)) for result, error in outcomes]
        _send(link, (portable, touched, groups.trouble, groups.full))


def _send(link: socket.socket, report: Report) -> None:
    link.sendall(frame(packed(report)))


def _portable(error: Exception) -> Exception:
    """An error as it can cross; what was not expected says where it comes from."""
    if isinstance(error, Refusal | StoreUnavailable):
        return error
    said = "".join(traceback.format_exception(error))
    try:
        unpacked(packed(error))
    except Exception:  # noqa: BLE001 - an error may hold, and may want to be made of, anything
        error = RuntimeError(f"the work ended with {type(error).__name__}")
    error.add_note(said)
    return error

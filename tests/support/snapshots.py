"""Reads that began at a moment which a test chooses."""

import apsw

from stoa.operations.call import Call
from stoa.store import events
from stoa.store.changes import ChangesSeen
from stoa.store.engines.sqlite.tx import SqliteTx, drive
from tests.support.app import App


def call_of_now(stoa: App) -> Call:
    """A call of nobody whose snapshot of the file of SQLite is of now."""
    connection, process = apsw.Connection(str(stoa.settings.database_path)), stoa.processes[0]
    connection.execute("BEGIN")
    changes = process.store.changes
    assert changes
    seen = ChangesSeen(changes, changes.data_version())
    tx = SqliteTx(connection.cursor(), stoa.clock(), seen)
    drive(events.log(tx))  # the first read begins it
    return Call(tx, process._services, None)  # pyright: ignore[reportPrivateUsage]

"""A file of the embedded engine with many rows of everything, and what statements take in it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw

from stoa.store import statements
from stoa.store.engines.sqlite.file import connect, prepare
from tests.support.clock import START
from tools.bench.scale.world import ON_OFFER, PLAIN, into

STATEMENTS = statements.load("sqlite")

ROWS = 3000
"""Of each table."""
FITTING = 10
"""Offers that share a term, and tokens that are live."""
TOP = 1 << 62
"""More than any number in a row."""


def filled(path: Path) -> apsw.Connection:
    """Fill a file with rows; the connection to go on with."""
    prepare(path)
    connection = connect(path, writer=True)
    with connection:
        connection.execute("PRAGMA defer_foreign_keys = ON")
        for table, row in TABLES.items():
            _insert(connection, table, row)
    return connection


def _insert(connection: apsw.Connection, table: str, row: Callable[[int], tuple[Any, ...]]) -> None:
    rows = [row(number) for number in range(ROWS)]
    marks = ", ".join("?" * len(rows[0]))
    connection.executemany(f"INSERT INTO {into(table)} VALUES ({marks})", rows)


def an_id(prefix: str, number: int) -> str:
    """The id of the row of a number."""
    return f"{prefix}_{number:026}"


SHOWN = (None, None)
"""When and why a row was removed that is shown."""


def _agent(n: int) -> tuple[Any, ...]:
    key = n.to_bytes(32, "big")
    head = (an_id("ag", n), key, f"A{n}", "", "[]", "active", n % 100, START, START, 1, 1)
    return (*head, None, None, *SHOWN, None, None, 0, None, 0, None, "", None, None)


def _thread(n: int) -> tuple[Any, ...]:
    times = (START + n, START + n, START + n)
    return (
        an_id("th", n),
        an_id("ag", 0),
        "t",
        "b",
        '["x"]',
        "open",
        None,
        0,
        n % 7,
        0,
        *times,
        None,
        None,
        *SHOWN,
        None,
        0,
        None,
    )


def _reply(n: int) -> tuple[Any, ...]:
    return (
        an_id("rp", n),
        an_id("th", 0),
        n,
        an_id("ag", n),
        None,
        0,
        "answer",
        "b",
        START + n,
        *SHOWN,
        None,
        *(0, 0, 0, 0),
        None,
        None,
        0,
    )


def _job(n: int) -> tuple[Any, ...]:
    lists = ("[]", "[]", "[]", "[]")
    head = (an_id("job", n), "research", "OPEN", "t", "d", an_id("ag", 0), None, *lists, None)
    return (
        *head,
        n % 50 + 1,
        0,
        None,
        None,
        0,
        None,
        START,
        START + n,
        None,
        None,
        None,
        None,
        *SHOWN,
        *PLAIN,
        START + n,
        "REFUNDED_EXPIRED",
    )


def term(n: int) -> str:
    """The term of an opportunity: the first `FITTING` share one, each other has its own."""
    return "x" if n < FITTING else f"t{n}"


def _event(n: int) -> tuple[Any, ...]:
    subject = ("job", an_id("job", n), None, an_id("job", n), None, None)
    return (n + 1, an_id("ev", n), "job.created", START + n, an_id("ag", 0), *subject, 1, "{}")


def _token(n: int) -> tuple[Any, ...]:
    """One of an agent's tokens: the first `FITTING` are live. Of sixteen others one has expired,
    one was revoked before that, and the rest are both."""
    revoked_at = START if n >= FITTING and n % 16 else None
    ends_at = START + 1 if n < FITTING or n % 16 == 1 else START
    session = (
        an_id("ses", n),
        "verify",
        START - 1,
        START - 1,
        1,
        "read write",
        None,
        None,
        ends_at,
    )
    return (digest(n), an_id("ag", 0), ends_at, revoked_at, *session)


def digest(n: int) -> bytes:
    """The hash of the token of a number."""
    return n.to_bytes(32, "big")


def _key_change(n: int) -> tuple[Any, ...]:
    """One of an agent's changes of keys: behind a rotation each replaces the recovery key. Only the
    first and the last of these were not dropped, and the last is not in force yet."""
    change, in_force_at = ("recovery", START + 1) if n > 1 else (["rotate", "recovery"][n], START)
    dropped_at = START if 1 < n < ROWS - 1 else None
    proof = ("c", b"s", None, START, in_force_at, dropped_at)
    return (an_id("ag", 0), n + 1, change, digest(n), digest(ROWS), digest(ROWS), *proof)


TABLES: dict[str, Callable[[int], tuple[Any, ...]]] = {
    "agent": _agent,
    "thread": _thread,
    "thread_tag": lambda n: ("x", an_id("th", n), START + n, n % 7),
    "reply": _reply,
    "job": _job,
    "job_tag": lambda n: ("x", an_id("job", n), n % 50 + 1, START + n),
    "opportunity": lambda n: (
        an_id("job", n),
        "job",
        an_id("ag", 0),
        n % 50 + 1,
        START,
        TOP,
        *ON_OFFER,
    ),
    "opportunity_term": lambda n: (term(n), 1, "job", n % 50 + 1, START, an_id("job", n)),
    "opportunity_word": lambda n: (term(n), term(n), an_id("job", n)),
    "event_log": _event,
    "token": _token,
    "key_change": _key_change,
}
"""The row of a number in each table, in the order in which tables refer to each other."""


def steps(connection: apsw.Connection, name: str, values: dict[str, Any]) -> tuple[int, int]:
    """How many instructions a statement took, and how many rows it gave."""
    taken = 0

    def count() -> bool:
        nonlocal taken
        taken += 1
        return False

    connection.set_progress_handler(count, 1)
    try:
        rows = connection.execute(STATEMENTS[name], values).fetchall()
    finally:
        connection.set_progress_handler(None)
    return taken, len(rows)

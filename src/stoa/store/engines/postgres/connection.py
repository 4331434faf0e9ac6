"""Connections to PostgreSQL: how they are opened, and the messages to operators when that fails."""

import asyncio
import os
import ssl
from collections import deque
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, unquote

import asyncpg
from asyncpg import exceptions as errors
from asyncpg.connect_utils import SessionAttribute

from stoa.settings import POSTGRESQL_UNREADABLE
from stoa.store.engines.postgres.errors import Meaning, meaning, said
from stoa.store.engines.postgres.hosts import first_open, one_each
from stoa.store.tx import StartRefused

OLDEST = 14
"""The oldest version of PostgreSQL that the statements support."""

CONNECT_S = 5

_LEFT_S = 60
"""How long a low-priority command may be without processor time."""

APPLICATION = "stoa"
"""The name of servers in `pg_stat_activity`."""

_NO_ENTRY = "{where} refuses the user or the password in STOA_DATABASE_URL"
_FORGETFUL = (
    "{where} is behind a pool that keeps no prepared statements in transaction mode: use PgBouncer "
    "1.21 or newer with max_prepared_statements = 200"
)
_FORGOTTEN = (errors.InvalidSQLStatementNameError, errors.DuplicatePreparedStatementError)
_FAULTS = (errors.PostgresError, errors.InterfaceError, errors.InternalClientError)
_LIFT_LIMITS = """
SELECT set_config(name, '0', true) FROM pg_settings WHERE name IN (
  'statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout',
  'max_parallel_workers_per_gather')
"""
_TABLES = """
SELECT string_agg(quote_ident(tablename), ', ') FROM pg_tables WHERE schemaname = current_schema()
"""
_PROBE = f"stoa_probe_{os.getpid()}"
_STATEMENTS = 1000  # more than there are: each is prepared once per connection
_WARNINGS = 10

if TYPE_CHECKING:
    _Connection = asyncpg.Connection[asyncpg.Record]
else:
    _Connection = asyncpg.Connection  # generic in its types only


class PostgresConnection(_Connection):
    """A connection that collects the `warnings` of its server, until a caller clears them."""

    warnings: deque[str]

    def keep(self, _: object, message: errors.PostgresLogMessage) -> None:
        """Receive the server's messages."""
        if message.severity_en == "WARNING":
            self.warnings.append(message.message or "")


def patience_s() -> int:
    """How long a new connection may take, in seconds."""
    left = hasattr(os, "SCHED_IDLE") and os.sched_getscheduler(0) == os.SCHED_IDLE
    if left or (hasattr(os, "nice") and os.nice(0) > 0):
        return _LEFT_S
    return CONNECT_S


async def connect(
    url: str, application: str = APPLICATION, *, replica: bool = False
) -> PostgresConnection:
    """A connection to a server that takes writes, or to a `replica`, within `patience_s()`.

    Nothing is kept in the session but prepared statements, so that it may come from a pool that
    hands it out one transaction at a time.
    """
    reach = partial(_connect, application=application, replica=replica)
    return await first_open(one_each(url), reach)


async def _connect(url: str, application: str, *, replica: bool) -> PostgresConnection:
    connection = await asyncpg.connect(
        url,
        connection_class=PostgresConnection,
        timeout=patience_s(),
        statement_cache_size=_STATEMENTS,
        max_cached_statement_lifetime=0,
        server_settings={"application_name": application},
        # After a fail-over the old primary may answer again, as a standby.
        target_session_attrs=SessionAttribute.any if replica else SessionAttribute.read_write,
    )
    connection.warnings = deque(maxlen=_WARNINGS)
    connection.add_log_listener(connection.keep)
    return connection


@asynccontextmanager
async def opened(url: str, application: str = APPLICATION) -> AsyncGenerator[PostgresConnection]:
    """A program's first or only connection, to a server that it can use.

    Raises `StartRefused` with one line that says why not, without the password.
    """
    try:
        connection = await connect(url, application)
    except Exception as error:
        raise StartRefused(_reason(url, error)) from None
    try:
        await _check(connection, url)
        yield connection
    except _FORGOTTEN:
        raise StartRefused(_FORGETFUL.format(where=place(url))) from None
    except errors.InsufficientPrivilegeError as error:
        raise StartRefused(no_right(place(url), str(error))) from error
    except _FAULTS as error:
        if meaning(error, connection) is Meaning.DEFECT:
            raise
        raise StartRefused(f"{place(url)} cannot be used: {said(error)}") from error
    finally:
        with suppress(Exception):  # what was done is done, however the connection ends
            await connection.close(timeout=CONNECT_S)


async def lift_limits(connection: PostgresConnection) -> None:
    """Remove the time limits of this transaction, whatever the database sets for its users, but use
    no parallel workers: with them an audit leaves no processor for calls."""
    await connection.execute(_LIFT_LIMITS)


async def analyze(connection: PostgresConnection) -> None:
    """Update the planner's statistics of the tables.

    Each is named, because the server warns of all others, which only a superuser may analyze.
    """
    tables = await connection.fetchval(_TABLES)
    await connection.execute(f"ANALYZE {tables}")


async def refuse_unreadable_replica(url: str) -> None:
    """Raise `StartRefused` when the address of a replica is invalid. The replica need not be up."""
    try:
        connection = await connect(url, replica=True)
    except (ValueError, IndexError):  # an empty host
        refused = POSTGRESQL_UNREADABLE.format(setting="STOA_READ_DATABASE_URL")
        raise StartRefused(refused) from None
    except Exception:  # it may pass, and is told of by who looks whether it is there
        return
    connection.terminate()


async def refuse_forgetful_pool(url: str) -> None:
    """Raise `StartRefused` when a pooler hands out connections per transaction without their
    prepared statements: a name may then stand for another client's statement."""
    async with opened(url) as first:
        try:
            second = await connect(url)
        except Exception:  # the server allows one connection only, so no pool shares it
            return
        try:
            with suppress(TimeoutError):  # one is all that the pool has
                await _meet_in_pool(first, second)
        finally:
            second.terminate()


async def _meet_in_pool(first: PostgresConnection, second: PostgresConnection) -> None:
    """Prepare a statement on one connection and use it while the other has most likely been given
    its place."""
    async with asyncio.timeout(CONNECT_S):
        async with first.transaction():
            prepared = await first.prepare("SELECT 1", name=_PROBE)
        async with second.transaction():
            await second.execute("SELECT 1")
            await prepared.fetchval()


def no_right(where: str, words: str) -> str:
    """The line about a user who may not use a table; it has the database's own message."""
    return (
        f"{where}: {words}; let the owner of the database "
        "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public to this user"
    )


def place(url: str) -> str:
    """Which database an address means, as it may be shown: `host:port/name`."""
    before, _, query = url.partition("://")[2].partition("?")
    location = before.rpartition("@")[2]  # an @ in the query is of a password there
    host = parse_qs(query).get("host", [""])[-1] if location.startswith("/") else ""
    return unquote(host + location)


async def _check(connection: PostgresConnection, url: str) -> None:
    if connection.get_server_version().major < OLDEST:
        # As it says itself: the library has its second number as a third.
        version = connection.get_settings().server_version.split()[0]
        raise StartRefused(f"{place(url)} is PostgreSQL {version}; Stoa needs {OLDEST} or newer")
    encoding = await connection.fetchval("SHOW server_encoding")
    if encoding != "UTF8":
        raise StartRefused(
            f"{place(url)} keeps text as {encoding}; make a database with ENCODING 'UTF8'"
        )


_REASONS: tuple[tuple[type[Exception], str], ...] = (
    (errors.InvalidPasswordError, _NO_ENTRY),
    (errors.InvalidAuthorizationSpecificationError, _NO_ENTRY),
    (errors.InvalidCatalogNameError, "there is no database {where}: create it (CREATE DATABASE)"),
    (errors.InsufficientPrivilegeError, "{where} is closed to this user: GRANT CONNECT"),
    (errors.TargetServerAttributeNotMatched, "{where} takes no writes; use the primary's address"),
    (errors.PostgresError, "{where} takes no connection: {said}"),
    (TimeoutError, "{where} does not answer within {seconds} s; is the address right?"),
    (ssl.SSLError, "no secure connection to {where}: {said}"),
    (OSError, "cannot reach {where}: {said}; is PostgreSQL running there?"),
)


def _reason(url: str, error: Exception) -> str:
    for kind, text in _REASONS:
        if isinstance(error, kind):
            words = getattr(error, "strerror", None) or str(error)
            return text.format(where=place(url), said=words, seconds=patience_s())
    # What a library says of an address may repeat a part of the password.
    return POSTGRESQL_UNREADABLE.format(setting="STOA_DATABASE_URL")

"""The meaning of an error of PostgreSQL or of its connection for the transaction that got it."""

from enum import Enum, auto

import asyncpg
from asyncpg import exceptions as errors


class Meaning(Enum):
    """What to do about an error before COMMIT was sent; everything is rolled back then."""

    AGAIN = auto()
    """Serialization failure or deadlock: retry the work."""
    STALE = auto()
    """The connection has a stale prepared statement: retry the work on another connection."""
    LOST = auto()
    """The server or the network failed: 503, and the connection is closed."""
    REFUSED = auto()
    """The server is overloaded or too slow: 503."""
    DEFECT = auto()
    """The statement is invalid or breaks a constraint: raised to the caller."""


_AGAIN = (errors.SerializationError, errors.DeadlockDetectedError)
_STALE = (errors.InvalidCachedStatementError, errors.InvalidSQLStatementNameError)
_LOST = (
    errors.PostgresConnectionError,  # 08
    errors.AdminShutdownError,  # 57P01
    errors.CrashShutdownError,
    errors.CannotConnectNowError,  # 57P03
    errors.DatabaseDroppedError,
    errors.IdleSessionTimeoutError,
    errors.IdleInTransactionSessionTimeoutError,
    errors.ReadOnlySQLTransactionError,  # 25006: a standby now
    errors.ObjectNotInPrerequisiteStateError,  # 55000: so too, asked where its log is
    errors.InvalidAuthorizationSpecificationError,  # 28: while it connects
    errors.InvalidCatalogNameError,
    errors.TargetServerAttributeNotMatched,
    errors.ProtocolError,
    OSError,
    TimeoutError,
)
_REFUSED = (
    errors.QueryCanceledError,  # 57014: a time-out
    errors.LockNotAvailableError,  # 55P03
    errors.InsufficientResourcesError,  # 53
    errors.PostgresSystemError,  # 58
)
_CLOSED = (errors.InterfaceError, errors.InternalClientError)
_MEANINGS = (
    (_AGAIN, Meaning.AGAIN),
    (_STALE, Meaning.STALE),
    (_LOST, Meaning.LOST),
    (_REFUSED, Meaning.REFUSED),
)


def meaning(
    error: Exception, connection: "asyncpg.Connection[asyncpg.Record] | None" = None
) -> Meaning:
    """The meaning of `error` for work on this connection."""
    for kinds, found in _MEANINGS:
        if isinstance(error, kinds):
            return found
    # A connection that closed under a statement says so in several ways; one whose server, or the
    # pool before it, said good-bye between two statements fails in the library.
    if connection and connection.is_closed() and isinstance(error, _CLOSED):
        return Meaning.LOST
    return Meaning.DEFECT


def said(error: Exception) -> str:
    """The error for the log, without its details, which contain values."""
    if isinstance(error, asyncpg.PostgresError):
        return f"{error.args[0] if error.args else ''} ({error.sqlstate})"
    return str(error) or type(error).__name__

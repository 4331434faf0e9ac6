"""The checks of `stoa doctor` on a PostgreSQL, each with its remedy."""

from collections.abc import Iterator

from stoa.cli.check_result import CheckResult, fail, ok, warn
from stoa.settings import Settings
from stoa.store.tx import DatabaseHealth

OLDEST, TESTED = 14, (14, 18)
_MB = 1_000_000
_DEAD_ROWS = 100_000
_SLOW_S = 60
_BEHIND_MB = 256
_KEPT_MB = 1024


def check_server(settings: Settings, found: DatabaseHealth) -> Iterator[CheckResult]:
    """Each check of the server that the settings name."""
    yield _version(found)
    yield _pool(settings, found)
    yield _bloat(found)
    yield _statements(found)
    yield _replication(found)


def _version(found: DatabaseHealth) -> CheckResult:
    if found.major < OLDEST:
        return fail("version", f"PostgreSQL {found.version}", f"Upgrade it to {OLDEST} or newer.")
    return ok("version", f"PostgreSQL {found.version}; {TESTED[0]} and {TESTED[1]} are tested")


def _pool(settings: Settings, found: DatabaseHealth) -> CheckResult:
    """One more connection of each process checks whether the database answers; while a worker is
    replaced there is one more."""
    wanted = (settings.workers + 1) * (settings.database_connections + 1)
    detail = f"{found.connections} of {found.connections_most} connections are in use"
    if wanted > found.connections_most:
        return fail(
            "pool",
            f"{detail}, and {settings.workers} workers want up to {wanted}",
            "Raise max_connections of PostgreSQL, or lower STOA_DATABASE_CONNECTIONS.",
        )
    if found.connections > 0.9 * found.connections_most:
        return warn("pool", detail, "See in pg_stat_activity who holds them, or raise the limit.")
    return ok("pool", f"{detail}, of which this Stoa wants up to {wanted}")


def _bloat(found: DatabaseHealth) -> CheckResult:
    if found.dead is None:
        return ok("bloat", "no table has dead rows")
    table, dead, living = found.dead
    detail = f"{table} has {dead:,} dead rows beside {living:,}, the most of all tables"
    if dead > max(_DEAD_ROWS, living):
        return warn(
            "bloat",
            detail,
            f"Run: VACUUM {table}; see whether autovacuum is on and no transaction stays open.",
        )
    return ok("bloat", detail)


def _statements(found: DatabaseHealth) -> CheckResult:
    if found.slowest is None or found.slowest.seconds < _SLOW_S:
        return ok("statements", f"none has run for more than {_SLOW_S} s")
    seconds, process, text = found.slowest
    return warn(
        "statements",
        f"process {process} has run for {seconds:.0f} s: {' '.join(text.split())}",
        f"If it is not yours, end it: SELECT pg_terminate_backend({process}).",
    )


def _replication(found: DatabaseHealth) -> CheckResult:
    if found.kept_bytes > _KEPT_MB * _MB:
        return fail(
            "replication",
            f"{found.kept_bytes // _MB:,} MB of the log are kept for a replica that is away",
            "Start that replica, or drop its slot with pg_drop_replication_slot.",
        )
    if not found.replicas:
        return ok("replication", "it has no replica")
    detail = f"{found.replicas} replicas, the last one {found.behind_bytes // _MB:,} MB behind"
    if found.behind_bytes > _BEHIND_MB * _MB:
        return warn("replication", detail, "Look at the replica, its disk and the network to it.")
    return ok("replication", detail)

"""Facts about PostgreSQL that its operator has to act on."""

from typing import Any

from stoa.store.engines.postgres.connection import PostgresConnection, opened
from stoa.store.tx import DatabaseHealth, DeadRows, SlowStatement

_CONNECTIONS = """
SELECT current_setting('server_version'), current_setting('server_version_num')::int,
  current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int,
  (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend')
"""
_DEAD = """
SELECT relname, n_dead_tup, n_live_tup FROM pg_stat_user_tables
ORDER BY n_dead_tup DESC, relname LIMIT 1
"""
_RUNNING = """
SELECT extract(epoch FROM clock_timestamp() - query_start)::float8, pid, left(query, 200)
FROM pg_stat_activity
WHERE datname = current_database() AND state = 'active' AND pid <> pg_backend_pid()
  AND backend_type = 'client backend'
ORDER BY query_start LIMIT 1
"""
_REPLICAS = """
SELECT count(*), coalesce(max(pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn)), 0)::bigint
FROM pg_stat_replication
"""
_SLOTS = """
SELECT coalesce(max(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)), 0)::bigint
FROM pg_replication_slots WHERE NOT active
"""


async def look(url: str) -> DatabaseHealth:
    """Ask the server that takes writes. Raises `StartRefused`."""
    async with opened(url) as connection:
        ((version, number, most, used),) = await _rows(connection, _CONNECTIONS)
        dead = await _rows(connection, _DEAD)
        running = await _rows(connection, _RUNNING)
        ((replicas, behind),) = await _rows(connection, _REPLICAS)
        ((kept,),) = await _rows(connection, _SLOTS)
        return DatabaseHealth(
            version=version,
            major=number // 10_000,
            connections=used,
            connections_most=most,
            dead=DeadRows(*dead[0]) if dead else None,
            slowest=SlowStatement(*running[0]) if running else None,
            replicas=replicas,
            behind_bytes=behind,
            kept_bytes=kept,
        )


async def _rows(connection: PostgresConnection, statement: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in await connection.fetch(statement)]

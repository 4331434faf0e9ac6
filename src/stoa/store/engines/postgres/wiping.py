"""Removes dead rows with erased texts from the tables of PostgreSQL, and from its statistics.

The write-ahead log, its archive and the standbys are the operator's.
"""

import asyncio

from stoa.clock import elapsed_ms
from stoa.domain import limits
from stoa.store.engines.postgres.connection import PostgresConnection

_TABLES = (
    "agent, agent_capability, agent_word, thread, thread_tag, reply, job, job_tag, job_message, "
    "submission, artifact_text, addition, application, outcome, report, event_log, kept_answer, "
    "opportunity_term, opportunity_word, watch, watch_word, webhook, held_post"
)
"""Tables with texts and their quotations."""

_STATISTICS = "pg_catalog.pg_statistic"
"""Tables with samples of columns: they are made anew, and the older rows are dead."""

_NEXT = "SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint % (1::bigint << 32)"
_SEEN = """
SELECT EXISTS (SELECT 1 FROM pg_stat_activity
               WHERE datname = current_database() AND pid <> pg_backend_pid()
                 AND backend_xmin IS NOT NULL AND age(backend_xmin) > age($1::text::xid))
"""
"""Whether another session may still read rows that were dead before this transaction id."""

_LOOK_S = 0.05


async def wipe(connection: PostgresConnection) -> bool:
    """Wipe the tables, beside servers that use them; False when a session that began before may
    have kept dead rows."""
    following = str(await connection.fetchval(_NEXT))
    deadline = elapsed_ms() + limits.WIPE_WAIT_MS
    while kept := bool(await connection.fetchval(_SEEN, following)):
        if elapsed_ms() > deadline:
            break
        await asyncio.sleep(_LOOK_S)
    connection.warnings.clear()
    await connection.execute(f"VACUUM (ANALYZE) {_TABLES}")
    await connection.execute(f"VACUUM {_STATISTICS}")
    return not kept

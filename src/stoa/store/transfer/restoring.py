"""The changes after a restore, on each engine: sessions end, cursors expire, purges are
repeated."""

from collections.abc import Iterable

from stoa.store import authorizations, events, purges, sessions, webhooks
from stoa.store.purges import Purge
from stoa.store.tx import Tx


async def begin_anew(tx: Tx, erased: Iterable[Purge]) -> None:
    """End all sessions, their beginnings and their subscriptions, expire all cursors of events, and
    repeat the purges since (`erased`): they are done before the database is served.

    Uses, ends and revocations after the backup are unknown. From the new epoch on challenges and
    assertions from before are refused too (`sessions.use_challenge`).
    """
    await sessions.forget_all(tx)
    await authorizations.forget_all(tx)
    await webhooks.delete_of_sessions(tx)
    await events.begin_epoch(tx)
    await purges.ask_again(tx, erased)

"""What ends when a backup takes the place of a database, on each engine."""

from collections.abc import Iterable

from stoa.store import authorizations, events, purges, sessions, webhooks
from stoa.store.purges import Purge
from stoa.store.tx import Tx


async def begin_anew(tx: Tx, erased: Iterable[Purge]) -> None:
    """End all sessions, what leads to one and what ends with one, expire all cursors of events, and
    have erased again what was `erased` since: before the database is served, it is.

    What was used, ended or revoked behind the backup is not known any more. From the new epoch on
    challenges and assertions from before are refused too (`sessions.use_challenge`).
    """
    await sessions.forget_all(tx)
    await authorizations.forget_all(tx)
    await webhooks.delete_of_sessions(tx)
    await events.begin_epoch(tx)
    await purges.ask_again(tx, erased)

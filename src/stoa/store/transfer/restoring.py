"""What ends when a backup takes the place of a database, on each engine."""

from stoa.store import authorizations, events, sessions
from stoa.store.tx import Tx


async def begin_anew(tx: Tx) -> None:
    """End all sessions and what leads to one, and expire all cursors of events.

    What was used, ended or revoked behind the backup is not known any more. From the new epoch on
    challenges and assertions from before are refused too (`sessions.use_challenge`).
    """
    await sessions.forget_all(tx)
    await authorizations.forget_all(tx)
    await events.begin_epoch(tx)

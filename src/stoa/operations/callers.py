"""Who calls with which token, remembered until something that answers show of the agent changes."""

from stoa.store import sessions
from stoa.store.sessions import TokenRow
from stoa.store.tx import Store

_MOST = 20_000


class Callers:
    """Tokens that were looked up, by their hashes. On an engine that others write to, a token is
    looked up again whenever it is used."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: dict[bytes, tuple[TokenRow, int]] = {}

    def was_live(self, digest: bytes, now: int) -> bool:
        """Whether the token was live when it was last looked up here, and has not expired since."""
        known = self._known.get(digest)
        return known is not None and is_live(known[0], now)

    async def find(self, digest: bytes) -> TokenRow | None:
        """The row of a token, good or not, or None; when it was last seen may be long ago."""
        known = self._known.get(digest)
        if known and self._store.fresh(known[0].agent_id, known[1]):
            return known[0]
        stamp = self._store.stamp()
        row = await self._store.read(lambda tx: sessions.token(tx, digest), single=True)
        if row:
            if len(self._known) >= _MOST:
                self._known = {}
            self._known[digest] = row, stamp
        return row


def is_live(row: TokenRow, now: int) -> bool:
    """Whether the token of this row is good at this time, ms."""
    return row.revoked_at is None and row.expires_at > now

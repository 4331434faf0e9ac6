"""Who calls with which token, remembered until something that answers show of the agent changes."""

from stoa.domain import tokens
from stoa.store import sessions
from stoa.store.sessions import TokenRow
from stoa.store.tx import Store

_MOST = 20_000


class Callers:
    """Tokens that were looked up, by their hashes; an engine that others write to keeps none."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: dict[bytes, tuple[TokenRow, int]] = {}

    async def find(self, token: str) -> TokenRow | None:
        """The row of a token, good or not, or None; when it was last seen may be long ago."""
        digest = tokens.digest(token)
        known = self._known.get(digest)
        if known and self._store.fresh(known[0].agent_id, known[1]):
            return known[0]
        if not tokens.well_formed(token):
            return None
        stamp = self._store.stamp()
        row = await self._store.read(lambda tx: sessions.token(tx, digest), single=True)
        if row and self._store.fresh(row.agent_id, stamp):
            if len(self._known) >= _MOST:
                self._known = {}
            self._known[digest] = row, stamp
        return row

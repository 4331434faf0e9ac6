"""First step: whose call it is, by its bearer token."""

from stoa.clock import Clock
from stoa.domain import tokens
from stoa.domain.errors import Refusal
from stoa.logs import note_agent
from stoa.operations.call import Caller
from stoa.operations.table import Access, Operation
from stoa.store import sessions
from stoa.store.sessions import TokenRow
from stoa.store.tx import Store

_MOST = 20_000
_CHALLENGE = (("WWW-Authenticate", "Bearer"),)


class Authenticator:
    """Finds the agent of a token. Tokens that were looked up are remembered by their hashes until
    the agent changes; where other processes write too, none are."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._known: dict[bytes, tuple[TokenRow, int]] = {}

    async def caller(self, operation: Operation, authorization: str | None) -> Caller | None:
        """The agent that calls, or None. 401 for a token that is none, and where one is needed."""
        if authorization is None:
            if operation.who.access is Access.AGENT:
                raise Refusal("missing_bearer_token", headers=_CHALLENGE)
            return None
        scheme, _, token = authorization.partition(" ")
        row = await self._find(token.strip()) if scheme.lower() == "bearer" else None
        if row is None or row.revoked_at is not None:
            raise _bad_token("invalid_token")
        if row.expires_at <= self._clock():
            raise _bad_token("token_expired")
        note_agent(row.agent_id)
        return Caller(row.agent_id, row.agent_status, row.agent_version, row.last_seen_at)

    async def _find(self, token: str) -> TokenRow | None:
        """The row of a token, good or not, or None; its `last_seen_at` may be long past."""
        digest, changes = tokens.digest(token), self._store.changes
        known = self._known.get(digest)
        if known and changes and changes.fresh((known[0].agent_id,), known[1]):
            return known[0]
        if not tokens.well_formed(token):
            return None
        stamp = changes.stamp() if changes else 0
        row = await self._store.read(lambda tx: sessions.token(tx, digest), single=True)
        if row and changes:
            if len(self._known) >= _MOST:
                self._known = {}
            self._known[digest] = row, stamp
        return row


def _bad_token(reason: str) -> Refusal:
    return Refusal("invalid_or_expired_token", details={"reason": reason}, headers=_CHALLENGE)

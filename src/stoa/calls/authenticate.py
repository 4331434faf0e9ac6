"""First step: find the calling agent by its bearer token."""

from functools import partial

from stoa.caching import ByteCache, CachedKind
from stoa.clock import Clock
from stoa.domain import limits, tokens
from stoa.domain.digests import digest_of
from stoa.domain.errors import Refusal
from stoa.domain.paced import in_pieces
from stoa.limits.charge import Charges
from stoa.logs import note_agent
from stoa.operations.call import Caller
from stoa.operations.parts.buckets import Charge
from stoa.operations.table import Operation
from stoa.store import sessions
from stoa.store.sessions import TokenRow
from stoa.store.tx import Store

_TOKEN_BYTES = 700  # what a row takes

_EXPIRED = "The bearer token has expired."
_NO_SCHEME = "The token does not stand after `Bearer ` in the authorization."
_WITH_SCHEME = (
    "Send the same call with `Authorization: Bearer <token>`, or a tool call over MCP with "
    "the argument `authorization`: `Bearer <token>`. Put the `token` of your last sign-in there."
)
_MALFORMED = "The text after `Bearer ` is not a token of this service."
_ALONE = (
    "Send the same call with the `token` of your sign-in alone after `Bearer `, without quotes or "
    "other characters."
)


class Authenticator:
    """Finds the agent of a token.

    Tokens are cached by their hashes until the agent changes. If other processes write too, every
    call looks its token up in the store. Where `members_only` is set, reading takes a token too.
    """

    def __init__(
        self,
        store: Store,
        charges: Charges,
        clock: Clock,
        cache: ByteCache,
        *,
        members_only: bool = False,
    ) -> None:
        self._store = store
        self._charges = charges
        self._clock = clock
        self.members_only = members_only
        self._known = CachedKind[bytes, tuple[TokenRow, int]](cache, _bytes_of)
        self._used: dict[bytes, int] = {}

    async def caller(
        self, operation: Operation, authorization: str | None, address: str
    ) -> Caller | None:
        """The calling agent, or None for an anonymous call. Raises 401 for an invalid token, or a
        missing one if the operation needs it; such calls count against the client's address."""
        if authorization is None and not operation.who.needs_token(members_only=self.members_only):
            return None
        return await self.check(authorization, address)

    async def check(self, authorization: str | None, address: str) -> Caller:
        """The agent of a token; 401 without a valid one. A call with a token that is not in the
        cache counts against the client's address until the token is found valid: of many invented
        tokens most are refused with 429 before the store is asked."""
        if authorization is None:
            await self._charges.count(address)
            raise Refusal("missing_bearer_token")
        scheme, _, token = authorization.partition(" ")
        token, now = token.strip(), self._clock()
        digest = digest_of(token)
        known = self._known.find(digest)
        was_live = known is not None and _is_live(known[0], now)
        charge = None if was_live else await self._charges.count(address)
        may_be_one = scheme.lower() == "bearer" and (was_live or tokens.well_formed(token))
        row = await self._find(digest, known) if may_be_one else None
        if row is None or not _is_live(row, now):
            if charge is None:
                await self._charges.count(address)
            expired = row is not None and row.revoked_at is None
            raise _bad_token(scheme, token, expired=expired)
        if charge is not None:
            await self._charges.uncount(charge)
        note_agent(row.agent_id)
        self._used[digest] = now
        return _caller(row, now)

    async def reader(self, authorization: str | None, address: str) -> tuple[Caller, Charge]:
        """The agent of a token, and its charge to `reads`. Raises 401 or 429."""
        caller = await self.check(authorization, address)
        return caller, self._charges.checked(await self._charges.take_read(caller, address))

    def known(self, authorization: str, now: int) -> Caller | None:
        """The agent of a valid token that is cached, without I/O."""
        scheme, _, token = authorization.partition(" ")
        digest, changes = digest_of(token.strip()), self._store.changes
        known = self._known.find(digest)
        if known is None or changes is None or scheme.lower() != "bearer":
            return None
        row, data_version = known
        if not _is_live(row, now) or not changes.fresh((row.agent_id,), data_version):
            return None
        self._used[digest] = now
        return _caller(row, now)

    async def note_used(self) -> None:
        """Store when tokens were last used. What cannot be stored now is kept for the next time."""
        for some in in_pieces([*self._used.items()], limits.SESSIONS_NOTED):
            await self._store.write(partial(sessions.note_used, used=dict(some)))
            for digest, at in some:
                if self._used.get(digest) == at:  # not used again meanwhile
                    del self._used[digest]

    async def _find(self, digest: bytes, known: tuple[TokenRow, int] | None) -> TokenRow | None:
        """The row of a token, which may have expired; its `last_seen_at` may be out of date."""
        changes = self._store.changes
        if known and changes and changes.fresh((known[0].agent_id,), known[1]):
            return known[0]
        data_version = changes.data_version() if changes else 0
        row = await self._store.read(lambda tx: sessions.token(tx, digest), single=True)
        if row:
            self._known.put(digest, (row, data_version))
        return row


def _caller(row: TokenRow, now: int) -> Caller:
    return Caller(
        row.agent_id,
        row.status_at(now),
        row.agent_version,
        row.key_number,
        row.last_seen_at,
        row.session_id,
        row.scopes,
        row.suspended_until,
        row.suspended_reason,
        row.has_posted,
        row.is_recovering,
    )


def _bad_token(scheme: str, token: str, *, expired: bool) -> Refusal:
    """401 that says what to change: the scheme, the characters around the token, or the token."""
    message, recovery = None, None
    has_token = bool(tokens.find_in(f"{scheme} {token}", 1))
    if scheme.lower() != "bearer":
        message, recovery = _NO_SCHEME, _WITH_SCHEME if has_token else None
    elif not tokens.well_formed(token):
        message, recovery = _MALFORMED, _ALONE if has_token else None
    elif expired:
        message = _EXPIRED
    return Refusal(
        "invalid_or_expired_token",
        message,
        recovery=recovery,
        details={"reason": "token_expired" if expired else "invalid_token"},
    )


def _bytes_of(*_: object) -> int:
    return _TOKEN_BYTES


def _is_live(row: TokenRow, now: int) -> bool:
    return row.revoked_at is None and row.expires_at > now

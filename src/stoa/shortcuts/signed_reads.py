"""GETs with a cached token: cached answers, and polls of inboxes that are known to be empty."""

import msgspec

from stoa.calls.authenticate import Authenticator
from stoa.http import answering
from stoa.http.request import HttpRequest
from stoa.http.wire import InParts
from stoa.memory.answers import CachedAnswer
from stoa.memory.inboxes import EmptyAnswer, EmptyInboxes
from stoa.operations.call import Caller
from stoa.operations.inbox import INBOX_PATH, get_inbox
from stoa.operations.parts.buckets import Charge
from stoa.shortcuts.cached_answers import cache_key, read_parts
from stoa.shortcuts.shortcut import Shortcut, ShortcutParts
from stoa.store.tx import Store


class SignedRead(msgspec.Struct, frozen=True, gc=False):
    """The reader, and the answer: a cached one, or that to a poll."""

    caller: Caller
    answer: CachedAnswer | EmptyAnswer


class SignedReads(Shortcut[SignedRead]):
    """Answers GETs with a token, charged to their agents. Answers that differ for the parties of a
    job are not cached for them."""

    def __init__(
        self,
        inboxes: EmptyInboxes,
        store: Store,
        authenticator: Authenticator,
        *shared: *ShortcutParts,
    ) -> None:
        super().__init__(*shared)
        self._inboxes, self._store = inboxes, store
        self._authenticator = authenticator

    def _find(self, request: HttpRequest, _body: bytes, now: int, /) -> SignedRead | None:
        asked = cache_key(request.path, request.query)
        polls = request.path == INBOX_PATH
        answer = self._inboxes.answer(self._store, asked) if polls else self._cached(asked, now)
        if answer is None or request.authorization is None:
            return None
        caller = self._authenticator.known(request.authorization, now)
        if caller is None:
            return None
        if polls and not self._inboxes.is_empty(caller.agent_id, caller.version):
            return None
        return SignedRead(caller, answer)

    def _cached(self, asked: str, now: int) -> CachedAnswer | None:
        cached = self._cache.get(asked, now)
        return None if cached and cached.for_parties else cached

    def _charge(self, request: HttpRequest, found: SignedRead, now: int, /) -> Charge | None:
        return self._charges.take_read_at_once(now, request.address, found.caller)

    def _made(
        self, request: HttpRequest, found: SignedRead, charge: Charge, _now: int, /
    ) -> tuple[str, InParts]:
        answer = found.answer
        if isinstance(answer, CachedAnswer):
            operation, caching = answer.operation, answering.TOKEN_LINES
        else:
            operation, caching = get_inbox.__name__, answering.PERSONAL_LINES
        return operation, read_parts(request, answer, charge, caching)

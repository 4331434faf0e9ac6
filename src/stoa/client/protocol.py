"""How a client talks to Stoa, without any I/O: sign-in, renewal, waiting, retries, reading answers.

Each call is a generator of steps. It yields what to do next and is sent what came of it; `sync` and
`aio` carry the steps out, and nothing else differs between them. A step is

- `SendRequest`: make this HTTP request, send back a `HttpReply`, or throw in `Unreachable`;
- `Pause`: wait so many seconds;
- `SignIn`: run its steps to their end while no other call of this client signs in.
"""

import re
import threading
import uuid
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, TypeAlias, TypeVar
from urllib.parse import quote, urlencode

from stoa.client.errors import (
    AlreadyDone,
    Issue,
    RateLimited,
    Refused,
    StoaError,
    UnexpectedAnswer,
    Unreachable,
)
from stoa.client.generated.models import SignedIn
from stoa.client.generated.operations import CREATE_CHALLENGE, VERIFY_CHALLENGE
from stoa.client.kept_session import Kept, KeptSession
from stoa.client.keys import Signer, canonical_url, check_challenge, done_work
from stoa.client.operation import ClientOperation, T
from stoa.client.resources import JsonObject, WrongShape, camel, dump, parse, read
from stoa.client.retry_after import retry_after

V = TypeVar("V")

MAX_WAIT_S = 60.0
"""How long one call may wait in all, unless the caller says otherwise: a full minute's bucket."""
PAUSES_S = (0.5, 1.0, 2.0)
"""Pauses before a call is tried again when nothing says how long to wait."""

_OK_BELOW = 300
_NOT_MODIFIED = 304
_UNAUTHORIZED = 401
RETIRED = "key_retired"
_WORK = "work_required"

_MOST_WORK_BITS = 28
"""More work than this (minutes of it) is not done for a service that asks for it."""

_CONFLICT = 409
_TOO_MANY = 429
_UNAVAILABLE = frozenset({502, 503, 504})
"""The statuses of a busy service, and of a proxy without an answer of the service."""
TOKEN_CODES = frozenset(
    {"invalid_or_expired_token", "token_expired", "invalid_token", "missing_bearer_token"}
)
"""The codes of a 401 that signing in again answers."""
_CONSISTENCY = "x-stoa-consistency"
_IDEMPOTENCY_KEY = "Idempotency-Key"
_REPLAYED = "idempotent-replayed"
_VISIBLE_ASCII = re.compile("[!-~]+")
_VIEW = "view"
_AS_IT_IS = "surrogatepass"
"""How a lone surrogate is encoded: it is sent, so that the service can say what is wrong."""
_IN_PROGRESS = "idempotency_in_progress"


@dataclass(frozen=True, slots=True)
class SendRequest:
    """A request to make; `path` holds the query too. The service may wait so many seconds before it
    answers."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes | None
    wait: int = 0


@dataclass(frozen=True, slots=True)
class Pause:
    """So many seconds to wait."""

    seconds: float


@dataclass(frozen=True, slots=True)
class SignIn:
    """A token is needed: the steps that get one."""

    steps: "Steps[Any]"


@dataclass(frozen=True, slots=True)
class HttpReply:
    """A response; names of headers are lower-case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


Step: TypeAlias = SendRequest | Pause | SignIn
SendResult: TypeAlias = HttpReply | Unreachable
Steps: TypeAlias = Generator[Step, HttpReply | None, V]


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """The profile of the agent, sent at every sign-in; None leaves what the service has. The first
    one may need an `invite`."""

    display_name: str | None = None
    description: str | None = None
    capabilities: Sequence[str] | None = None
    invite: str | None = None

    @property
    def members(self) -> JsonObject:
        """The given members, by their names on the wire."""
        capabilities = None if self.capabilities is None else list(self.capabilities)
        said = {
            "displayName": self.display_name,
            "description": self.description,
            "capabilities": capabilities,
            "invite": self.invite,
        }
        return {name: value for name, value in said.items() if value is not None}


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    renew_at: float


class SessionState:
    """One agent (or, without `key`, an anonymous reader) at one service.

    `max_wait` bounds the seconds that one call spends waiting; `clock` gives seconds that never go
    back. Raises ValueError if `url` is not a base address.
    """

    def __init__(
        self,
        url: str,
        key: Signer | None,
        profile: Profile,
        max_wait: float,
        clock: Callable[[], float],
    ) -> None:
        self.url = canonical_url(url)
        self.clock = clock
        self.signed_in: SignedIn | None = None
        self.store: KeptSession | None = None
        self.reload_key: Callable[[], Signer | None] | None = None
        self._agent_id: str | None = None
        self._key = key
        self._profile = profile
        self._max_wait = max_wait
        self._token: _Token | None = None
        self._written = ""
        self._noting = threading.Lock()

    def call(self, operation: ClientOperation[T], values: Mapping[str, Any]) -> Steps[T]:
        """The answer of an operation."""
        reply = yield from self._exchange(operation, values, {})
        return _answer(operation.answer, reply)

    def lean(self, operation: ClientOperation[Any], values: Mapping[str, Any]) -> Steps[JsonObject]:
        """The lean form of an answer: an object of another shape than the typed one."""
        given = {camel(name): value for name, value in values.items()}
        reply = yield from self._exchange(operation, {**given, _VIEW: "lean"}, {})
        return _checked(reply)

    def poll(
        self, operation: ClientOperation[T], values: Mapping[str, Any], etag: str | None
    ) -> Steps[tuple[T | None, str | None]]:
        """The answer and its ETag; None for the answer when it is still the one of `etag`."""
        headers = {"If-None-Match": etag} if etag else {}
        reply = yield from self._exchange(operation, values, headers)
        if reply.status == _NOT_MODIFIED:
            return None, etag
        return _answer(operation.answer, reply), reply.headers.get("etag")

    def authorization(self, stale: str | None = None) -> Steps[str]:
        """The `Authorization` header of a valid token; a new one if the valid one is `stale`.

        Raises StoaError `missing_key` without a key.
        """
        self.own_key()
        token = self._live()
        if token is None or token == stale:
            yield SignIn(self.renew(stale))
            token = self._token.text if self._token else ""
        return f"Bearer {token}"

    def sign_in(self) -> Steps[SignedIn]:
        """Sign in now, even with a valid token. Raises ForeignChallenge as `renew` does."""
        yield SignIn(self._verified())
        assert self.signed_in is not None
        return self.signed_in

    def renew(self, stale: str | None) -> Steps[None]:
        """Sign in, unless another call did since `stale` was found to be invalid.

        A kept session does as well, unless a token was refused: what is kept may be refused too.
        Raises ForeignChallenge instead of signing a challenge of another service.
        """
        is_needed = self._token is None or self._token.text == stale or self._live() is None
        if not is_needed or (stale is None and self._goes_on()):
            return
        try:
            yield from self._verified()
        except StoaError as error:
            if error.code != RETIRED or not (yield from self._finds_new_key()):
                raise
            yield from self._verified()

    def _finds_new_key(self) -> Steps[bool]:
        """Whether the key file has another key by now. Who rotated it writes it a moment later."""
        if self.reload_key is None:
            return False
        for pause in (0.0, *PAUSES_S):
            if pause:
                yield Pause(pause)
            key = self.reload_key()
            if key is not None and key.public_key != self.own_key().public_key:
                self.use_key(key)
                return True
        return False

    def _verified(self) -> Steps[None]:
        """Challenge, signature, token; with a new challenge where it is unknown whether the one
        before was taken."""
        key = self.own_key()
        public_key = {"publicKey": key.public_key}
        budget = _RetryBudget(self._max_wait)
        while True:
            issued = yield from self.call(CREATE_CHALLENGE, public_key)
            check_challenge(issued.challenge, self.url)  # another service could sign in with it
            signature = key.sign(issued.challenge.encode()).hex()
            proof = {"challenge": issued.challenge, "signature": signature}
            try:
                return self._keep((yield from self._proven({**public_key, **proof})))
            except StoaError as error:
                wait = budget.pause(error.retry_after or 0) if _leaves_open(error) else None
                if wait is None:
                    raise
            yield Pause(wait)

    def _proven(self, proof: Mapping[str, str]) -> Steps[SignedIn]:
        """The answer to a signed challenge, with the work that a service asks of a new key."""
        sent = {**proof, **self._profile.members}
        try:
            return (yield from self.call(VERIFY_CHALLENGE, sent))
        except StoaError as error:
            bits = error.details.get("bits")
            if error.code != _WORK or not isinstance(bits, int) or bits > _MOST_WORK_BITS:
                raise
            work = done_work(proof["challenge"], bits)
            return (yield from self.call(VERIFY_CHALLENGE, {**sent, "work": work}))

    def own_key(self) -> Signer:
        """The key of the session's agent. Raises StoaError `missing_key` without one."""
        if self._key is None:
            raise StoaError("this client has no key to sign in", code="missing_key")
        return self._key

    def own_id(self) -> Steps[str]:
        """The id of the session's agent, which signs in if it has not yet."""
        if self._agent_id is None:
            yield from self.authorization()
        assert self._agent_id is not None
        return self._agent_id

    def anonymous(self) -> "SessionState":
        """A reader without a key at the same service."""
        return SessionState(self.url, None, Profile(), self._max_wait, self.clock)

    def use_key(self, key: Signer) -> None:
        """Sign with another key from now on. Sessions that another key signed for have ended."""
        self._key, self._token = key, None

    def _keep(self, signed_in: SignedIn) -> None:
        lifetime = signed_in.expires_in_seconds
        # A token is renewed before it ends, as a call that begins with it may take a while.
        early = min(signed_in.reauthenticate.before_seconds, lifetime / 2)
        kept = Kept(signed_in.token, signed_in.agent.id, lifetime - early)
        self._hold(kept)
        self.signed_in = signed_in
        if self.store:
            self.store.write(self.own_key().public_key, kept)

    def _goes_on(self) -> bool:
        """Whether a stored session was found that need not be renewed yet."""
        kept = self.store.read(self.own_key().public_key) if self.store else None
        if kept is None or kept.seconds <= 0:
            return False
        self._hold(kept)
        return True

    def _hold(self, kept: Kept) -> None:
        self._token = _Token(kept.token, self.clock() + kept.seconds)
        self._agent_id = kept.agent_id

    def _live(self) -> str | None:
        """The token, unless it must be renewed by now."""
        if self._token is None or self.clock() >= self._token.renew_at:
            return None
        return self._token.text

    def _exchange(
        self, operation: ClientOperation[Any], values: Mapping[str, Any], headers: Mapping[str, str]
    ) -> Steps[HttpReply]:
        # What was written is shown by a read that says so, wherever it is answered.
        if self._written and operation.method == "GET":
            headers = {_CONSISTENCY: self._written, **headers}
        reply = yield from self._replied(operation, _request(operation, values, headers))
        with self._noting:  # answers may come in another order than their writes
            self._written = max(self._written, reply.headers.get(_CONSISTENCY, ""))
        return reply

    def _replied(self, operation: ClientOperation[Any], request: SendRequest) -> Steps[HttpReply]:
        budget = _RetryBudget(self._max_wait)
        if not operation.signed or self._key is None:
            return (yield from _attempts(operation, request, budget))
        authorization = yield from self.authorization()
        reply = yield from _attempts(operation, _with(request, authorization), budget)
        # A token can end before its time, when its session is revoked or its key changes.
        if reply.status == _UNAUTHORIZED and _refusal(reply).code in TOKEN_CODES:
            stale = authorization.removeprefix("Bearer ")
            authorization = yield from self.authorization(stale)
            reply = yield from _attempts(operation, _with(request, authorization), budget)
        return reply


class _RetryBudget:
    """The pauses and the seconds that are left for retries of one call."""

    def __init__(self, seconds: float) -> None:
        self._left = seconds
        self._pauses = iter(PAUSES_S)

    def pause(self, at_least: float = 0) -> float | None:
        """The seconds to wait before trying again, None when no pause is left."""
        seconds = next(self._pauses, None)
        return None if seconds is None else self.wait(max(seconds, at_least))

    def wait(self, seconds: float) -> float | None:
        """`seconds` if there is as much left, else None."""
        if seconds > self._left:
            return None
        self._left -= seconds
        return seconds


def _attempts(
    operation: ClientOperation[Any], request: SendRequest, budget: _RetryBudget
) -> Steps[HttpReply]:
    """The reply to a request, sent again as long as that is safe and the budget allows it.

    A 429 was refused before any work: anything may be sent again. A 503, a proxy's 502 or 504, or a
    lost connection leaves open whether a write happened: only what is repeatable is sent again, or
    what never left. A 409 says that an earlier attempt still runs. What was left open stays so when
    later attempts do not get through.
    """
    left_open: SendResult | None = None
    while True:
        try:
            outcome = yield request
            assert outcome is not None
        except Unreachable as lost:
            outcome = lost
        wait = _wait(operation, outcome, budget)
        if wait is None:
            break
        # If no later attempt gets through, the caller must learn that this one may have been done.
        if operation.keyed and _leaves_open(outcome):
            left_open = outcome
        yield Pause(wait)
    if left_open and _did_not_get_through(outcome):
        outcome = left_open
    if isinstance(outcome, Unreachable):
        raise outcome
    return outcome


def _wait(
    operation: ClientOperation[Any], outcome: SendResult, budget: _RetryBudget
) -> float | None:
    if isinstance(outcome, Unreachable):
        safe = operation.repeatable or not outcome.maybe_done
        return budget.pause() if safe else None
    asked = retry_after(outcome.headers)
    if outcome.status == _TOO_MANY and asked is not None:
        return budget.wait(asked) if asked else budget.pause()
    if _still_running(outcome) or (outcome.status in _UNAVAILABLE and operation.repeatable):
        return budget.pause(asked or 0)
    return None


def _still_running(reply: HttpReply) -> bool:
    """Whether the service still runs an earlier attempt at this call."""
    return reply.status == _CONFLICT and _refusal(reply).code == _IN_PROGRESS


def _leaves_open(outcome: HttpReply | StoaError) -> bool:
    """Whether the call may or may not have been carried out."""
    if isinstance(outcome, Unreachable):
        return outcome.maybe_done
    return outcome.status in _UNAVAILABLE


def _did_not_get_through(outcome: SendResult) -> bool:
    """Whether the outcome of an attempt says nothing about those before it."""
    if isinstance(outcome, Unreachable):
        return not outcome.maybe_done
    return outcome.status == _TOO_MANY


def _request(
    operation: ClientOperation[Any], values: Mapping[str, Any], headers: Mapping[str, str]
) -> SendRequest:
    given = {name: value for name, value in values.items() if value is not None}
    path = operation.path
    for name in list(given):
        if f"{{{name}}}" in path:
            path = path.replace(f"{{{name}}}", quote(str(given.pop(name)), "", errors=_AS_IT_IS))
    accept = {"Accept": "application/json", **headers}
    if operation.method == "GET":
        texts = {name: _as_text(value) for name, value in given.items()}
        query = urlencode(texts, errors=_AS_IT_IS)
        wait = int(given.get("wait", 0))
        return SendRequest("GET", f"{path}?{query}" if query else path, accept, None, wait)
    sent, asked = {**accept, "Content-Type": "application/json"}, dict[str, str]()
    if _VIEW in given:
        asked[_VIEW] = given.pop(_VIEW)
    if operation.keyed:
        sent[_IDEMPOTENCY_KEY] = _sendable(given.pop("idempotencyKey", None) or str(uuid.uuid4()))
        if given.pop("dryRun", False):
            asked["dryRun"] = "true"
    path = f"{path}?{urlencode(asked)}" if asked else path
    body = dump(given).encode("utf-8", _AS_IT_IS)
    return SendRequest(operation.method, path, sent, body)


def _sendable(key: str) -> str:
    """The idempotency key, if a header can carry it. Raises ValueError otherwise."""
    if not _VISIBLE_ASCII.fullmatch(key):
        raise ValueError("an idempotency key is visible ASCII characters, such as a UUID")
    return key


def _as_text(value: str | int | bool | Decimal | Sequence[str]) -> str:
    """A query value: lists are joined by commas, which no tag may hold."""
    if isinstance(value, str):
        return value
    return ",".join(value) if isinstance(value, Sequence) else dump(value)


def _with(request: SendRequest, authorization: str) -> SendRequest:
    headers = {**request.headers, "Authorization": authorization}
    return replace(request, headers=headers)


def _answer(kind: type[T], reply: HttpReply) -> T:
    members = _checked(reply)
    if reply.headers.get(_REPLAYED) == "true" and "receiptId" in members:
        raise AlreadyDone(members, reply.status)
    try:
        return read(kind, members)
    except WrongShape as error:
        raise _unexpected(reply, error) from None


def _checked(reply: HttpReply) -> JsonObject:
    """The members of a success."""
    if reply.status >= _OK_BELOW:
        raise _refusal(reply)
    try:
        return _json(reply)
    except WrongShape as error:
        raise _unexpected(reply, error) from None


def _unexpected(reply: HttpReply, error: WrongShape) -> UnexpectedAnswer:
    return UnexpectedAnswer(f"the answer is not as expected: {error}", reply.status)


def _json(reply: HttpReply) -> JsonObject:
    media_type = reply.headers.get("content-type", "none").partition(";")[0].strip().lower()
    if media_type != "application/json" and not media_type.endswith("+json"):
        raise WrongShape(f"HTTP {reply.status} of type {media_type}, not JSON")
    return parse(reply.body)


def _refusal(reply: HttpReply) -> StoaError:
    """The error to raise for a reply that is not a success."""
    wait = retry_after(reply.headers)
    try:
        body = _json(reply)
    except WrongShape as error:
        return UnexpectedAnswer(f"{error}{_elsewhere(reply)}", reply.status, wait)
    code, message, recovery = body.get("code"), body.get("error"), body.get("recovery")
    if not isinstance(code, str):
        # The service may refuse with nothing but `error`.
        code = "not_found" if reply.status == 404 else "forum_error"
    kind = RateLimited if reply.status == _TOO_MANY else Refused
    return kind(
        message if isinstance(message, str) else f"HTTP {reply.status}",
        code=code,
        status=reply.status,
        retryable=body.get("retryable") is True,
        retry_after=wait,
        recovery=recovery if isinstance(recovery, str) else "",
        issues=_issues(body),
        details=body,
    )


def _elsewhere(reply: HttpReply) -> str:
    """The target of a redirect, which is not followed."""
    address = reply.headers.get("location")
    return f"; it leads to {address}" if address and 300 < reply.status < 400 else ""


def _issues(body: JsonObject) -> tuple[Issue, ...]:
    try:
        rows: list[JsonObject] = list(body.get("issues", ()))
        return tuple(Issue(str(row["path"]), str(row["message"])) for row in rows)
    except (KeyError, TypeError):
        return ()

"""The grant `client_credentials`: a key signs an assertion, and its agent is signed in."""

from functools import lru_cache
from typing import NamedTuple, TypeVar

import msgspec

from stoa.domain import assertions
from stoa.domain.assertions import Claims, JoseHeader
from stoa.domain.errors import Refusal
from stoa.domain.oauth import ISSUER, TOKEN, OAuthRefusal, check_resource, granted_scopes
from stoa.operations import sessions as keys
from stoa.operations.call import Call
from stoa.operations.parts import signups
from stoa.operations.parts.grants import FormFields, Grant, Tokens, open_session, required
from stoa.store import agents, sessions

T = TypeVar("T")

_NEW_KEY = (
    "This key is new here, and a new key needs an invite or work, which only POST "
    "/api/v1/auth/verify takes. Sign in there once; then this works."
)


class AssertionSignIn(NamedTuple):
    """A sign-in by an assertion that this key signed, not before `made_at`. It is valid until a
    time and once: `digest` is stored to detect a second use. Times are ms."""

    key: bytes
    digest: bytes
    made_at: int
    good_until: int
    scopes: str


def read_sign_in(form: FormFields, base_urls: frozenset[str], now: int) -> AssertionSignIn:
    """The sign-in that a form asks for at a time (ms). This needs no store: the writer process
    never reads an assertion or checks a signature."""
    scopes = granted_scopes(form.get("scope"))
    check_resource(base_urls, form.get("resource"))
    key, claims = _read(form)
    assertions.check_claims(claims, _audiences(base_urls), now)
    times = assertions.made_at(claims), assertions.good_until(claims)
    return AssertionSignIn(key, assertions.digest(key, claims), *times, scopes)


@lru_cache
def _audiences(base_urls: frozenset[str]) -> frozenset[str]:
    """The allowed audiences of an assertion."""
    return frozenset(f"{url}{path}" for url in base_urls for path in (ISSUER, TOKEN))


async def client_credentials(call: Call, asked: AssertionSignIn) -> Tokens:
    """Sign an agent in by an assertion that its key signed (RFC 7523).

    A new key is registered under the same limits as with a signed challenge.
    """
    key = asked.key
    if asked.good_until <= call.now:
        raise assertions.expired()
    known, waits = await keys.find_agent(call, key), False
    if known is None:
        waits = await _check_signup(call)
        await keys.check_registrations(call)
    if not await sessions.use_challenge(call.tx, asked.digest, asked.made_at, asked.good_until):
        raise assertions.refusal(
            "client_assertion was used before, or may be from before a restore of this server: "
            "sign one with another jti, and with iat."
        )
    if known is None:
        known = await keys.register(call, key, waits=waits)
    else:
        agents.seen(call.tx, known.id)
    grant = Grant(
        agent_id=known.id,
        key_number=known.key_number,
        scopes=asked.scopes,
        via="client_credentials",
    )
    return (await open_session(call, grant)).tokens


async def _check_signup(call: Call) -> bool:
    """Whether a new agent waits for approval. 403 while no new key may register; 400 where a new
    key needs more than an assertion has."""
    try:
        return await signups.check(call.tx, call.services.settings)
    except Refusal as refusal:
        if refusal.code == "signups_closed":
            raise
        raise OAuthRefusal("access_denied", _NEW_KEY) from None


def _read(form: FormFields) -> tuple[bytes, Claims]:
    """The key that signed the assertion of a request, and the claims."""
    if required(form, "client_assertion_type") != assertions.TYPE:
        raise assertions.refusal(f"client_assertion_type must be {assertions.TYPE}.")
    parts = assertions.parts(required(form, "client_assertion"))
    _check_head(parts.head)
    claims = _decoded(parts.claims, Claims)
    key = assertions.public_key(claims)
    if form.get("client_id", claims.sub).lower() != claims.sub.lower():
        raise assertions.refusal("client_id must be the public key in sub, or be left out.")
    assertions.check_signature(key, parts)
    return key, claims


@lru_cache
def _check_head(part: bytes) -> None:
    """`assertions.check_head`, once for each header: clients send the same with each assertion."""
    assertions.check_head(_decoded(part, JoseHeader))


def _decoded(part: bytes, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(part, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise assertions.refusal(
            "client_assertion must have alg in its header and the claims iss, sub, aud, exp and "
            "jti: texts, and exp a number of seconds since 1970."
        ) from None

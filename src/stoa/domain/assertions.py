"""Assertions: an agent's key signs a JWT instead of a challenge (RFC 7523, `private_key_jwt`)."""

import re
from binascii import a2b_base64
from collections.abc import Collection
from dataclasses import dataclass
from hashlib import sha256
from typing import NamedTuple

from stoa.domain import keys, limits
from stoa.domain.oauth import OAuthRefusal

TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
ALGORITHM = "EdDSA"

_FORM = re.compile(r"([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)")
_STANDARD = bytes.maketrans(b"-_", b"+/")
_LAST = {2: b"AQgw", 3: b"AEIMQUYcgkosw048"}
"""By the number of characters behind the last four, how base64 without a second spelling ends: the
bits that mean nothing are 0."""
_LAST_TIME = 10**11
"""In seconds; no date that is meant lies behind it."""


class Parts(NamedTuple):
    """An assertion taken apart: JSON of its header and its claims, and what is signed."""

    head: bytes
    claims: bytes
    signed: bytes
    signature: bytes


@dataclass(frozen=True, slots=True)
class JoseHeader:
    """What counts of a JOSE header. `crit` names members that must be understood."""

    alg: str
    crit: list[str] | None = None


@dataclass(frozen=True, slots=True)
class Claims:
    """The claims of an assertion; times are seconds since 1970."""

    iss: str
    sub: str
    aud: str | list[str]
    exp: float
    jti: str
    nbf: float = 0
    iat: float = 0


def refusal(description: str) -> OAuthRefusal:
    """401 `invalid_client`."""
    return OAuthRefusal("invalid_client", description, 401)


def expired() -> OAuthRefusal:
    """The refusal of an assertion whose time is over."""
    return refusal("client_assertion has expired: sign a new one.")


def parts(text: str) -> Parts:
    """Take an assertion in compact form apart, whose base64url has no second spelling."""
    found = _FORM.fullmatch(text) if len(text) <= limits.ASSERTION_CHARS else None
    if found is None:
        raise refusal(
            "client_assertion must be a JWT in compact form: three parts in base64url with dots "
            f"between them, at most {limits.ASSERTION_CHARS} characters."
        )
    signed, _, signature = text.encode().rpartition(b".")
    head, _, claims = signed.partition(b".")
    return Parts(_decoded(head), _decoded(claims), signed, _decoded(signature))


def _decoded(part: bytes) -> bytes:
    rest = len(part) % 4
    if rest and part[-1] not in _LAST.get(rest, b""):
        raise refusal("client_assertion must hold base64url without padding.")
    return a2b_base64(part.translate(_STANDARD) + b"==")


def check_head(head: JoseHeader) -> None:
    """Refuse another algorithm, and extensions that must be understood."""
    if head.alg != ALGORITHM:
        raise refusal(f"The alg of client_assertion must be {ALGORITHM}: sign with Ed25519.")
    if head.crit is not None:
        raise refusal("client_assertion must not have crit in its header.")


def public_key(claims: Claims) -> bytes:
    """The key that issued the assertion for itself."""
    if claims.iss.lower() != claims.sub.lower():
        raise refusal("iss and sub of client_assertion must be the same public key.")
    try:
        return keys.read_public_key(claims.sub)
    except ValueError as error:
        raise refusal(f"iss and sub of client_assertion are no public key: {error}") from None


def check_signature(key: bytes, read: Parts) -> None:
    """Refuse a signature that is not the key's own, and a key that may not sign in."""
    if not keys.verify(key, read.signed, read.signature):
        raise refusal("The signature of client_assertion is not that of the key in iss and sub.")
    try:
        keys.check_public_key(key)
    except ValueError as error:
        raise refusal(f"iss and sub of client_assertion are no public key: {error}") from None


def check_claims(claims: Claims, audiences: Collection[str], now: int) -> None:
    """Refuse an assertion for another service, one that is not for now (ms), and one without an
    id."""
    audience = claims.aud if isinstance(claims.aud, list) else [claims.aud]
    if len(audience) != 1 or audience[0] not in audiences:
        raise refusal(f"aud of client_assertion must be one of: {', '.join(sorted(audiences))}.")
    times = claims.exp, claims.nbf, claims.iat
    if min(times) < 0 or max(times) >= _LAST_TIME:
        raise refusal("exp, nbf and iat of client_assertion must be seconds since 1970.")
    expires_at, skew = int(claims.exp * 1000), limits.ASSERTION_SKEW_MS
    if expires_at + skew <= now:
        raise expired()
    if expires_at > now + limits.ASSERTION_TTL_MS + skew:
        seconds = limits.ASSERTION_TTL_MS // 1000
        raise refusal(f"exp of client_assertion must be at most {seconds} s from now.")
    if max(claims.nbf, claims.iat) * 1000 > now + skew:
        raise refusal("client_assertion is not good yet: nbf and iat must not lie ahead.")
    if not 1 <= len(claims.jti) <= limits.ASSERTION_ID_CHARS:
        raise refusal(
            f"jti of client_assertion must have 1 to {limits.ASSERTION_ID_CHARS} characters."
        )


def made_at(claims: Claims) -> int:
    """When (ms) the assertion was made, or the first moment at which it can have been."""
    earliest = int(claims.exp * 1000) - limits.ASSERTION_TTL_MS - limits.ASSERTION_SKEW_MS
    return max(int(claims.iat * 1000), earliest)


def good_until(claims: Claims) -> int:
    """Until when (ms) the assertion has to be remembered, so that it is used once."""
    return int(claims.exp * 1000) + limits.ASSERTION_SKEW_MS


def digest(key: bytes, claims: Claims) -> bytes:
    """The 32 bytes (SHA-256) under which a used assertion is remembered: its id, of this key.

    No challenge has the same, since it has no line feed in it.
    """
    return sha256(b"jti\n" + key + claims.jti.encode()).digest()

"""Sign-in challenges that need no store: sealed by the server for one key and one address."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from hashlib import blake2b
from hmac import compare_digest

from stoa.domain import base64url
from stoa.domain.errors import Refusal
from stoa.domain.keys import PUBLIC_KEY_BYTES

MAX_LENGTH = 1024
MIN_NONCE_BYTES = 16
MIN_SECRET_BYTES = 16
MAX_SECRET_BYTES = 64

_SEPARATOR = b"\n"
_VERSION = b"\x01"
_EXPIRY_BYTES = 8
_MAC_BYTES = 32
_FORM = re.compile(rf"[A-Za-z0-9_-]{{1,{MAX_LENGTH}}}")


@dataclass(frozen=True, slots=True)
class IssuedChallenge:
    """A challenge as it travels, and when it stops working (milliseconds since 1970)."""

    text: str
    expires_at: int


def issue(
    secret: bytes, base_url: str, public_key: bytes, now: int, ttl_ms: int, nonce: bytes
) -> IssuedChallenge:
    """Make the challenge that `public_key` may sign until `now + ttl_ms`.

    `text` is unpadded base64url of: the base URL in UTF-8, one line feed, then a version byte, the
    nonce (16 random bytes or more), the expiry and a MAC over all of these and the key. So a client
    can read whom it signs for before it signs. `secret` has 16 to 64 bytes, `public_key` 32.
    Raises `ValueError` for arguments that cannot make a sound challenge.
    """
    if "\n" in base_url:
        raise ValueError("a base URL cannot contain a line feed")
    if len(nonce) < MIN_NONCE_BYTES:
        raise ValueError(f"a nonce needs {MIN_NONCE_BYTES} bytes, got {len(nonce)}")
    expires_at = now + ttl_ms
    opaque = _VERSION + nonce + expires_at.to_bytes(_EXPIRY_BYTES, "big")
    text = _seal(secret, public_key, base_url.encode() + _SEPARATOR + opaque)
    if len(text) > MAX_LENGTH:
        raise ValueError(f"a challenge has at most {MAX_LENGTH} characters: shorten the base URL")
    return IssuedChallenge(text, expires_at)


def check(
    secret: bytes, base_urls: Collection[str], public_key: bytes, text: str, now: int
) -> IssuedChallenge:
    """Recognise a challenge that `issue` made for this key under one of these base URLs.

    Raises `Refusal`: `challenge_invalid` for anything that differs by even one character from what
    was issued, and `challenge_expired` from its expiry on. Whether it was used before, the store
    knows.
    """
    raw = _decode(text)
    # Sealing anew and comparing the text itself leaves no second spelling of the same bytes.
    if not compare_digest(_seal(secret, public_key, raw[:-_MAC_BYTES]), text):
        raise Refusal("challenge_invalid")
    base_url, _, _ = raw.partition(_SEPARATOR)
    if base_url.decode() not in base_urls:
        raise Refusal("challenge_invalid")
    expires_at = int.from_bytes(raw[-_MAC_BYTES - _EXPIRY_BYTES : -_MAC_BYTES], "big")
    if now >= expires_at:
        raise Refusal("challenge_expired")
    return IssuedChallenge(text, expires_at)


def _decode(text: str) -> bytes:
    if not _FORM.fullmatch(text):
        raise Refusal("challenge_invalid")
    try:
        return base64url.decode(text)
    except ValueError:
        raise Refusal("challenge_invalid") from None


def _seal(secret: bytes, public_key: bytes, content: bytes) -> str:
    if not MIN_SECRET_BYTES <= len(secret) <= MAX_SECRET_BYTES:
        raise ValueError(
            f"a challenge secret needs {MIN_SECRET_BYTES} to {MAX_SECRET_BYTES} bytes, "
            f"got {len(secret)}"
        )
    # A fixed key length keeps "key, then content" readable in one way only.
    if len(public_key) != PUBLIC_KEY_BYTES:
        raise ValueError(f"a public key has {PUBLIC_KEY_BYTES} bytes, got {len(public_key)}")
    mac = blake2b(
        public_key + content,
        key=secret,
        digest_size=_MAC_BYTES,
        person=b"stoa-challenge" + _VERSION,
    )
    return base64url.encode(content + mac.digest())

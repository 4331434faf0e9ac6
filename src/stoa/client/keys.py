"""The agent's Ed25519 key, and the check before it signs a challenge."""

import base64
import binascii
import hashlib
import os
import re
from ipaddress import IPv6Address
from typing import Protocol
from urllib.parse import SplitResult, urlsplit

from nacl.signing import SigningKey

from stoa.client.errors import ForeignChallenge

_SEED = re.compile("[0-9a-fA-F]{64}")
_SEED_BYTES = 32
_BASE64URL = re.compile("[A-Za-z0-9_-]+")
_DEFAULT_PORTS = {"http": 80, "https": 443}


class Signer(Protocol):
    """The interface of keys that sign for the agent: a `Key`, or one in hardware or a vault.

    `public_key` is the 32-byte Ed25519 key in hex, `sign` gives the 64 bytes of a signature.
    """

    @property
    def public_key(self) -> str:
        """The public key, 64 hex digits."""
        ...

    def sign(self, message: bytes) -> bytes:
        """The signature over `message`, 64 bytes."""
        ...


class Key:
    """An Ed25519 key pair in memory. Keep its seed secret and safe: the key is the agent.

    Example:

        key = Key.generate()
        again = Key(key.seed)
    """

    def __init__(self, seed: str) -> None:
        """The key pair of a seed (RFC 8032) of 64 hex digits; ValueError for another form."""
        if not _SEED.fullmatch(seed):
            raise ValueError("a seed is exactly 64 hex digits")
        self._signing = SigningKey(bytes.fromhex(seed))

    @classmethod
    def generate(cls) -> "Key":
        """A new key pair from the system's random source."""
        return cls(os.urandom(_SEED_BYTES).hex())

    @property
    def seed(self) -> str:
        """The private key: 64 hex digits."""
        return bytes(self._signing).hex()

    @property
    def public_key(self) -> str:
        """The public half: 64 hex digits, by which every Stoa knows the agent."""
        return bytes(self._signing.verify_key).hex()

    def sign(self, message: bytes) -> bytes:
        """The signature over `message`, 64 bytes."""
        return self._signing.sign(message).signature

    def __repr__(self) -> str:
        return f"Key(public_key={self.public_key!r})"


def canonical_url(url: str) -> str:
    """A base address in the one form that addresses are compared in: no default port, no last `/`.

    Raises ValueError unless it is http or https with a host and nothing behind the path.
    """
    parts = urlsplit(url)
    if parts.scheme not in _DEFAULT_PORTS or not parts.hostname or parts.query or parts.fragment:
        raise ValueError(f"{url!r} is not a base address such as https://stoa.example")
    return f"{parts.scheme}://{_host(parts)}{parts.path.rstrip('/')}"


def _host(parts: SplitResult) -> str:
    name = parts.hostname or ""
    host = f"[{IPv6Address(name).compressed}]" if ":" in name else name
    default = parts.port in (None, _DEFAULT_PORTS[parts.scheme])
    return host if default else f"{host}:{parts.port}"


def done_work(challenge: str, bits: int) -> str:
    """A text for which the SHA-256 of the challenge, a colon and the text begins with so many zero
    bits.

    It is found by trying, some 2 to the power of `bits` times: 20 take about a second.
    """
    begun = hashlib.sha256(f"{challenge}:".encode())
    shift = begun.digest_size * 8 - bits
    number = 0
    while True:
        tried = begun.copy()
        tried.update(b"%d" % number)
        if int.from_bytes(tried.digest(), "big") >> shift == 0:
            return str(number)
        number += 1


def check_challenge(challenge: str, url: str) -> None:
    """Raise ForeignChallenge unless the challenge was made for the service at `url`.

    A challenge is unpadded base64url of the address it was made for, a line feed and opaque bytes.
    A service that relays another's challenge would otherwise get a signature to sign in there with.
    """
    made_for = _made_for(challenge)
    try:
        known = canonical_url(made_for) == canonical_url(url)
    except ValueError:
        known = False
    if not known:
        raise ForeignChallenge(url, made_for)


def _made_for(challenge: str) -> str:
    try:
        if not _BASE64URL.fullmatch(challenge):
            return "an unreadable address"
        decoded = base64.urlsafe_b64decode(challenge + "=" * (-len(challenge) % 4))
        address, line_feed, _ = decoded.partition(b"\n")
        return address.decode() if line_feed else "an unreadable address"
    except (binascii.Error, UnicodeDecodeError):
        return "an unreadable address"

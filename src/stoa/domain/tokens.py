"""Bearer tokens: a recognisable prefix, 256 random bits, a checksum. Only their hash is stored."""

import re
from hmac import digest as hmac
from string import ascii_lowercase, ascii_uppercase, digits
from zlib import crc32

PREFIX = "stoa_"
RANDOM_BYTES = 32

_ALPHABET = digits + ascii_uppercase + ascii_lowercase
_PAIRS = [first + second for first in _ALPHABET for second in _ALPHABET]
# The fewest base-62 digits that hold 256 and 32 bits.
_RANDOM_DIGITS = 43
_CHECKSUM_DIGITS = 6

LENGTH = len(PREFIX) + _RANDOM_DIGITS + _CHECKSUM_DIGITS

# A false candidate may end in the middle of a real token, so only the prefix is passed over.
_CANDIDATE = re.compile(rf"{PREFIX}(?=([0-9A-Za-z]{{{_RANDOM_DIGITS + _CHECKSUM_DIGITS}}}))")


def mint(random: bytes) -> str:
    """Make a token of 54 characters from 32 bytes of a cryptographic random source.

    The checksum (CRC-32 of all that precedes it) protects nothing: it lets secret scanners, and
    this service, tell a token from other text without a look-up.
    """
    if len(random) != RANDOM_BYTES:
        raise ValueError(f"a token needs {RANDOM_BYTES} random bytes, got {len(random)}")
    content = PREFIX + _base62(int.from_bytes(random, "big"), _RANDOM_DIGITS)
    return content + _checksum(content)


def renewed(refresh_token: str, nonce: bytes) -> tuple[str, str]:
    """The token and the refresh token that the use of a refresh token gives. They follow from it
    and from a random nonce of 32 bytes, so that neither gives them alone."""
    key = refresh_token.encode()
    token, refresh = (mint(hmac(key, kind + nonce, "sha256")) for kind in (b"token", b"refresh"))
    return token, refresh


def well_formed(text: str) -> bool:
    """Whether the text has the prefix, length, alphabet and checksum of a token."""
    if len(text) != LENGTH or not text.startswith(PREFIX) or not text.isascii():
        return False
    content = text[:-_CHECKSUM_DIGITS]
    return text[len(PREFIX) :].isalnum() and text.endswith(_checksum(content))


def find_in(text: str, most: int | None = None) -> list[str]:
    """The well-formed tokens inside a text, each once, in order, and at most so many; linear in the
    text's length."""
    found: dict[str, None] = {}
    for candidate in _CANDIDATE.finditer(text):
        token = PREFIX + candidate[1]
        if token not in found and well_formed(token):
            found[token] = None
            if len(found) == most:
                break
    return list(found)


def _base62(number: int, length: int) -> str:
    text = ""
    for _ in range(0, length, 2):
        number, pair = divmod(number, len(_PAIRS))
        text = _PAIRS[pair] + text
    return text[-length:]


def _checksum(content: str) -> str:
    return _base62(crc32(content.encode()), _CHECKSUM_DIGITS)

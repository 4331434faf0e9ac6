"""Ed25519 public keys and signatures: text forms, refused keys, strict verification."""

import re
from dataclasses import dataclass

from nacl.bindings import crypto_core_ed25519_is_valid_point, crypto_sign_open
from nacl.exceptions import BadSignatureError

PUBLIC_KEY_BYTES = 32
SIGNATURE_BYTES = 64

PUBLIC_KEY_PATTERN = "^[0-9a-fA-F]{64}$"
SIGNATURE_PATTERN = "^[0-9a-fA-F]{128}$"

_MOST_CHECKED = 10_000
"""Up to so many keys that passed the check are not checked again."""

_PUBLIC_KEY = re.compile(PUBLIC_KEY_PATTERN)
_SIGNATURE = re.compile(SIGNATURE_PATTERN)


@dataclass(frozen=True, slots=True)
class SignatureVector:
    """A worked signature for client authors; all but `challenge` is lower-case hex.

    `signature` is Ed25519 (RFC 8032) over the UTF-8 bytes of `challenge`.
    """

    private_key_seed: str
    public_key: str
    challenge: str
    signature: str


TEST_VECTOR = SignatureVector(
    private_key_seed="53746f61207465737420766563746f723a206e65766572207369676e20696e21",
    public_key="166bd3c9e15feeeab1b2503d83c16160ba58b52ed3f0d9222f40b41e82fd98a6",
    challenge=(
        "aHR0cHM6Ly9zdG9hLmV4YW1wbGUKAXN0b2EgdGVzdCB2ZWN0b3IAAAGbdt874BswKtaBiaCWH21qF45E"
        "ODKNlGXZj4S3xgBREvS3ToEs"
    ),
    signature=(
        "ed5edf3c0d8c093134c2f0735b0a30402f56e97c5c398028f967d6f57eba4dac"
        "eeb3e7e5cd36acea699abfbcf4c319f76191eefd1436834e64af72ddaff1b40d"
    ),
)

_TEST_VECTOR_KEY = bytes.fromhex(TEST_VECTOR.public_key)


def parse_public_key(text: str) -> bytes:
    """Read 64 hex digits of any case as the 32 bytes of a public key that may sign in.

    Raises `ValueError`, with a message for the caller, as its two steps do.
    """
    key = read_public_key(text)
    check_public_key(key)
    return key


def read_public_key(text: str) -> bytes:
    """Read 64 hex digits of any case as 32 bytes; `ValueError` for any other form."""
    # `$` alone would let a line end pass, so the whole text has to match.
    if not _PUBLIC_KEY.fullmatch(text):
        raise ValueError(
            "Must be exactly 64 hex digits: the 32 raw bytes of an Ed25519 public key, "
            f"without prefix, blanks or line end (got {len(text)} characters)."
        )
    return bytes.fromhex(text)


_checked: set[bytes] = set()
"""The keys that passed lately; `lru_cache` could not say whether it has one."""


def was_checked(key: bytes) -> bool:
    """Whether `check_public_key` would do nothing, since the key passed it lately."""
    return key in _checked


def check_public_key(key: bytes) -> None:
    """`ValueError` for a point that is non-canonical, of small order or outside the prime-order
    group (libsodium's `is_valid_point`), and for the key of `TEST_VECTOR`.

    This takes as long as a verification or longer, so what passed is remembered. That a key was
    used lately can be told by the time; agents show their keys and when they were last seen.
    """
    if key in _checked:
        return
    if not crypto_core_ed25519_is_valid_point(key):
        raise ValueError(
            "Must be a usable Ed25519 public key, not a non-canonical one or one that is not of "
            "prime order: generate a key pair with an Ed25519 library and send its public half."
        )
    if key == _TEST_VECTOR_KEY:
        raise ValueError(
            "Must not be the key of the published test vector, whose private key is public: "
            "generate a key pair of your own."
        )
    if len(_checked) >= _MOST_CHECKED:
        _checked.clear()
    _checked.add(key)


def parse_signature(text: str) -> bytes:
    """Read 128 hex digits of any case as the 64 bytes of a signature; `ValueError` otherwise."""
    if not _SIGNATURE.fullmatch(text):
        raise ValueError(
            "Must be exactly 128 hex digits: the 64 raw bytes of an Ed25519 signature, "
            f"without prefix, blanks or line end (got {len(text)} characters)."
        )
    return bytes.fromhex(text)


def verify(public_key: bytes, message: bytes, signature: bytes) -> bool:
    """Whether the signature is the key's own over the message (RFC 8032, 5.1.7, strictly).

    Strictly: S is below the group order, so that a second signature cannot be made out of a first,
    and neither R nor the key is non-canonical or of small order. A wrong length is False. Keys of
    mixed order are for `check_public_key` to refuse.
    """
    # libsodium reads 32 bytes of the key and 64 of the signature whatever their real length is.
    if len(public_key) != PUBLIC_KEY_BYTES or len(signature) != SIGNATURE_BYTES:
        return False
    try:
        crypto_sign_open(signature + message, public_key)
    except BadSignatureError:
        return False
    return True

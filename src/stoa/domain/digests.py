"""The stored digest of a secret text, which is useless to a reader of the database."""

from hashlib import sha256


def digest_of(text: str) -> bytes:
    """The 32 bytes (SHA-256) under which a text is stored and looked up."""
    return sha256(text.encode()).digest()

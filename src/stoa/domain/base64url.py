"""Bytes as text for URLs: base64url without padding (RFC 4648, 5)."""

from base64 import urlsafe_b64decode, urlsafe_b64encode


def encode(raw: bytes) -> str:
    """The text of these bytes."""
    return urlsafe_b64encode(raw).rstrip(b"=").decode()


def decode(text: str) -> bytes:
    """The bytes of a text; other texts may give the same ones. Raises `ValueError`."""
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))

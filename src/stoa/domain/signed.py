"""Signed documents that an agent can show to others: JSON as a compact JWS (RFC 7515), EdDSA."""

import json
from collections.abc import Mapping
from typing import Any

from nacl.signing import SigningKey

from stoa.domain import base64url, keys

_MOST_CHARS = 1_000_000


def signed(key: SigningKey, key_id: str, claims: bytes, **more: str) -> str:
    """JSON with its signature, as a text; `more` are members of its head beside the usual."""
    members = {"alg": "EdDSA", "kid": key_id, "typ": "JWT", **more}
    head = json.dumps(members, separators=(",", ":"))
    text = f"{base64url.encode(head.encode())}.{base64url.encode(claims)}"
    return f"{text}.{base64url.encode(key.sign(text.encode()).signature)}"


def checked(text: str, public_keys: Mapping[str, bytes]) -> bytes:
    """The JSON of a text whose signature fits one of the keys of the service, by their ids.

    Raises `ValueError`, which says in a sentence what is wrong.
    """
    parts = text.strip().split(".")
    if len(text) > _MOST_CHARS or len(parts) != 3 or not text.isascii():
        raise ValueError("it is no compact JWS: three parts of base64url with dots between them")
    try:
        head: Any = json.loads(base64url.decode(parts[0]))
        claims, signature = base64url.decode(parts[1]), base64url.decode(parts[2])
        algorithm, key_id, is_plain = head["alg"], str(head["kid"]), "crit" not in head
    except (ValueError, LookupError, TypeError, RecursionError):
        raise ValueError("its parts are no base64url, or its header is not that of a JWS") from None
    if algorithm != "EdDSA" or not is_plain:
        raise ValueError("it is not signed with EdDSA, or it has extensions")
    if key_id not in public_keys:
        raise ValueError(f"the file of keys has no key {key_id[:64]!r}")
    if not keys.verify(public_keys[key_id], f"{parts[0]}.{parts[1]}".encode(), signature):
        raise ValueError("its signature is wrong: it was changed, or another key signed it")
    return claims

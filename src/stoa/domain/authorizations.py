"""A client's request to an agent: pairing codes, PKCE, and the address of the answer."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from hmac import compare_digest
from urllib.parse import urlencode

from stoa.domain import base64url
from stoa.domain.clients import Client
from stoa.domain.limits import CONFIRMATION_DIGITS, PAIRING_CHARS, STATE_CHARS
from stoa.domain.oauth import OAuthRefusal, check_resource, granted_scopes

RANDOM_BYTES = 32
PAIRING_BYTES = PAIRING_CHARS * 5 // 8
CONFIRMATION_BYTES = 8
CONFIRMATION_PATTERN = f"^[0-9]{{{CONFIRMATION_DIGITS}}}$"

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_READ_AS = str.maketrans({"O": "0", "I": "1", "L": "1", "-": None, " ": None})
_BETWEEN = str.maketrans({"-": None, " ": None})
PAIRING_PATTERN = f"^[{_ALPHABET}]{{{PAIRING_CHARS}}}$"
_CHALLENGE = re.compile(r"[A-Za-z0-9_-]{43}")
_VERIFIER = re.compile(r"[A-Za-z0-9._~-]{43,128}")
_VISIBLE = re.compile(r"[ -~]*")


@dataclass(frozen=True, slots=True)
class AuthorizationRequest:
    """What a client asks for. `challenge` is that of PKCE with S256."""

    client: Client
    redirect_uri: str
    state: str | None
    challenge: str
    scopes: str


def check_asked(
    client: Client, redirect_uri: str, query: Mapping[str, str], base_urls: frozenset[str]
) -> AuthorizationRequest:
    """What the query of a known client asks for. Raises `OAuthRefusal`."""
    if query.get("response_type") != "code":
        raise OAuthRefusal("unsupported_response_type", "The `response_type` must be `code`.")
    challenge = query.get("code_challenge", "")
    if query.get("code_challenge_method") != "S256" or not _CHALLENGE.fullmatch(challenge):
        raise OAuthRefusal(
            "invalid_request",
            "PKCE is needed: send `code_challenge_method=S256` and `code_challenge`, the SHA-256 "
            "of the verifier in base64url.",
        )
    state = query.get("state")
    if state is not None and (len(state) > STATE_CHARS or not _VISIBLE.fullmatch(state)):
        raise OAuthRefusal(
            "invalid_request", f"The `state` must be at most {STATE_CHARS} characters of ASCII."
        )
    check_resource(base_urls, query.get("resource"))
    return AuthorizationRequest(
        client, redirect_uri, state, challenge, granted_scopes(query.get("scope"))
    )


def pairing_code(random: bytes) -> str:
    """A pairing code of 40 random bits, in characters that are not mistaken for one another."""
    number = int.from_bytes(random[:PAIRING_BYTES], "big")
    return "".join(_ALPHABET[number >> 5 * place & 31] for place in range(PAIRING_CHARS))


def read_pairing_code(text: str) -> str | None:
    """A pairing code as a person typed it; None for what cannot be one."""
    code = text.upper().translate(_READ_AS) if len(text) <= 4 * PAIRING_CHARS else ""
    return code if re.fullmatch(PAIRING_PATTERN, code) else None


def confirmation(random: bytes) -> str:
    """The digits that an approval shows and its page asks for."""
    number = int.from_bytes(random[:CONFIRMATION_BYTES], "big")
    return f"{number % 10**CONFIRMATION_DIGITS:0{CONFIRMATION_DIGITS}}"


def read_confirmation(text: str) -> str | None:
    """A confirmation as a person typed it; None for what cannot be one."""
    digits = text.translate(_BETWEEN) if len(text) <= 4 * CONFIRMATION_DIGITS else ""
    return digits if re.fullmatch(CONFIRMATION_PATTERN, digits, re.ASCII) else None


def confirms(kept: bytes | None, handle: bytes, given: str) -> bool:
    """Whether these digits are those of the request with this handle, of which this is kept."""
    return compare_digest(kept or b"", confirmation_digest(handle, given))


def confirmation_digest(handle: bytes, digits: str) -> bytes:
    """The 32 bytes (SHA-256) that are kept of the confirmation of one request."""
    return sha256(handle + digits.encode()).digest()


def verifies(challenge: str, verifier: str) -> bool:
    """Whether a PKCE verifier is that of the challenge (RFC 7636, 4.6)."""
    if not _VERIFIER.fullmatch(verifier):
        return False
    return compare_digest(challenge, base64url.encode(sha256(verifier.encode()).digest()))


def answer_address(redirect_uri: str, parameters: Mapping[str, str | None]) -> str:
    """The redirect address with these parameters behind those that it has, else as it was asked
    for: put together from its parts `app:///back` would be `app:/back`. It has no fragment."""
    added = urlencode({name: value for name, value in parameters.items() if value is not None})
    before, mark, query = redirect_uri.partition("?")
    return f"{before}?{query}&{added}" if mark and query else f"{before}?{added}"

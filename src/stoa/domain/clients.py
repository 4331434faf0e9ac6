"""OAuth clients: their redirect addresses, how two of these match, and ids that need no store.

The id of a client that registered holds its metadata, sealed by this service (RFC 7591, appendix
A.5.2): nothing is stored for it, so nothing is deleted while the client still uses its id.
"""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from hmac import compare_digest
from typing import Any, cast
from urllib.parse import SplitResult, urlsplit
from zlib import compress, decompress

from stoa.domain import base64url
from stoa.domain.limits import (
    CLIENT_ADDRESS_CHARS,
    CLIENT_ID_CHARS,
    CLIENT_REDIRECTS,
    DISPLAY_NAME_CHARS,
)
from stoa.domain.text import display_name

PREFIX = "stoac_"
"""How the ids of registered clients begin."""

LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*")
_NO_PROGRAM = re.compile(
    "about|blob|chrome|content|data|file|filesystem|ftps?|geo|http|intent|itms.*|jar|javascript|"
    "ldap|mailto|market|ms-.*|resource|search(-ms)?|sftp|shell|shortcuts|sip|smb|sms|ssh|tel|"
    "telnet|vbscript|view-source|wss?|x-apple.*"
)
"""Schemes that run text, open files, set or install something on the machine, or speak to the
network, instead of one program."""
_MAC_BYTES = 16
_ADDRESS = re.compile(r"[!-~]+")
_SECRETS = frozenset({"client_secret_basic", "client_secret_post", "client_secret_jwt"})


class BadClient(ValueError):
    """Metadata that makes no client; `error` is the code of RFC 7591, the message a sentence."""

    error = "invalid_client_metadata"


class BadRedirect(BadClient):
    """Redirect addresses that no client may have."""

    error = "invalid_redirect_uri"


@dataclass(frozen=True, slots=True)
class Client:
    """A client as it describes itself. Nothing of it was checked but its form."""

    id: str
    name: str
    redirects: tuple[str, ...]

    def redirect(self, asked: str) -> str | None:
        """The address that was asked for, if it is one of this client's; None for any other."""
        return asked if any(same_address(one, asked) for one in self.redirects) else None


def same_address(registered: str, asked: str) -> bool:
    """Whether an address is the registered one: exactly, but for the port of a loopback address,
    which the system gives (RFC 8252, 7.3)."""
    if registered == asked:
        return True
    if redirect_problem(asked) is not None:
        return False
    known, given = urlsplit(registered), urlsplit(asked)
    return _is_loopback(known) and _without_port(known) == _without_port(given)


def _without_port(parts: SplitResult) -> tuple[str, ...]:
    return parts.scheme, parts.hostname or "", parts.path, parts.query


def _is_loopback(parts: SplitResult) -> bool:
    return parts.scheme == "http" and parts.hostname in LOOPBACK


def redirect_problem(address: str) -> str | None:
    """What is wrong with a redirect address, as a sentence; None for a good one.

    Good are https, http on this machine's loopback, and private schemes of programs: names with a
    dot, and others that the client registers by name (RFC 8252, 7.1).
    """
    parts = _split(address)
    if parts is None or parts.fragment or "#" in address or "@" in parts.netloc:
        return (
            "A redirect address must be absolute, of at most "
            f"{CLIENT_ADDRESS_CHARS} characters, without a fragment and without a user."
        )
    if parts.scheme == "https" or _is_loopback(parts):
        return None if parts.hostname else "A redirect address must name a host."
    if _SCHEME.fullmatch(parts.scheme) and not _NO_PROGRAM.fullmatch(parts.scheme):
        return None
    return (
        "A redirect address must begin with https://, with http:// and a loopback host such as "
        "127.0.0.1, or with the private scheme of a program, such as com.example.app:/."
    )


def _split(address: str) -> SplitResult | None:
    """The parts of an address; None if it is too long or cannot be read in one way only."""
    if len(address) > CLIENT_ADDRESS_CHARS or not _ADDRESS.fullmatch(address) or "\\" in address:
        return None
    try:
        parts = urlsplit(address)
        has_port = parts.port != 0
    except ValueError:
        return None
    return parts if has_port else None


def is_on_this_computer(address: str) -> bool:
    """Whether an address leads to whatever program listens on the person's own machine."""
    return _is_loopback(urlsplit(address))


def place(address: str) -> str:
    """Where an address leads, for people: its host, or the scheme of a program on their machine."""
    parts = urlsplit(address)
    if is_on_this_computer(address):
        return "a program on this computer"
    return parts.hostname or "" if parts.scheme == "https" else f"the program {parts.scheme}"


def program(client_id: str, redirect_uri: str) -> str:
    """Which program a client is, for people: the host that describes it or, as a client that has
    registered itself is described by nobody, where it leads."""
    is_described = is_document(client_id, plain=True)
    return (is_described and urlsplit(client_id).hostname) or place(redirect_uri)


def is_document(client_id: str, *, plain: bool = False) -> bool:
    """Whether a client id is the address of the client's metadata document, which begins with
    https, or also with http if `plain`."""
    parts = _split(client_id)
    schemes = ("https", "http") if plain else ("https",)
    if parts is None or parts.scheme not in schemes or not parts.hostname:
        return False
    steps = parts.path.split("/")
    has_path = len(parts.path) > 1 and not {".", ".."} & set(steps)
    return has_path and "#" not in client_id and "@" not in parts.netloc


def described(client_id: str, metadata: Any) -> Client:
    """The client that a metadata document describes. Raises `BadClient`."""
    if not isinstance(metadata, dict):
        raise BadClient("The document must be a JSON object.")
    members = cast("dict[str, Any]", metadata)
    if members.get("client_id") != client_id:
        raise BadClient("The `client_id` in the document must be its own address.")
    proof = _given(members, "token_endpoint_auth_method", "none")
    if not isinstance(proof, str):
        raise BadClient("`token_endpoint_auth_method` must be a text such as `none`.")
    if _given(members, "client_secret") is not None or proof in _SECRETS:
        raise BadClient("A client with a document must not have a secret.")
    name, redirects = checked(members)
    return Client(client_id, name, redirects)


def checked(members: dict[str, Any]) -> tuple[str, tuple[str, ...]]:
    """The name and redirect addresses in client metadata. Raises `BadClient`."""
    redirects = _redirects(_given(members, "redirect_uris"))
    for name, needed in (("grant_types", "authorization_code"), ("response_types", "code")):
        if needed not in _texts(_given(members, name, [needed])):
            raise BadClient(f"`{name}` must hold `{needed}`.")
    return _name(_given(members, "client_name"), redirects), redirects


def _given(members: dict[str, Any], name: str, default: Any = None) -> Any:
    """A member of metadata. null and an empty list count as absent."""
    value = members.get(name)
    return default if value is None or value == [] else value


def _redirects(value: Any) -> tuple[str, ...]:
    addresses = _texts(value)
    if not 1 <= len(addresses) <= CLIENT_REDIRECTS:
        raise BadRedirect(f"`redirect_uris` must be a list of 1 to {CLIENT_REDIRECTS} addresses.")
    for problem in filter(None, map(redirect_problem, addresses)):
        raise BadRedirect(problem)
    return tuple(addresses)


def _texts(value: Any) -> list[str]:
    """The texts of a list; none if it is no list of texts."""
    items = cast("list[Any]", value) if isinstance(value, list) else []
    return cast("list[str]", items) if all(isinstance(item, str) for item in items) else []


def _name(value: Any, redirects: Sequence[str]) -> str:
    """How the client calls itself, or where it leads if it does not say."""
    if value is None or value == "":
        return place(redirects[0])[:DISPLAY_NAME_CHARS]
    try:
        return display_name(str(value))
    except ValueError as problem:
        raise BadClient(f"`client_name`: {problem}") from None


def register(secret: bytes, name: str, redirects: Iterable[str]) -> Client:
    """The client, with an id that holds its name and redirect addresses and has at most
    `CLIENT_ID_CHARS`."""
    known = tuple(redirects)
    content = compress(json.dumps([name, *known], separators=(",", ":")).encode(), 9)
    client_id = PREFIX + base64url.encode(_seal(secret, content) + content)
    return Client(client_id, name, known)


def registered(secret: bytes, client_id: str) -> Client | None:
    """The client that this service gave an id to; None for any other id."""
    if len(client_id) > CLIENT_ID_CHARS or not client_id.startswith(PREFIX):
        return None
    raw = _bytes(client_id.removeprefix(PREFIX))
    mac, content = raw[:_MAC_BYTES], raw[_MAC_BYTES:]
    # Encoding anew leaves no second spelling of the same bytes.
    if PREFIX + base64url.encode(raw) != client_id or not compare_digest(
        mac, _seal(secret, content)
    ):
        return None
    name, *redirects = json.loads(decompress(content))
    return Client(client_id, name, tuple(redirects))


def _seal(secret: bytes, content: bytes) -> bytes:
    return blake2b(content, key=secret, digest_size=_MAC_BYTES, person=b"stoa-client").digest()


def _bytes(text: str) -> bytes:
    try:
        return base64url.decode(text)
    except ValueError:
        return b""

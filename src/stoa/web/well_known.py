"""The documents at fixed addresses by which clients and crawlers find the service."""

from typing import Any
from urllib.parse import urlsplit

from stoa import __version__
from stoa.domain import base64url
from stoa.domain.limits import DAY_MS
from stoa.domain.skills import digest, frontmatter
from stoa.domain.webhooks import WebhookSigner
from stoa.operations.bootstrap import (
    AI_CATALOG,
    API_CATALOG,
    BOOTSTRAP,
    CARD,
    DOCUMENTS,
    LLMS,
    MCP_PATHS,
    OPENAPI,
    SECURITY_TXT,
    SKILL,
    SKILLS_INDEX,
    card_path,
)
from stoa.schemas.base import iso
from stoa.schemas.mcp_versions import ENVELOPE_VERSIONS, HANDSHAKE_VERSIONS

_PUBLISHED = "https://static.modelcontextprotocol.io/schemas"
_DESCRIPTION = "A network where AI agents ask, answer and do paid work for each other."
_TITLE = "Stoa"
_NAME = "stoa"
_SECURITY_DAYS = 180
"""How long `security.txt` says that it holds. It is made anew for each request."""
_HEADER = {
    "name": "Authorization",
    "description": "Bearer and the token of a sign-in; what anybody may read needs none.",
    "isRequired": False,
    "isSecret": True,
}


def server_card(origin: str) -> dict[str, Any]:
    """What a client needs to connect over MCP (SEP-2127)."""
    versions = [*HANDSHAKE_VERSIONS, *ENVELOPE_VERSIONS]
    remotes = [{**one, "supportedProtocolVersions": versions} for one in _remotes(origin)]
    return {
        "$schema": f"{_PUBLISHED}/v1/server-card.schema.json",
        **_identity(origin),
        "remotes": remotes,
    }


def server_json(origin: str) -> dict[str, Any]:
    """What the operator publishes in the MCP registry."""
    return {
        "$schema": f"{_PUBLISHED}/2025-12-11/server.schema.json",
        **_identity(origin),
        "remotes": _remotes(origin),
    }


def _identity(origin: str) -> dict[str, Any]:
    return {
        "name": f"{_reversed(_host(origin))}/{_NAME}",
        "title": _TITLE,
        "description": _DESCRIPTION,
        "version": __version__,
        "websiteUrl": origin,
    }


def stoa_keys(signer: WebhookSigner) -> dict[str, Any]:
    """The keys that this service signs with, as a JWK Set (RFC 7517) too."""
    key = {"id": signer.id, "algorithm": "Ed25519", "publicKey": signer.public_key}
    as_jwk = {
        "kty": "OKP",
        "crv": "Ed25519",
        "x": base64url.encode(bytes.fromhex(signer.public_key)),
        "kid": signer.id,
        "alg": "EdDSA",
        "use": "sig",
    }
    return {"keys": [key | as_jwk]}


def _remotes(origin: str) -> list[dict[str, Any]]:
    return [
        {"type": "streamable-http", "url": f"{origin}{path}"}
        | ({"headers": [_HEADER]} if takes_header else {})
        for path, takes_header in MCP_PATHS.items()
    ]


def _host(origin: str) -> str:
    return urlsplit(origin).hostname or ""


def _reversed(host: str) -> str:
    """A host name in reverse order; an address of numbers stays as it is."""
    if ":" in host or host.replace(".", "").isdigit():
        return host.replace(":", "-").strip("-")
    return ".".join(reversed(host.split(".")))


def ai_catalog(origin: str) -> dict[str, Any]:
    """What there is for agents at this address, each by its type."""
    publisher = _host(origin)
    entries = [
        ("mcp", "application/mcp-server-card+json", card_path(next(iter(MCP_PATHS)))),
        ("skill", "application/agent-skills+md", SKILL),
        ("a2a", "application/a2a-agent-card+json", CARD),
        ("api", DOCUMENTS[API_CATALOG].media_type.partition(";")[0], API_CATALOG),
    ]
    return {
        "specVersion": "1.0",
        "host": {"displayName": _TITLE, "documentationUrl": f"{origin}{LLMS}"},
        "entries": [
            {
                "identifier": f"urn:air:{publisher}:{kind}:{_NAME}",
                "displayName": _TITLE,
                "type": media_type,
                "url": f"{origin}{path}",
            }
            for kind, media_type, path in entries
        ],
    }


def skills_index(skill: bytes, origin: str) -> dict[str, Any]:
    """The one skill of the service, with the digest of its text."""
    said = frontmatter(skill)
    return {
        "$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
        "version": "0.2.0",
        "skills": [
            {
                "name": said["name"],
                "type": "skill-md",
                "description": said["description"],
                "url": f"{origin}{SKILL}",
                "digest": digest(skill),
            }
        ],
    }


def api_catalog(origin: str) -> dict[str, Any]:
    """The API with its descriptions, as a set of links (RFC 9727)."""

    def link(path: str) -> list[dict[str, str]]:
        return [{"href": f"{origin}{path}", "type": DOCUMENTS[path].media_type}]

    bootstrap = {"href": f"{origin}{BOOTSTRAP}", "type": "application/json"}
    return {
        "linkset": [
            {
                "anchor": f"{origin}/api/v1",
                "service-desc": link(OPENAPI),
                "service-doc": [*link(LLMS), {"href": f"{origin}/docs/api", "type": "text/html"}],
                "service-meta": [bootstrap, *link(AI_CATALOG), *link(SKILLS_INDEX)],
                "status": [{"href": f"{origin}/healthz", "type": "application/json"}],
            }
        ]
    }


def security_txt(contact: str, origin: str, now: int) -> bytes:
    """Where to report a weakness (RFC 9116); it holds from the beginning of this day on."""
    expires = iso((now // DAY_MS + _SECURITY_DAYS) * DAY_MS)
    lines = [f"Contact: {contact}", f"Expires: {expires}"]
    if origin.startswith("https://"):
        lines.append(f"Canonical: {origin}{SECURITY_TXT}")
    return "".join(f"{line}\n" for line in lines).encode()

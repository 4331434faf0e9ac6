"""The A2A agent card, signed by this service (A2A 1.0, 8.4)."""

import json
from typing import Any, cast

from stoa import __version__
from stoa.domain.signed import signed
from stoa.domain.webhooks import WebhookSigner
from stoa.operations.bootstrap import A2A, STOA_KEYS
from stoa.operations.catalog import all_operations
from stoa.operations.table import Operation
from stoa.schemas.bootstrap import Bootstrap

_TASKS = (
    'Over A2A a message with data such as {"title": "...", "reward": {"amount": 20}} beside its '
    "text offers a paid job, and text alone asks a question:"
)


def signed_card(contract: Bootstrap, origin: str, signer: WebhookSigner) -> dict[str, Any]:
    """The card with a signature over its canonical form."""
    card = _card(contract, origin)
    text = signed(signer.key, signer.id, _canonical(card), typ="JOSE", jku=f"{origin}{STOA_KEYS}")
    protected, _, signature = text.split(".")
    return {**card, "signatures": [{"protected": protected, "signature": signature}]}


def _canonical(card: dict[str, Any]) -> bytes:
    """The form of RFC 8785, without what is empty. A card has no numbers, and names in ASCII: they
    sort by code points."""
    text = json.dumps(_filled(card), ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return text.encode()


def _filled(value: Any) -> Any:
    """A value without the empty texts, lists and objects in it; None for such a one."""
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value)
        found = {name: _filled(one) for name, one in members.items()}
        return {name: one for name, one in found.items() if one is not None} or None
    if isinstance(value, list):
        rows = map(_filled, cast("list[Any]", value))
        return [one for one in rows if one is not None] or None
    return None if value == "" else value


def _card(contract: Bootstrap, origin: str) -> dict[str, Any]:
    return {
        "name": contract.name,
        "description": f"{contract.objective} {_TASKS} {origin}/docs/a2a",
        "version": __version__,
        "documentationUrl": f"{origin}/llms.txt",
        "provider": {"organization": contract.name, "url": origin},
        "supportedInterfaces": [
            {"url": f"{origin}{A2A}", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"},
            {
                "url": contract.interfaces.mcp.url,
                "protocolBinding": "https://modelcontextprotocol.io/specification/2026-07-28",
                "protocolVersion": "2026-07-28",
            },
            {
                "url": contract.interfaces.rest.base_url,
                "protocolBinding": contract.interfaces.rest.description,
                "protocolVersion": contract.api_version,
            },
        ],
        "capabilities": {"streaming": True, "pushNotifications": True},
        "defaultInputModes": ["text/plain", "application/json"],
        "defaultOutputModes": ["text/plain", "application/json"],
        "securitySchemes": {
            "bearer": {
                "httpAuthSecurityScheme": {
                    "scheme": "Bearer",
                    "description": "The token of a sign-in with an Ed25519 key: "
                    f"POST {contract.authentication.challenge_url}, sign, "
                    f"POST {contract.authentication.verify_url}.",
                }
            }
        },
        "skills": [_skill(one) for one in all_operations() if one.tool],
    }


def _skill(operation: Operation) -> dict[str, Any]:
    return {
        "id": operation.tool,
        "name": operation.tool_title,
        "description": operation.tool_description,
        "tags": [operation.tag],
    }

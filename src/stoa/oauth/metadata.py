"""The metadata of OAuth that clients read first (RFC 9728 and RFC 8414)."""

from typing import Any

from stoa.calls.token_requests import GRANTS
from stoa.domain.assertions import ALGORITHM
from stoa.domain.oauth import (
    AUTHORIZATION,
    AUTHORIZATION_SERVER,
    AUTHORIZATION_SERVER_OF_TOOLS,
    ISSUER,
    PROTECTED_RESOURCE,
    REGISTRATION,
    RESOURCE,
    REVOCATION,
    SCOPES,
    TOKEN,
)


def protected_resource(base_url: str) -> dict[str, Any]:
    """The metadata of the tools."""
    return {
        "resource": f"{base_url}{RESOURCE}",
        "resource_name": "Stoa",
        "authorization_servers": [f"{base_url}{ISSUER}"],
        "scopes_supported": list(SCOPES),
        "bearer_methods_supported": ["header"],
        "resource_documentation": f"{base_url}/llms.txt",
    }


def authorization_server(base_url: str) -> dict[str, Any]:
    """The metadata of the authorization server."""
    return {
        "issuer": f"{base_url}{ISSUER}",
        "authorization_endpoint": f"{base_url}{AUTHORIZATION}",
        "token_endpoint": f"{base_url}{TOKEN}",
        "registration_endpoint": f"{base_url}{REGISTRATION}",
        "revocation_endpoint": f"{base_url}{REVOCATION}",
        "scopes_supported": list(SCOPES),
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": list(GRANTS),
        "token_endpoint_auth_methods_supported": ["none", "private_key_jwt"],
        "token_endpoint_auth_signing_alg_values_supported": [ALGORITHM],
        "revocation_endpoint_auth_methods_supported": ["none"],
        "code_challenge_methods_supported": ["S256"],
        "authorization_response_iss_parameter_supported": True,
        "client_id_metadata_document_supported": True,
        "service_documentation": f"{base_url}/llms.txt",
    }


_OF_TOOLS = {
    PROTECTED_RESOURCE: protected_resource,
    AUTHORIZATION_SERVER_OF_TOOLS: authorization_server,
}
DOCUMENTS = {
    AUTHORIZATION_SERVER: authorization_server,
    **_OF_TOOLS,
    **{f"{path}/": made for path, made in _OF_TOOLS.items()},
}
"""By their paths. The address of the tools may end in a slash, and so may those made from it."""

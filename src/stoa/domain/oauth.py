"""OAuth 2.1: scopes, audiences, addresses, and the form of refusals."""

from stoa.domain.addresses import plain_host

READ = "read"
WRITE = "write"
SCOPES = (READ, WRITE)
EVERY_SCOPE = " ".join(SCOPES)

ISSUER = "/oauth"
"""Where the issuer is, below the base address."""
TOKEN = f"{ISSUER}/token"
REVOCATION = f"{ISSUER}/revoke"
AUTHORIZATION = f"{ISSUER}/authorize"
REGISTRATION = f"{ISSUER}/register"
RESOURCE = "/mcp/oauth"
"""Where the tools are that these tokens are for, below the base address."""
PROTECTED_RESOURCE = f"/.well-known/oauth-protected-resource{RESOURCE}"
AUTHORIZATION_SERVER = f"/.well-known/oauth-authorization-server{ISSUER}"
"""Where clients look for the metadata of both (RFC 9728 and RFC 8414)."""
AUTHORIZATION_SERVER_OF_TOOLS = f"/.well-known/oauth-authorization-server{RESOURCE}"
"""Where clients look that do not ask the resource which authorization server it has."""


class OAuthRefusal(Exception):
    """A refusal in the words of RFC 6749, 5.2: a code, a description for developers, a status.

    A handler of a grant raises it so that nothing changes, or returns it so that what it wrote is
    kept: the reuse of a refresh token or a code has to end the session.
    """

    def __init__(self, error: str, description: str, status: int = 400) -> None:
        super().__init__(error, description, status)
        self.error = error
        self.description = description
        self.status = status


def granted_scopes(asked: str | None) -> str:
    """The scopes of a request: without any, all; `write` includes `read`. Others, such as
    `offline_access`, are left out (RFC 6749, 3.3).

    Raises `invalid_scope` if none is left.
    """
    if not asked:
        return EVERY_SCOPE
    names = set(asked.split(" ")) & set(SCOPES)
    if not names:
        raise OAuthRefusal("invalid_scope", f"The scopes are: {', '.join(SCOPES)}.")
    return EVERY_SCOPE if WRITE in names else READ


def check_scopes(asked: str | None, granted: str) -> None:
    """`invalid_scope` for more than was granted."""
    if WRITE in granted_scopes(asked or granted) and WRITE not in granted:
        raise OAuthRefusal("invalid_scope", f"What was granted is: {granted}.")


def check_resource(base_urls: frozenset[str], asked: str | None) -> None:
    """`invalid_target` unless a token is asked for the one resource (RFC 8707), or for none: an
    empty parameter is as one left out (RFC 6749, 3.1)."""
    if not asked:
        return
    known = {f"{base_url}{RESOURCE}" for base_url in base_urls}
    scheme, mark, rest = asked.removesuffix("/").partition("://")
    host, slash, path = rest.partition("/")
    if f"{scheme}{mark}{plain_host(host)}{slash}{path}" not in known:
        raise OAuthRefusal("invalid_target", f"The resource is: {', '.join(sorted(known))}.")

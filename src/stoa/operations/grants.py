"""The grants of the token endpoint: how a request becomes a session with its tokens."""

from collections.abc import Awaitable, Callable, Mapping
from typing import NamedTuple

import msgspec

from stoa.domain.oauth import OAuthRefusal
from stoa.operations.call import Call

Form = Mapping[str, str]
"""The parameters of a request to the token endpoint, each given once."""


class Grant(msgspec.Struct, frozen=True, kw_only=True):
    """What an agent grants. `key_number` is that of its key when it did; `via` says how the session
    began; `scopes` is text such as `read write`. A client that is not the agent itself is named."""

    agent_id: str
    key_number: int
    scopes: str
    via: str
    client_id: str | None = None
    client_name: str | None = None


class Tokens(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The answer of the token endpoint (RFC 6749, 5.1)."""

    access_token: str
    token_type: str
    expires_in: int
    scope: str
    refresh_token: str | None = None


class Opened(NamedTuple):
    """A session that has begun."""

    session_id: str
    tokens: Tokens


async def open_session(call: Call, grant: Grant) -> Opened:
    """Begin a session: one access token, and a refresh token if a client is named.

    Raises `invalid_grant` when the agent has another key by now, or has retired.
    """
    raise NotImplementedError


Handler = Callable[[Call, Form], Awaitable[Tokens | OAuthRefusal]]

GRANTS: dict[str, Handler] = {}
"""By `grant_type`, what opens or renews a session. A handler that raises leaves nothing behind; what
it wrote before it returns a refusal is kept."""

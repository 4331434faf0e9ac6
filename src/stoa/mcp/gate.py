"""The check of `/mcp/oauth` on every request: a valid token. It tells clients how to get one."""

from stoa.calls.authenticate import Authenticator
from stoa.domain.errors import Refusal
from stoa.domain.oauth import EVERY_SCOPE, PROTECTED_RESOURCE
from stoa.http.answering import CHALLENGES, refusal_headers
from stoa.http.request import HttpRequest
from stoa.http.wire import HeaderList

_FORBIDDEN = 403
_CHALLENGE = b"www-authenticate"


class Gate:
    """Lets requests with a valid token pass."""

    def __init__(self, authenticator: Authenticator) -> None:
        self._authenticator = authenticator

    async def check(self, request: HttpRequest) -> None:
        """Raises 401 unless the header has a valid token."""
        try:
            await self._authenticator.check(request.authorization, request.address)
        except Refusal as refusal:
            refusal.fill({"base_url": request.base_url})
            raise

    def explain(self, refusal: Refusal, request: HttpRequest) -> HeaderList:
        """The headers of a refusal. One of the token says where a client learns how to get another
        (RFC 9728, 5.1), and with which scopes (RFC 6750, 3); it is made to say the same, as calls
        here have no argument for one."""
        usual = refusal_headers(refusal, None)
        if refusal.code not in CHALLENGES:
            return usual
        refusal.recovery = (
            f"Get a token from the authorization server that {request.base_url}"
            f"{PROTECTED_RESOURCE} names, with the scopes `{EVERY_SCOPE}`. Then send the same "
            "message with `Authorization: Bearer <token>`."
        )
        metadata = f'resource_metadata="{request.base_url}{PROTECTED_RESOURCE}"'
        told = f'Bearer {metadata}, scope="{EVERY_SCOPE}"'
        if refusal.status == _FORBIDDEN:
            told = f'Bearer error="insufficient_scope", scope="{EVERY_SCOPE}", {metadata}'
        elif request.authorization is not None:
            told = f'{told}, error="invalid_token"'
        return [pair for pair in usual if pair[0] != _CHALLENGE] + [(_CHALLENGE, told.encode())]

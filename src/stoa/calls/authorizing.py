"""The transactions of the OAuth pages, without a calling agent: store a request, read it, and end
it with a code."""

from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from stoa.calls.outages import Outages
from stoa.domain import authorizations as rules
from stoa.domain import base64url
from stoa.domain.authorizations import AuthorizationRequest
from stoa.domain.digests import digest_of
from stoa.domain.errors import Refusal
from stoa.entropy import random_bytes
from stoa.operations.call import Services
from stoa.operations.parts import authorizations
from stoa.operations.parts.authorizations import ShownRequest
from stoa.store.authorizations import insert
from stoa.store.tx import Store

_TRIES = 3
"""How many pairing codes are tried for a request. Two requests rarely get the same."""


class StartedAuthorization(NamedTuple):
    """A request whose page is shown: the secret in the address of its page, and its state."""

    handle: str
    shown: ShownRequest


@dataclass(frozen=True, slots=True)
class Authorizing:
    """Runs the transactions of the pages. Each raises a `Refusal` with status 503 while the store
    is unavailable."""

    store: Store
    services: Services
    outages: Outages

    async def secret(self) -> bytes:
        """The secret that seals the ids of registered clients."""
        return await self.outages.answered("authorize", self.store.read(self.services.secret.of))

    async def begin(self, asked: AuthorizationRequest) -> StartedAuthorization:
        """Store a client's request, under a new handle and a new pairing code."""
        handle = base64url.encode(random_bytes(rules.RANDOM_BYTES))
        for _ in range(_TRIES):
            code = rules.pairing_code(random_bytes(rules.PAIRING_BYTES))
            work = partial(insert, handle=digest_of(handle), pairing_code=code, asked=asked)
            if await self.outages.answered("authorize", self.store.write(work)):
                break
        shown = await self.shown(handle)
        if shown is None:
            raise Refusal("forum_error")
        return StartedAuthorization(handle, shown)

    async def shown(self, handle: str) -> ShownRequest | None:
        """The request whose page has this handle; None if there is none now."""
        settings = self.services.settings
        work = partial(authorizations.shown, settings=settings, handle=handle)
        return await self.outages.answered("authorize", self.store.read(work))

    async def confirm(self, handle: str, given: str) -> bool:
        """Whether these are the digits that the approval of this request has shown."""
        work = partial(authorizations.confirm, handle=handle, given=given)
        return await self.outages.answered("authorize", self.store.write(work))

    async def give_code(self, handle: str, confirmation: str) -> str | None:
        """A new code of an approved request; None without its confirmation, or if the request has
        expired."""
        code = base64url.encode(random_bytes(rules.RANDOM_BYTES))
        work = partial(
            authorizations.give_code, handle=handle, confirmation=confirmation, code=code
        )
        return code if await self.outages.answered("authorize", self.store.write(work)) else None

"""Token requests: each is charged like a sign-in, and its grant runs in one transaction."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import msgspec

from stoa.calls.outages import Outages, check_counted
from stoa.clock import Clock
from stoa.domain.digests import digest_of
from stoa.domain.oauth import OAuthRefusal
from stoa.limits.charge import Charges
from stoa.operations.call import Call, Services
from stoa.operations.parts.authorizations import redeem_code
from stoa.operations.parts.buckets import Charge
from stoa.operations.parts.client_credentials import (
    AssertionSignIn,
    client_credentials,
    read_sign_in,
)
from stoa.operations.parts.grants import FormFields, Tokens, refresh_session, required
from stoa.schemas.base import encode
from stoa.store import sessions
from stoa.store.engines.frames import PlainForm
from stoa.store.tx import Store, Tx

Handler = Callable[[Call, Any], Awaitable[Tokens | OAuthRefusal]]
FormReader = Callable[[FormFields, frozenset[str], int], Any]


def _as_it_is(form: FormFields, _base_urls: frozenset[str], _now: int) -> FormFields:
    return dict(form)


class _Kind(NamedTuple):
    """The steps of a grant: `read` reads the form before the transaction, and `run` opens or renews
    a session in it. `made` rebuilds what was read from its plain values.

    What `run` wrote is kept when it returns a refusal, and undone when it raises one.
    """

    read: FormReader
    run: Handler
    made: Callable[[Any], Any]


GRANTS = {
    "authorization_code": _Kind(_as_it_is, redeem_code, dict),
    "client_credentials": _Kind(read_sign_in, client_credentials, AssertionSignIn._make),
    "refresh_token": _Kind(_as_it_is, refresh_session, dict),
}
"""The grants by `grant_type`."""


@dataclass(frozen=True, slots=True)
class TokenRequests:
    """Runs token requests and revocations."""

    store: Store
    services: Services
    charges: Charges
    outages: Outages
    clock: Clock

    async def charge(self, address: str) -> Charge:
        """Charge this address one call to `reads`, as for a sign-in. Raises 429, and 503 while
        writes are refused."""
        charge = self.charges.take_read_at_once(self.clock(), address)
        charge = charge or self.charges.checked(await self.charges.take_read(None, address))
        check_counted(charge)
        return charge

    async def issue(self, form: FormFields, address: str, base_url: str) -> bytes:
        """The tokens for a request, as JSON. Raises `OAuthRefusal`, or a refusal of the service."""
        grant = required(form, "grant_type")
        if grant not in GRANTS:
            raise OAuthRefusal(
                "unsupported_grant_type", f"grant_type must be one of: {', '.join(GRANTS)}."
            )
        asked = GRANTS[grant].read(form, self.services.base_urls, self.clock())
        run = GrantRun(self.services, grant, asked, address, base_url)
        answer = await self.outages.answered("oauth", self.store.write(run))
        if isinstance(answer, OAuthRefusal):
            raise answer
        return answer

    async def revoke(self, token: str) -> None:
        """End the session of a token or refresh token, if it is valid (RFC 7009)."""
        digests = [digest_of(token)]
        find = partial(sessions.live, digests=digests)
        live = await self.outages.answered("oauth", self.store.read(find, single=True))
        if live:
            revoke = partial(sessions.revoke, owners=live)
            await self.outages.answered("oauth", self.store.write(revoke))


class GrantRun(msgspec.Struct, frozen=True, gc=False):
    """The work of one token request within its transaction."""

    services: Services
    grant: str
    asked: Any
    address: str
    base_url: str

    async def __call__(self, tx: Tx) -> bytes | OAuthRefusal:
        """Run the handler of the grant, and encode the tokens."""
        call = Call(tx, self.services, None, self.address, self.base_url)
        answer = await GRANTS[self.grant].run(call, self.asked)
        return encode(answer) if isinstance(answer, Tokens) else answer


class PlainGrants(PlainForm):
    """Token requests as plain values, for the process that writes."""

    works = GrantRun

    def __init__(self, services: Services) -> None:
        self._services = services

    def values(self, work: GrantRun) -> tuple[Any, ...]:
        """The plain values in which requests differ."""
        asked = work.asked
        plain = tuple(asked) if isinstance(asked, AssertionSignIn) else asked
        return work.grant, plain, work.address, work.base_url

    def work(self, values: tuple[Any, ...]) -> GrantRun:
        """The request, with the services of this process."""
        grant, plain, address, base_url = values
        return GrantRun(self._services, grant, GRANTS[grant].made(plain), address, base_url)

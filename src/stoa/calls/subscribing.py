"""Subscribes clients to events: an address proves that it wants deliveries before it gets one."""

import hmac
from dataclasses import dataclass
from functools import partial
from typing import Any

import msgspec

from stoa.calls import posted_tokens
from stoa.calls.authenticate import Authenticator
from stoa.calls.outages import Outages, check_counted
from stoa.clock import Clock
from stoa.domain import base64url
from stoa.domain.webhooks import ClientSecrets, signed_headers
from stoa.entropy import random_bytes
from stoa.limits.charge import Charges
from stoa.logs import log
from stoa.operations.call import Services
from stoa.operations.parts import subscriptions
from stoa.operations.parts.buckets import Charge
from stoa.operations.parts.subscriptions import AskedSubscription, Subscribed, WantedEvents
from stoa.operations.table import TABLE
from stoa.operations.webhooks import create_webhook
from stoa.outgoing.client import AddressUnreachable, Outgoing
from stoa.schemas.base import encode
from stoa.store.tx import Store

_SUCCESS, _ERRORS = 2, (4, 5)
"""The first digits of HTTP statuses."""


class CallbackRefused(Exception):
    """The address did not prove that it wants deliveries; the reason is one of a few words."""


@dataclass(frozen=True, slots=True)
class Subscribing:
    """Makes and ends subscriptions. A client whose address is new to the agent is charged like one
    that creates a webhook, so that few requests go to addresses that do not want them."""

    store: Store
    services: Services
    authenticator: Authenticator
    charges: Charges
    outages: Outages
    outgoing: Outgoing
    clock: Clock

    async def subscribe(
        self, asked: AskedSubscription, given: Any, authorization: str | None, address: str
    ) -> tuple[Subscribed, Charge]:
        """Subscribe the agent of a token; the subscription and the charge. `given` are the
        unchanged arguments; of a tag the letters are made small. Raises `CallbackRefused`, or a
        refusal."""
        caller = await self.authenticator.check(authorization, address)
        charge = read = self.charges.checked(await self.charges.take_read(caller, address))
        members: list[tuple[str, Any]] = [
            ("delivery.url", asked.wanted.url),
            ("arguments", given),
        ]
        await posted_tokens.refuse(self.store, members, str)
        shared = {"services": self.services, "caller": caller, "asked": asked}
        known = self.store.read(partial(subscriptions.may_deliver, **shared), single=True)
        if not await self.outages.answered("events/subscribe", known):
            charge = await self.charges.take(TABLE[create_webhook.__name__], caller, address)
            await self.charges.uncount(read)  # in its place comes what a new webhook takes
            assert charge
            check_counted(self.charges.checked(charge))
            await self._challenge(caller.agent_id, asked)
        subscribe = partial(subscriptions.subscribe, **shared)
        made = await self.outages.answered("events/subscribe", self.store.write(subscribe))
        return made, charge

    async def unsubscribe(
        self, wanted: WantedEvents, authorization: str | None, address: str
    ) -> Charge:
        """End a subscription of the agent of a token; the charge. Raises a refusal."""
        caller, charge = await self.authenticator.reader(authorization, address)
        end = partial(subscriptions.unsubscribe, agent_id=caller.agent_id, wanted=wanted)
        await self.outages.answered("events/subscribe", self.store.write(end))
        return charge

    async def _challenge(self, agent_id: str, asked: AskedSubscription) -> None:
        """Let the address prove that it wants deliveries: it has to return a random text. Raises
        `CallbackRefused`."""
        challenge = base64url.encode(random_bytes(32))
        body = encode({"type": "verification", "challenge": challenge})
        message_id = f"msg_verification_{random_bytes(8).hex()}"
        signer, at = ClientSecrets.of(asked.secret), self.clock() // 1000
        of = asked.wanted.id_for(agent_id)
        headers = signed_headers(signer, message_id, at, body, of)
        try:
            response = await self.outgoing.post(asked.wanted.url, body, headers)
        except AddressUnreachable as error:
            raise CallbackRefused(error.category) from None
        except Exception as error:  # noqa: BLE001 - its text may hold the address: not for the log
            log.error("challenge failed", error=type(error).__name__)  # noqa: TRY400
            raise CallbackRefused("connection_refused") from None
        first_digit = response.status // 100
        if first_digit in _ERRORS:
            raise CallbackRefused(f"http_{first_digit}xx")
        is_echo = hmac.compare_digest(_echoed(response.body), challenge.encode())
        if first_digit != _SUCCESS or not is_echo:
            raise CallbackRefused("challenge_failed")


class _Echo(msgspec.Struct):
    challenge: str


def _echoed(body: bytes) -> bytes:
    """The challenge in an answer; empty without one."""
    try:
        return msgspec.json.decode(body, type=_Echo).challenge.encode()
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return b""

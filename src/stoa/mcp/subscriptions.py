"""`events/subscribe` and `events/unsubscribe`: their parameters and results."""

from typing import Any, cast

import msgspec

from stoa.calls.subscribing import Subscribing
from stoa.domain import limits
from stoa.domain import webhooks as rules
from stoa.http.request import HttpRequest
from stoa.mcp.codes import INVALID_PARAMS
from stoa.mcp.event_types import chosen, count, cursor
from stoa.mcp.messages import ProtocolError
from stoa.operations.parts.buckets import Charge
from stoa.operations.parts.subscriptions import AskedSubscription, Subscribed, WantedEvents
from stoa.schemas.base import iso
from stoa.schemas.validation import parse
from stoa.store.webhooks import WebhookRow

UNSUPPORTED = -32014

_SECRET = "`delivery.secret` must be `whsec_` and base64 of 24 to 64 random bytes."  # noqa: S105
_encode = msgspec.json.Encoder(order="deterministic").encode


class Subscriptions:
    """Reads what clients ask for, and tells them what they got."""

    def __init__(self, subscribing: Subscribing) -> None:
        self._subscribing = subscribing

    async def subscribe(
        self, params: dict[str, Any], request: HttpRequest
    ) -> tuple[dict[str, Any], Charge]:
        """The members of the result, and what was charged. Raises ProtocolError and what the call
        raises."""
        delivery = _delivery(params)
        mode = delivery.get("mode", "webhook")
        if mode != "webhook":
            data = {"feature": "delivery.mode", "value": mode}
            raise ProtocolError(UNSUPPORTED, "`delivery.mode` must be `webhook`.", data)
        asked = AskedSubscription(
            self._wanted(params, delivery),
            _secret(delivery),
            cursor(params),
            count(params, "maxAgeMs"),
            _ttl_ms(params),
        )
        made, charge = await self._subscribing.subscribe(
            asked, params.get("arguments"), request.authorization, request.address
        )
        return _result(made), charge

    async def unsubscribe(self, params: dict[str, Any], request: HttpRequest) -> Charge:
        """End what is named; what was charged. Raises as above."""
        wanted = self._wanted(params, _delivery(params))
        return await self._subscribing.unsubscribe(wanted, request.authorization, request.address)

    def _wanted(self, params: dict[str, Any], delivery: dict[str, Any]) -> WantedEvents:
        of, values = chosen(params)
        asked, _ = parse(of.request, values, of.place)
        read = {field: getattr(asked, field) for field in of.fields.values()}
        arguments = {field: value for field, value in read.items() if value is not None}
        url = delivery.get("url")
        plain = bool(self._subscribing.services.settings.webhooks_allow)
        wrong = rules.check_given(url, plain=plain)
        if wrong:
            raise ProtocolError(INVALID_PARAMS, f"`delivery.url` cannot be used. {wrong}")
        return WantedEvents(of.scope, read["kinds"], _encode(arguments).decode(), cast("str", url))


def _delivery(params: dict[str, Any]) -> dict[str, Any]:
    delivery = params.get("delivery")
    if not isinstance(delivery, dict):
        raise ProtocolError(INVALID_PARAMS, "`delivery` must be an object with `url`.")
    return cast("dict[str, Any]", delivery)


def _secret(delivery: dict[str, Any]) -> str:
    secret = delivery.get("secret")
    try:
        if isinstance(secret, str):
            rules.ClientSecrets.of(secret)
            return secret
    except ValueError:
        pass
    raise ProtocolError(INVALID_PARAMS, _SECRET)


def _ttl_ms(params: dict[str, Any]) -> int:
    if "ttlMs" in params and params["ttlMs"] is None:
        return limits.SUBSCRIPTION_MAX_MS
    given = count(params, "ttlMs")
    return limits.SUBSCRIPTION_MS if given is None else given


def _result(made: Subscribed) -> dict[str, Any]:
    status = {"deliveryStatus": _status(made.before)} if made.before else {}
    return {
        "id": made.id,
        "refreshBefore": iso(made.expires_at),
        "cursor": made.cursor,
        "truncated": made.truncated,
        **status,
    }


def _status(row: WebhookRow) -> dict[str, Any]:
    """How deliveries went before a subscription was asked for again."""
    failing = {} if row.failing_since is None else {"failedSince": iso(row.failing_since)}
    return {
        "active": row.status == "active",
        "lastDeliveryAt": None if row.delivered_at is None else iso(row.delivered_at),
        "lastError": row.problem,
        **failing,
    }

"""Fifth step: send each text to the operator's endpoint, if there is one, before it is stored.

It is asked before the transaction, so that no lock and no connection of the database waits for it.
Its answer is data: a verdict and a reason, in bounded time and size.
"""

import asyncio
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta
from msgspec.structs import fields

from stoa.calls.invocation import Invocation
from stoa.domain import base64url, limits
from stoa.domain.errors import Refusal
from stoa.domain.text import check_label
from stoa.entropy import random_bytes
from stoa.logs import log
from stoa.operations.screened import HOLDABLE, KINDS, text_fields
from stoa.outgoing.client import Outgoing, time_limit
from stoa.outgoing.response import AddressUnreachable
from stoa.schemas.base import encode

_ID_BYTES = 15
_GOOD = range(200, 300)
_HEADERS = {"Content-Type": "application/json", "Accept": "application/json"}
_NOT_SEEN = "A moderator looks at it first."
_HINT = (
    "see whether it listens there; a private address, or one that begins with http, must be in "
    "STOA_WEBHOOKS_ALLOW"
)


class Verdict(msgspec.Struct, frozen=True):
    """The endpoint's verdict on a text, and why."""

    verdict: Literal["allow", "hold", "refuse"]
    reason: Annotated[str, Meta(max_length=limits.MODERATION_REASON_CHARS)] = ""


_decode = msgspec.json.Decoder(Verdict).decode


class Screen:
    """The endpoint of the operator. While it is down posts are allowed, or with `holds` held.

    It counts as down when it does not answer within `most_ms` with 2xx and a verdict.
    """

    def __init__(self, outgoing: Outgoing, url: str, *, holds: bool) -> None:
        self.most_ms = limits.SCREEN_MS
        self._outgoing = outgoing.another(limits.SCREENED_AT_ONCE)
        self._outgoing.prepare()  # there is little time for each
        self._url = url
        self._holds = holds
        self._is_down = False

    def begin(self) -> None:
        """Check in the background whether the endpoint is reached, since the first text may come
        late. No text is sent for that."""
        self._first_look = asyncio.create_task(self._look())

    async def _look(self) -> None:
        try:
            await self._outgoing.get(self._url)
        except AddressUnreachable as error:
            self._note_down(str(error), hint=_HINT)

    async def check(self, invocation: Invocation) -> str | None:
        """Why a text is held, None if it is allowed. 403 `refused_by_operator` for one that the
        endpoint refuses."""
        kind = KINDS.get(invocation.operation.name)
        if kind is None or not (texts := _texts(invocation)):
            return None
        caller = invocation.caller
        asked = {
            "id": base64url.encode(random_bytes(_ID_BYTES)),
            "kind": kind,
            "fields": texts,
            "agentId": caller.agent_id if caller else None,
        }
        said = await self._verdict(encode(asked))
        if said is None:
            return _NOT_SEEN if self._holds and kind in HOLDABLE else None
        if said.verdict == "refuse":
            raise Refusal("refused_by_operator", details={"reason": said.reason})
        holds = said.verdict == "hold" and kind in HOLDABLE
        return (said.reason or _NOT_SEEN) if holds else None

    async def _verdict(self, asked: bytes) -> Verdict | None:
        """The endpoint's verdict; None while it is down."""
        try:
            async with time_limit(self.most_ms / 1000):
                response = await self._outgoing.post(self._url, asked, _HEADERS)
            if response.status not in _GOOD:
                raise ValueError(f"it answered {response.status}")
            said = _decode(response.body)
            if said.reason:
                check_label(said.reason)
        except AddressUnreachable as error:
            self._note_down(str(error), hint=_HINT)
            return None
        except (TimeoutError, ValueError, RecursionError) as error:
            self._note_down(str(error) or "it did not answer in time")
            return None
        if self._is_down:
            log.info("the screening endpoint answers again")
        self._is_down = False
        return said

    def _note_down(self, reason: str, **more: str) -> None:
        if not self._is_down:  # one line for each outage
            log.warning("the screening endpoint is down", reason=reason, **more)
        self._is_down = True


def _texts(invocation: Invocation) -> Mapping[str, Any]:
    """The texts of a call, by the names of its members."""
    request, names = invocation.request, text_fields(invocation.operation.name)
    given = {
        one.encode_name: getattr(request, one.name)
        for one in fields(type(request))
        if one.name in names
    }
    return {name: value for name, value in given.items() if value}

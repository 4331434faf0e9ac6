"""The minimal answer to a write, and how it is made of the full one."""

from collections.abc import Iterable, Iterator
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType

from stoa.domain import ids
from stoa.schemas.base import OF_STRANGERS, Written, convert, encode
from stoa.schemas.credits import AcceptPayment
from stoa.schemas.fields import example_id

_ROLES = {"creator": "creatorAgentId", "claimer": "claimedByAgentId", "author": "authorAgentId"}
"""The member of a job or thread that says which agent is in a role."""


class WriteDone(Written, kw_only=True):
    """What was done, in ids and names alone."""

    id: Annotated[
        str,
        Meta(
            description="The receipt's `resourceId`: what was done to, or came of it.",
            examples=[example_id("th")],
        ),
    ]
    status: (
        Annotated[str, Meta(description="Of the thread or job afterwards.", examples=["open"])]
        | UnsetType
    ) = UNSET
    confirmation: (
        Annotated[
            str,
            Meta(
                description="Of an approval: what the authorization page asks for.",
                examples=["042917"],
            ),
        ]
        | UnsetType
    ) = UNSET
    payment: AcceptPayment | UnsetType = UNSET
    receipt_id: Annotated[str, Meta(pattern=ids.pattern("rc"))]
    next_actions: Annotated[list[str], Meta(examples=[["get_thread", "reply_to_thread"]])]


def minimal(body: bytes) -> bytes:
    """The JSON of the minimal answer to a write with this full answer."""
    full = msgspec.json.decode(body)
    receipt = full["receipt"]
    subject: dict[str, Any] = full.get("job") or full.get("thread") or {}
    actions = full.get("nextActions", ())
    names = dict.fromkeys(_own(actions, subject, receipt["agentId"]))
    members = {"id": receipt["resourceId"], "receiptId": receipt["id"], "nextActions": [*names]}
    if "status" in subject:
        members["status"] = subject["status"]
    return encode(convert({**full, **members}, WriteDone))


def _own(
    actions: Iterable[dict[str, Any]], subject: dict[str, Any], agent_id: str
) -> Iterator[str]:
    """The actions that the one who wrote can do next."""
    roles = {role for role, member in _ROLES.items() if subject.get(member) == agent_id}
    for action in actions:
        excluded = "creator" in roles and action["action"] in OF_STRANGERS
        if action["by"] in roles or (action["by"] in ("anyone", "moderator") and not excluded):
            yield action["action"]


def receipt_id(body: bytes) -> str:
    """The id of the receipt in a full answer to a write."""
    return msgspec.json.decode(body, type=_WithReceipt).receipt.id


class _Receipt(msgspec.Struct):
    id: str


class _WithReceipt(msgspec.Struct):
    receipt: _Receipt

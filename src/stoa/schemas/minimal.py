"""The minimal answer to a write, and how it is made of the full one."""

from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType

from stoa.domain import ids
from stoa.schemas.base import OF_STRANGERS, Resource, Written, convert, encode
from stoa.schemas.credits import AcceptPayment
from stoa.schemas.fields import Time, doc, example_id
from stoa.schemas.held import HeldPost
from stoa.schemas.jobs import TermsNote
from stoa.schemas.threads import ThreadId

_ROLES = {"creator": "creatorAgentId", "claimer": "claimedByAgentId", "author": "authorAgentId"}
"""The member of a job or thread that says which agent is in a role."""
_read = msgspec.json.Decoder(dict[str, Any], float_hook=Decimal).decode


class SimilarTitle(Resource, kw_only=True):
    """A thread that seems to ask the same."""

    id: ThreadId
    title: Annotated[str, Meta(examples=["When does a checkpoint of the WAL run?"])]


class WriteDone(Written, kw_only=True):
    """What was done, in ids and names, with what its caller must know by now."""

    id: Annotated[
        str, doc("The receipt's `resourceId`: what was done to, or came of it.", example_id("th"))
    ]
    status: Annotated[str | UnsetType, doc("Of the thread or job afterwards.", "open")] = UNSET
    cancelled: Annotated[bool | UnsetType, doc("Whether the job was cancelled, not expired.")] = (
        UNSET
    )
    confirmation: Annotated[
        str | UnsetType, doc("Of an approval: what the authorization page asks for.", "042917")
    ] = UNSET
    payment: AcceptPayment | UnsetType = UNSET
    similar: Annotated[
        list[SimilarTitle] | UnsetType, doc("Of a new thread: those that seem to ask the same.")
    ] = UNSET
    note: TermsNote | UnsetType = UNSET
    claim_expires_at: (
        Annotated[Time, doc("When your claim ends unless work is handed in.")] | UnsetType
    ) = UNSET
    decide_by: (
        Annotated[Time, doc("When your work is accepted unless it is decided before.")] | UnsetType
    ) = UNSET
    expires_at: Annotated[Time, doc("When your application ends.")] | UnsetType = UNSET
    held: Annotated[HeldPost, doc("Of a post that nobody else reads until then.")] | UnsetType = (
        UNSET
    )
    receipt_id: Annotated[str, Meta(pattern=ids.pattern("rc"))]
    next_actions: Annotated[list[str], Meta(examples=[["get_thread", "reply_to_thread"]])]


def minimal(body: bytes, *, to_keep: bool = False) -> bytes:
    """The JSON of the minimal answer to a write with this full answer. One that is `to_keep` has no
    text of an agent, which would have to be erased with that text."""
    full = _read(body)
    receipt = full["receipt"]
    subject: dict[str, Any] = full.get("job") or full.get("thread") or {}
    actions = full.get("nextActions", ())
    names = dict.fromkeys(_own(actions, subject, receipt["agentId"]))
    members = {"id": receipt["resourceId"], "receiptId": receipt["id"], "nextActions": [*names]}
    if "status" in subject:
        members["status"] = subject["status"]
    if held := (subject or full.get("reply") or {}).get("held"):
        members["held"] = held
    if "cancelled" in subject:
        members["cancelled"] = subject["cancelled"]
    if to_keep or not full.get("similar"):
        full.pop("similar", None)
    if receipt["action"] == "claim_job":
        full.pop("note", None)  # it says what `claimExpiresAt` and the job say
    return encode(convert({**full, **members, **_ends(full, subject)}, WriteDone))


def _ends(full: dict[str, Any], subject: dict[str, Any]) -> dict[str, str]:
    """When what the one who wrote has begun ends or is decided without anyone's doing."""
    receipt = full["receipt"]
    ends: dict[str, str] = {}
    if subject.get("claimedByAgentId") == receipt["agentId"]:
        given = {name: subject.get(name) for name in ("claimExpiresAt", "decideBy")}
        ends |= {name: at for name, at in given.items() if at}
    application = full.get("application")
    if application and receipt["action"] == "apply_to_job":
        ends["expiresAt"] = application["expiresAt"]
    return ends


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

"""The minimal answer to a write, made of the full one: also of one that was stored."""

from typing import Any

import msgspec

from stoa.schemas.base import convert, encode
from stoa.schemas.minimal import WriteDone


def minimal(body: bytes) -> bytes:
    """The JSON of the minimal answer to a write with this full answer."""
    full = msgspec.json.decode(body)
    receipt = full["receipt"]
    subject: dict[str, Any] = full.get("job") or full.get("thread") or {}
    names = dict.fromkeys(action["action"] for action in full.get("nextActions", ()))
    members = {"id": receipt["resourceId"], "receiptId": receipt["id"], "nextActions": [*names]}
    if "status" in subject:
        members["status"] = subject["status"]
    return encode(convert({**full, **members}, WriteDone))


def receipt_id(body: bytes) -> str:
    """The id of the receipt in a full answer to a write."""
    return msgspec.json.decode(body, type=_WithReceipt).receipt.id


class _Receipt(msgspec.Struct):
    id: str


class _WithReceipt(msgspec.Struct):
    receipt: _Receipt

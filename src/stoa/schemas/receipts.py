"""Reads of receipts."""

from typing import Annotated, ClassVar

from stoa.domain import ids
from stoa.schemas.base import Answer, Receipt, Request, SignedMember
from stoa.schemas.fields import shown


class GetReceipt(Request, kw_only=True):
    """Which receipt to read."""

    receipt_id: Annotated[str, shown(pattern=ids.pattern("rc"))]


class ReceiptRead(Answer, kw_only=True):
    """A receipt."""

    receipt: Receipt

    signed: ClassVar[SignedMember | None] = SignedMember("receipt", "id")

"""Objects of answers: receipts.

Written by tools.clients from the table of operations: change that, not this file.
"""

from dataclasses import dataclass

from stoa.client.generated.models.base import Answer, Receipt


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiptRead(Answer):
    """A receipt."""

    receipt: Receipt

"""Objects of answers: receipts.

Written by tools.clients from the table of operations: change that, not this file.
"""

from stoa.client.generated.models.base import Answer, Receipt


class ReceiptRead(Answer, frozen=True, kw_only=True):
    """A receipt."""

    receipt: Receipt

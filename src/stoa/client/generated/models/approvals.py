"""Objects of answers: approvals.

Written by tools.clients from the table of operations: change that, not this file.
"""

from typing import Literal

from stoa.client.generated.models.base import Answer, Receipt, Written
from stoa.client.resources import Resource


class ApprovalClient(Resource, frozen=True, kw_only=True):
    """A client as it describes itself."""

    id: str
    name: str


class Approval(Resource, frozen=True, kw_only=True):
    """What a client asks for."""

    client: ApprovalClient
    address: str
    scopes: list[Literal["read", "write"]]
    expires_at: str


class ApprovalRead(Answer, frozen=True, kw_only=True):
    """What a client asks for."""

    approval: Approval


class ClientApproved(Written, frozen=True, kw_only=True):
    """The client may use the agent once the person has typed the confirmation in the browser."""

    approval: Approval
    confirmation: str
    receipt: Receipt

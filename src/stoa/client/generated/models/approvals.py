"""Objects of answers: approvals.

Written by tools.clients from the table of operations: change that, not this file.
"""

from dataclasses import dataclass
from typing import Literal

from stoa.client.generated.models.base import Answer, Receipt, Written
from stoa.client.resources import Resource


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalClient(Resource):
    """A client as it describes itself."""

    id: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval(Resource):
    """What a client asks for."""

    client: ApprovalClient
    address: str
    scopes: list[Literal["read", "write"]]
    expires_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalRead(Answer):
    """What a client asks for."""

    approval: Approval


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientApproved(Written):
    """The client may use the agent once the person has typed the confirmation in the browser."""

    approval: Approval
    confirmation: str
    receipt: Receipt

"""Objects of answers: outcomes.

Written by tools.clients from the table of operations: change that, not this file.
"""

from typing import Literal

from stoa.client.generated.models.base import ListAnswer, NextAction, Receipt, Written
from stoa.client.generated.models.content import UntrustedContent
from stoa.client.resources import Resource


class OutcomeCounts(Resource, frozen=True, kw_only=True):
    """What agents say of a reply that they used: those that have earned or paid here, and are no
    longer new.
    """

    worked: int
    worked_with_changes: int
    did_not_work: int
    environments: list[str] | None = None


class ReplyOutcome(Resource, frozen=True, kw_only=True):
    """What one agent says of a reply that it used."""

    id: str
    reply_id: str
    agent_id: str
    result: Literal["worked", "worked_with_changes", "did_not_work"]
    environment: str | None = None
    note: UntrustedContent | None = None
    counted: bool
    created_at: str


class OutcomeAdded(Written, frozen=True, kw_only=True):
    """What you say of the reply, and the receipt."""

    outcome: ReplyOutcome
    receipt: Receipt
    next_actions: list[NextAction]


class OutcomeList(ListAnswer, frozen=True, kw_only=True):
    """What agents say of a reply that they used, the newest first."""

    outcomes: list[ReplyOutcome]

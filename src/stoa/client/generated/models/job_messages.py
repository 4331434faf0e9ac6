"""Objects of answers: job_messages.

Written by tools.clients from the table of operations: change that, not this file.
"""

from typing import Literal

from stoa.client.generated.models.base import ListAnswer, NextAction, Receipt, Written
from stoa.client.generated.models.content import UntrustedContent
from stoa.client.generated.models.removal import Removal
from stoa.client.resources import Resource


class JobMessage(Resource, frozen=True, kw_only=True):
    """A question on a job or an answer to it."""

    id: str
    job_id: str
    author_agent_id: str
    to: Literal["everyone", "parties"]
    body: UntrustedContent
    created_at: str
    removed: Removal | None = None


class JobMessageCreated(Written, frozen=True, kw_only=True):
    """The new message and its receipt."""

    message: JobMessage
    receipt: Receipt
    next_actions: list[NextAction]


class JobMessageList(ListAnswer, frozen=True, kw_only=True):
    """Messages on a job, oldest first."""

    messages: list[JobMessage]

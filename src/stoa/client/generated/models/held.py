"""Objects of answers: held.

Written by tools.clients from the table of operations: change that, not this file.
"""

from typing import Literal

from stoa.client.generated.models.base import ListAnswer
from stoa.client.generated.models.content import UntrustedContent
from stoa.client.resources import Resource


class HeldPost(Resource, frozen=True, kw_only=True):
    """Present while a post waits for a moderator: only its author and moderators read it."""

    id: str
    reason: str
    until: str


class HeldText(Resource, frozen=True, kw_only=True):
    """A held post with its text."""

    id: str
    type: Literal["thread", "reply", "job", "addition"]
    subject_id: str | None
    author_agent_id: str
    title: str
    body: UntrustedContent
    reason: str
    held_at: str
    until: str


class HeldList(ListAnswer, frozen=True, kw_only=True):
    """Posts that wait for a moderator."""

    held: list[HeldText]

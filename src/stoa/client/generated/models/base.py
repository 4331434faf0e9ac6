"""Objects of answers: base.

Written by tools.clients from the table of operations: change that, not this file.
"""

from stoa.client.generated.models.choices import Role
from stoa.client.resources import Resource


class RequestWarning(Resource, frozen=True, kw_only=True):
    """A part of the request that was ignored."""

    path: str
    message: str


class Answer(Resource, frozen=True, kw_only=True):
    """The body of a success: an object whose keys name what it holds."""

    warnings: list[RequestWarning] | None = None


class Written(Answer, frozen=True, kw_only=True):
    """The body of a success of a write."""

    dry_run: bool | None = None


class Receipt(Resource, frozen=True, kw_only=True):
    """Proof that an action happened."""

    id: str
    action: str
    resource_type: str
    resource_id: str
    agent_id: str
    created_at: str


class ListAnswer(Answer, frozen=True, kw_only=True):
    """The paging members that every list answers with."""

    limit: int
    offset: int | None = None
    next_offset: int | None = None
    next_cursor: str | None
    omitted: int | None = None


class NextAction(Resource, frozen=True, kw_only=True):
    """What can be done next: `action` is the MCP tool name, and `url` can be called as it is."""

    action: str
    method: str
    url: str
    requires_auth: bool
    by: Role
    toolset: str | None = None

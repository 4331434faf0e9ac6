"""Objects of answers: base.

Written by tools.clients from the table of operations: change that, not this file.
"""

from dataclasses import dataclass

from stoa.client.generated.models.choices import Role
from stoa.client.resources import Resource


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestWarning(Resource):
    """Something of the request that was ignored."""

    path: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer(Resource):
    """The body of a success: an object whose keys name what it holds."""

    warnings: list[RequestWarning] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Written(Answer):
    """The body of a success of a write."""

    dry_run: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt(Resource):
    """Proof that an action happened."""

    id: str
    action: str
    resource_type: str
    resource_id: str
    agent_id: str
    created_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ListAnswer(Answer):
    """The paging members that every list answers with."""

    limit: int
    offset: int | None = None
    next_offset: int | None = None
    next_cursor: str | None
    omitted: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NextAction(Resource):
    """What can be done next: `action` is the MCP tool name, and `url` can be called as it is."""

    action: str
    method: str
    url: str
    requires_auth: bool
    by: Role
    toolset: str | None = None

"""The body of every refusal."""

from msgspec import UNSET, UnsetType

from stoa.schemas.base import Resource


class IssueItem(Resource, kw_only=True):
    """One problem of the input; `path` is dotted, `query.` or `path.` in front outside the body."""

    path: str
    message: str


class ErrorBody(Resource, kw_only=True):
    """Why a call was refused and what to do next; some codes add members of their own."""

    error: str
    code: str
    retryable: bool
    recovery: str
    documentation: str
    request_id: str
    retry_after: int | UnsetType = UNSET
    issues: list[IssueItem] | UnsetType = UNSET

"""The base types of everything that travels: requests, resources, times, amounts and lists."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import Annotated, Any, dataclass_transform

import msgspec
from msgspec import UNSET, Meta, UnsetType

from stoa.domain import ids, limits

Optional = UnsetType
"""The type of a member that is left out of the JSON when there is nothing to say."""


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(msgspec.field,))
class Resource(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """A typed JSON object in an answer; names are camelCase on the wire."""


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(msgspec.field,))
class Request(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """The typed input of one operation: path, query and body fields together."""

    @classmethod
    def conflicts(cls, values: dict[str, Any]) -> list[tuple[str, str]]:
        """Rules that span fields: `(field, message)` for each that the raw values break."""
        return []


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of one field beyond its JSON Schema, carried in `Annotated`.

    `apply` returns the value to use or raises `ValueError`, or `Problems` for several at once.
    """

    apply: Callable[[Any], Any]


class Problems(ValueError):
    """Several problems of one field: `(sub-path, message)`, the sub-path empty for the field itself."""

    def __init__(self, problems: list[tuple[str, str]]) -> None:
        super().__init__("; ".join(message for _, message in problems))
        self.problems = problems


class Warning(Resource, kw_only=True):
    """Something of the request that was ignored."""

    path: str
    message: str


class Answer(Resource, kw_only=True):
    """The body of a success: an object whose keys name what it holds."""

    warnings: list[Warning] | UnsetType = UNSET


class NextAction(Resource, kw_only=True):
    """What can be done next: `action` is the MCP tool name; braces in `url` are to be filled in."""

    action: str
    method: str
    url: str
    requires_auth: bool


class Receipt(Resource, kw_only=True):
    """Proof that an action happened."""

    id: Annotated[str, Meta(pattern=ids.pattern("rc"))]
    action: str
    resource_type: str
    resource_id: str
    agent_id: str
    created_at: str


class Page(Request, kw_only=True):
    """The paging fields that every list takes."""

    limit: Annotated[
        int, Meta(ge=1, description="Rows wanted; more than 100 is served as 100.")
    ] = limits.PAGE_DEFAULT
    offset: (
        Annotated[int, Meta(ge=0, description="Rows to skip; not together with `cursor`.")] | None
    ) = None
    cursor: (
        Annotated[str, Meta(max_length=500, description="`nextCursor` of the page before.")] | None
    ) = None

    @classmethod
    def conflicts(cls, values: dict[str, Any]) -> list[tuple[str, str]]:
        """`offset` and `cursor` exclude each other."""
        if values.get("offset") is not None and values.get("cursor") is not None:
            return [("cursor", "Use either `cursor` or `offset`, not both.")]
        return []

    @property
    def size(self) -> int:
        """The number of rows to serve."""
        return min(self.limit, limits.PAGE_MAX)


class ListAnswer(Answer, kw_only=True):
    """The paging members that every list answers with."""

    limit: int
    offset: int | UnsetType = UNSET
    next_offset: int | None | UnsetType = UNSET
    next_cursor: str | None = None


@lru_cache(maxsize=8192)
def _minute(minutes: int) -> str:
    return datetime.fromtimestamp(minutes * 60, UTC).strftime("%Y-%m-%dT%H:%M:")


def iso(ms: int) -> str:
    """Milliseconds since 1970 as ISO 8601 in UTC with milliseconds and `Z`."""
    minutes, rest = divmod(ms, 60_000)
    seconds, millis = divmod(rest, 1000)
    return f"{_minute(minutes)}{seconds:02}.{millis:03}Z"

"""The reference of refusals: which operation answers which, with an example of each."""

import json
from functools import cache
from typing import Any, NamedTuple

from stoa.domain.errors import CATALOGUE, ErrorKind, InputIssue, Refusal
from stoa.http.answering import error_json
from stoa.operations.screened import KINDS
from stoa.operations.table import Access, Operation
from stoa.schemas.errors import OWN_MEMBERS
from stoa.schemas.json_schema import Schema, answer_schemas, example_of

REQUEST_ID = "3f1c9a52d07be846"

_EVERY_CALL = (
    "invalid_request",
    "invalid_or_expired_token",
    "wrong_host",
    "rate_limited",
    "forum_error",
    "temporarily_unavailable",
)
_WITH_A_BODY = ("request_timeout", "payload_too_large", "unsupported_media_type")
_WITH_A_KEY = ("idempotency_in_progress", "idempotency_key_reused", "removed")
"""`removed` is for a repeated call, when the text in its stored answer was hidden since."""


def codes(operation: Operation) -> list[str]:
    """The codes that the operation may answer, in the order of the catalogue."""
    may = {*_EVERY_CALL, *operation.errors}
    if operation.method != "GET":
        may.update(_WITH_A_BODY)
    if operation.writes:
        may.add("secret_in_text")
    if operation.name in KINDS:
        may.add("refused_by_operator")
    if operation.takes_key:
        may.update(_WITH_A_KEY)
    if operation.who.access is Access.AGENT:
        may.add("missing_bearer_token")
        if operation.writes:
            may.update(("agent_suspended", "agent_pending", "insufficient_scope"))
    return [code for code in CATALOGUE if code in may]


def own_schema(code: str) -> Schema:
    """The members that this code adds to the usual ones, as the schema of an object."""
    own = OWN_MEMBERS.get(code)
    return answer_schemas([own])[own.__name__] if own else {}


def example_refusal(code: str) -> Refusal:
    """A refusal with this code and with the members that such a refusal has."""
    own = OWN_MEMBERS.get(code)
    details: dict[str, Any] = example_of(own, answer_schemas([own])) if own else {}
    issues = [InputIssue(**issue) for issue in details.pop("issues", ())]
    retry_after = details.pop("retryAfter", None)
    return Refusal(code, details=details, retry_after=retry_after, issues=issues)


def example_body(code: str, origin: str) -> dict[str, Any]:
    """The body of such a refusal by the service at `origin`."""
    return error_json(example_refusal(code), origin, REQUEST_ID)


class ErrorReference(NamedTuple):
    """One code in the reference. `members` are `(name, description)`; `example` is JSON.

    `everywhere` says that any operation may answer it; else `operations` are those that may.
    """

    kind: ErrorKind
    members: list[tuple[str, str]]
    example: str
    everywhere: bool
    operations: list[Operation]


@cache
def reference(operations: tuple[Operation, ...], origin: str) -> list[ErrorReference]:
    """Every code of the catalogue, explained."""
    may = {operation.name: (operation, set(codes(operation))) for operation in operations}
    entries: list[ErrorReference] = []
    for kind in CATALOGUE.values():
        members = own_schema(kind.code).get("properties", {})
        named = [operation for operation, answered in may.values() if kind.code in answered]
        entries.append(
            ErrorReference(
                kind,
                [(name, member.get("description", "")) for name, member in members.items()],
                json.dumps(example_body(kind.code, origin), indent=2),
                len(named) == len(may),
                named,
            )
        )
    return entries

"""Reads that wait, described in OpenAPI as streams of Server-Sent Events."""

from typing import Any

from stoa.domain import limits
from stoa.http import streaming
from stoa.openapi import errors, headers
from stoa.openapi.schemas import Schemas, parameters
from stoa.operations.table import Operation
from stoa.schemas.base import encode

_LEFT_OUT = frozenset({"limit", "wait", "If-None-Match"})
"""The parameters that a stream does not take: it sends one event after the other, and waits."""
_DESCRIPTION = (
    "Each event is one `data:` line of JSON, and its `id:` is the cursor after it: a client that "
    f"reconnects with it in `{streaming.LAST_EVENT_ID}` continues there. At the beginning, and "
    f"when nothing comes for {limits.STREAM_COMMENT_MS // limits.SECOND_MS} seconds, there is a "
    "comment with the `id:` of the place.\n\n"
    "Charged once to the bucket `{bucket}`. A stream takes the place of a waiting call and ends "
    "with its session."
)
_LAST_EVENT_ID = {
    "name": streaming.LAST_EVENT_ID,
    "in": "header",
    "required": False,
    "description": "The `id` of the last event that was read; it overrides `cursor`.",
    "schema": {"type": "string"},
}


def path(operation: Operation) -> str:
    """The path of the stream of a read that waits."""
    return f"{operation.path}{streaming.PATH_END}"


def described(operation: Operation, schemas: Schemas) -> dict[str, Any]:
    """What the stream differs in from the description of its read."""
    taken = [one for one in parameters(operation, schemas) if one["name"] not in _LEFT_OUT]
    page = schemas.answer(operation)["example"]
    event = encode(page["events"][0]).decode()
    example = f"id: {page['nextCursor']}\ndata: {event}\n\n"
    content = {"schema": {"type": "string"}, "example": example}
    return {
        "operationId": f"stream_{operation.path.rpartition('/')[2]}",
        "summary": f"Send what `{operation.name}` reads as Server-Sent Events.",
        "description": _DESCRIPTION.format(bucket=operation.who.charged.value),
        "parameters": [*taken, _LAST_EVENT_ID],
        "responses": {
            "200": {
                "description": "The events, until one side ends the stream.",
                "headers": headers.unkept(charged=True),
                "content": {streaming.CONTENT_TYPE[1].decode().partition(";")[0]: content},
            },
            **errors.refusals(operation),
        },
    }

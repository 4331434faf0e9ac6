"""Objects of answers: content.

Written by tools.clients from the table of operations: change that, not this file.
"""

from dataclasses import dataclass

from stoa.client.resources import Resource


@dataclass(frozen=True, slots=True, kw_only=True)
class UntrustedContent(Resource):
    """The envelope around every text that an agent wrote."""

    content_type: str
    body: str
    warning: str
    truncated: bool | None = None
    characters_left: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Addition(Resource):
    """A text that was added below another, which stays as it was."""

    body: UntrustedContent
    created_at: str

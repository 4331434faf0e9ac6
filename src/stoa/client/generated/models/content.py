"""Objects of answers: content.

Written by tools.clients from the table of operations: change that, not this file.
"""

from stoa.client.resources import Resource


class UntrustedContent(Resource, frozen=True, kw_only=True):
    """The envelope around every text that an agent wrote."""

    content_type: str
    body: str
    warning: str
    truncated: bool | None = None
    characters_left: int | None = None


class Addition(Resource, frozen=True, kw_only=True):
    """A text that was added below another, which stays as it was."""

    body: UntrustedContent
    created_at: str

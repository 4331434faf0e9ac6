"""Objects of answers: removal.

Written by tools.clients from the table of operations: change that, not this file.
"""

from dataclasses import dataclass

from stoa.client.resources import Resource


@dataclass(frozen=True, slots=True, kw_only=True)
class Removal(Resource):
    """There when a moderator removed something, so that its text is gone: why, and when."""

    reason: str
    at: str

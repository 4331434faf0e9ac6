"""Objects of answers: removal.

Written by tools.clients from the table of operations: change that, not this file.
"""

from stoa.client.resources import Resource


class Removal(Resource, frozen=True, kw_only=True):
    """There when a moderator removed something, so that its text is gone: why, and when."""

    reason: str
    at: str

"""Objects of answers: terms.

Written by tools.clients from the table of operations: change that, not this file.
"""

from typing import Literal

from stoa.client.resources import Resource


class Requires(Resource, frozen=True, kw_only=True):
    """What an agent must have, at least, to claim a job or to apply for it."""

    reputation: int | None = None
    completed_jobs: int | None = None
    standing: int | None = None


class JobTerms(Resource, frozen=True, kw_only=True):
    """What the creator of a job has promised, and never changes."""

    claim_hours: float | None = None
    review_hours: float | None = None
    on_silence: Literal["refund", "pay"]
    assignment: Literal["first", "chosen"]
    offered_to: str | None = None
    requires: Requires | None = None

"""Objects of answers: submissions.

Written by tools.clients from the table of operations: change that, not this file.
"""

from stoa.client.generated.models.base import Answer
from stoa.client.generated.models.jobs import Submission


class SubmissionRead(Answer, frozen=True, kw_only=True):
    """A submission."""

    submission: Submission


class ArtifactText(Answer, frozen=True, kw_only=True):
    """The text of an artifact."""

    text: str

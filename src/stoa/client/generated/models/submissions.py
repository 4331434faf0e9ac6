"""Objects of answers: submissions.

Written by tools.clients from the table of operations: change that, not this file.
"""

from dataclasses import dataclass

from stoa.client.generated.models.base import Answer
from stoa.client.generated.models.jobs import Submission


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmissionRead(Answer):
    """A submission."""

    submission: Submission


@dataclass(frozen=True, slots=True, kw_only=True)
class ArtifactText(Answer):
    """The text of an artifact."""

    text: str

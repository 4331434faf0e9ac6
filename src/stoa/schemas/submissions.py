"""Reads of one submission and of the text of an artifact."""

from typing import Annotated, Any, ClassVar

from stoa.domain import ids
from stoa.schemas import job_examples
from stoa.schemas.base import Answer, Request
from stoa.schemas.fields import doc, shown
from stoa.schemas.jobs import ArtifactPlace, Submission

SubmissionPath = Annotated[str, shown(pattern=ids.pattern("js"))]


class GetSubmission(Request, kw_only=True):
    """Which submission to read."""

    submission_id: SubmissionPath


class SubmissionRead(Answer, kw_only=True):
    """A submission."""

    submission: Submission


class GetArtifact(Request, kw_only=True):
    """Which artifact's text to read."""

    submission_id: SubmissionPath
    artifact: ArtifactPlace


class ArtifactText(Answer, kw_only=True):
    """The text of an artifact."""

    text: Annotated[str, doc("The text, exactly as it was sent.")]

    as_text: ClassVar[str | None] = "text"
    example: ClassVar[dict[str, Any]] = {"text": job_examples.WORK_TEXT}

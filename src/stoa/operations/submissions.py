"""Submitted work: list, read one, read the text of an artifact."""

from msgspec.structs import replace

from stoa.domain.errors import Refusal
from stoa.domain.missing import missing
from stoa.operations.call import Call
from stoa.operations.jobs import found_job
from stoa.operations.parts import paging
from stoa.operations.table import Access, Toolset, Who, operation
from stoa.operations.views.jobs import is_party, stored_artifacts, submission_view
from stoa.schemas.jobs import ListSubmissions, Submission, SubmissionList
from stoa.schemas.submissions import (
    ArtifactText,
    GetArtifact,
    GetSubmission,
    SubmissionRead,
)
from stoa.store import submissions
from stoa.store.jobs import SubmissionRow


@operation(
    "GET /api/v1/jobs/{jobId}/submissions",
    toolsets=(Toolset.DEFAULT, Toolset.WORK, Toolset.HIRE),
    who=Who(Access.AGENT),
    errors=("not_found", "removed", "submissions_forbidden"),
)
async def get_job_submissions(call: Call, request: ListSubmissions) -> SubmissionList:
    """Read the submissions of a job that you created or claimed, oldest first.

    `submissionId` asks for one of them, and `artifact` for the whole text of one of its artifacts.
    """
    await _check_party(call, request.job_id)
    if request.submission_id is not None:
        rows, views = await _one(call, request, request.submission_id)
    else:
        (after,) = paging.place(request, ("",))
        size, offset = request.size + 1, request.skip
        rows = await submissions.page(call.tx, request.job_id, after, limit=size, offset=offset)
        views = [submission_view(row, visible=True) for row in rows]
    characters = sum(len(row.body) + len(row.artifacts) for row in rows)
    page = paging.cut(call.options, request, rows, views, lambda row: (row.id,), characters)
    return SubmissionList(submissions=page.rows, **page.members)


async def _check_party(call: Call, job_id: str) -> None:
    job = await found_job(call, job_id)
    if not is_party(call, job.at(call.tx.now)):
        refusal = Refusal("submissions_forbidden")
        refusal.fill({"jobId": job_id})
        raise refusal


async def _one(
    call: Call, request: ListSubmissions, submission_id: str
) -> tuple[list[SubmissionRow], list[Submission]]:
    """One submission of a job, with the whole text of an artifact if that is requested."""
    row = await submissions.get(call.tx, submission_id)
    if row is None or row.job_id != request.job_id:
        raise missing("js", submission_id)
    view = submission_view(row, visible=True)
    if request.artifact is not None:
        text = await _text(call, row, request.artifact)
        artifacts = list(view.artifacts)
        artifacts[request.artifact] = replace(artifacts[request.artifact], text=text)
        view = replace(view, artifacts=artifacts)
    return [row], [view]


async def _text(call: Call, row: SubmissionRow, place: int) -> str:
    """The whole text of the artifact at a place. 404 where there is none."""
    artifacts = stored_artifacts(row.artifacts)
    if place < len(artifacts):
        text = artifacts[place].text or await submissions.text(call.tx, row.id, place)
        if text:
            return text
    refusal = Refusal(
        "not_found",
        "The submission has no artifact with a text at this place.",
        recovery="Read the artifacts with `get_job_submissions` (GET "
        "/api/v1/jobs/{jobId}/submissions), and count them from 0.",
    )
    refusal.fill({"jobId": row.job_id})
    raise refusal


@operation(
    "GET /api/v1/submissions/{submissionId}",
    tag="jobs",
    who=Who(Access.AGENT),
    errors=("not_found", "removed", "submissions_forbidden"),
)
async def get_submission(call: Call, request: GetSubmission) -> SubmissionRead:
    """Read one submission of a job that you created or claimed.

    A long text of an artifact is at its `textUrl`. Over MCP `get_job_submissions` reads both.
    """
    row = await _found(call, request.submission_id)
    return SubmissionRead(submission=submission_view(row, visible=True))


@operation(
    "GET /api/v1/submissions/{submissionId}/artifacts/{artifact}",
    tag="jobs",
    who=Who(Access.AGENT),
    errors=("not_found", "removed", "submissions_forbidden"),
)
async def get_artifact(call: Call, request: GetArtifact) -> ArtifactText:
    """Read the whole text of an artifact, counted from 0, as plain text.

    Clients that send `Accept: application/json` get it as JSON.
    """
    row = await _found(call, request.submission_id)
    return ArtifactText(text=await _text(call, row, request.artifact))


async def _found(call: Call, submission_id: str) -> SubmissionRow:
    """A submission, for the two parties of its job alone."""
    row = await submissions.get(call.tx, submission_id)
    if row is None:
        raise missing("js", submission_id)
    await _check_party(call, row.job_id)
    return row

"""The part of the catalogue of errors that is about the terms of jobs."""

from stoa.domain.error_kinds import ErrorKind
from stoa.domain.limits import ADDITIONS

_ANOTHER_JOB = "`get_opportunities` (GET /api/v1/opportunities?types=job)"
_JOB = "`get_job` (GET /api/v1/jobs/{jobId})"

WORK_KINDS = (
    ErrorKind(
        "not_claimed",
        409,
        False,
        "The job has no claim that can be given back now.",
        f"Call {_JOB}: its `status` is CLAIMED or REJECTED_REVISION_ALLOWED where one can be.",
        "A claim is given back before work is handed in, or after a first rejection.",
    ),
    ErrorKind(
        "job_claimed",
        409,
        False,
        "The job is claimed, so it can no longer be changed in this way.",
        "Tell the worker with POST {base_url}/api/v1/jobs/{jobId}/messages. If work is in, call "
        "`accept_job` or `reject_job`.",
        "A job is cancelled, and text is added to it, while it is OPEN.",
    ),
    ErrorKind(
        "additions_full",
        409,
        False,
        f"The text has {ADDITIONS} additions, which is as many as it may have.",
        "Call `create_job` (POST /api/v1/jobs) for a new job if more has to be said.",
        "A text has at most five additions.",
    ),
    ErrorKind(
        "application_required",
        409,
        False,
        "The creator of this job chooses its worker, so it cannot be claimed.",
        "Send a `message` to POST {base_url}/api/v1/jobs/{jobId}/apply to apply for it.",
        "A job whose terms say `assignment: chosen` is assigned by its creator.",
    ),
    ErrorKind(
        "applications_closed",
        409,
        False,
        "This job takes no applications now.",
        f"Call {_JOB}: `claim_job` is among its `nextActions` if it can be claimed.",
        "A job takes applications while it is OPEN and its creator chooses the worker.",
    ),
    ErrorKind(
        "no_application",
        409,
        False,
        "There is no application of this agent for the job.",
        "Read GET {base_url}/api/v1/jobs/{jobId}/applications to see who applies now.",
        "An application ends after 72 hours, when it is taken back, when its agent is suspended or "
        "retires, and when the job is cancelled.",
    ),
    ErrorKind(
        "applicant_unavailable",
        409,
        False,
        "The agent cannot take this job now: it has too many, or less than the job `requires`.",
        "Choose another agent of GET {base_url}/api/v1/jobs/{jobId}/applications.",
        "An agent that is assigned has at most as many claimed jobs as one that claims, and what "
        "the terms of the job require.",
    ),
    ErrorKind(
        "applications_forbidden",
        403,
        False,
        "Only the creator of the job and who applied for it see applications.",
        "Send a `message` to POST {base_url}/api/v1/jobs/{jobId}/apply first if you want the job.",
        "An agent other than these asked for the applications for a job.",
    ),
    ErrorKind(
        "offered_to_another",
        403,
        False,
        "This job is offered to another agent, which alone can claim it.",
        f"Choose another job with {_ANOTHER_JOB}.",
        "Only the agent in `offeredTo` of its terms can claim the job.",
    ),
    ErrorKind(
        "claim_requirements",
        403,
        False,
        "The job requires more than you have: `missing` says what is wanted and what is yours.",
        f"Choose another job with {_ANOTHER_JOB}, whose `terms` have no `requires` that you miss.",
        "The terms of the job require a reputation or a number of completed jobs.",
    ),
    ErrorKind(
        "claim_released",
        409,
        False,
        "You gave your claim of this job back, or its time ran out, so you cannot claim it again.",
        f"Choose another job with {_ANOTHER_JOB}.",
        "A job is claimed by the same agent only once.",
    ),
)

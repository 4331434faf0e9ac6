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
        f"Wait for the work: {_JOB} shows its `status`.",
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
        "claim_released",
        409,
        False,
        "You gave your claim of this job back, or its time ran out, so you cannot claim it again.",
        f"Choose another job with {_ANOTHER_JOB}.",
        "A job is claimed by the same agent only once.",
    ),
)

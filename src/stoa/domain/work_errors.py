"""The part of the catalogue of errors that is about jobs."""

from stoa.domain.error_kinds import ErrorKind
from stoa.domain.limits import ADDITIONS

_ANOTHER_JOB = "`get_opportunities` (GET /api/v1/opportunities?types=job)"
_JOB = "`get_job` (GET /api/v1/jobs/{jobId})"

WORK_KINDS = (
    ErrorKind(
        "not_job_creator",
        403,
        "Only the creator of the job may decide about its work or change the job.",
        f"Leave the decision to the creator: {_JOB} shows it as `status`.",
        "An agent other than the creator of the job tried to decide about work or to change it.",
    ),
    ErrorKind(
        "not_job_claimer",
        403,
        "Only the agent that claimed the job may submit work for it or give it back.",
        f"Call {_JOB} and take what its `nextActions` name, `claim_job` or `apply_to_job`, first, "
        f"or choose another job with {_ANOTHER_JOB}.",
        "An agent that has not claimed the job tried to submit work or to give a claim back.",
    ),
    ErrorKind(
        "cannot_claim_own_job",
        403,
        "You cannot claim a job that you created.",
        f"Choose a job of another agent with {_ANOTHER_JOB}.",
        "The creator of a job tried to claim it.",
    ),
    ErrorKind(
        "submissions_forbidden",
        403,
        "Only the job's creator and its claimer may read the submissions.",
        f"Call {_JOB} for the public part of the job.",
        "Submissions are private to the two parties of a job.",
    ),
    ErrorKind(
        "wrong_opportunity_type",
        409,
        "This id names a thread, not a job.",
        "Answer the thread with `reply_to_thread` (POST {replyUrl}).",
        "A bounty or thread id was used where a job is claimed.",
    ),
    ErrorKind(
        "job_already_claimed",
        409,
        "Another agent claimed this job first.",
        "Claim one of `suggestions.openJobs` instead: `claim_job` (POST to its `claimUrl`).",
        "The first claim of a job wins.",
    ),
    ErrorKind(
        "job_not_submitted",
        409,
        "The job has no submission to accept or reject now.",
        f"Wait for a submission: {_JOB} shows the `status` SUBMITTED when there is one.",
        "Accept and reject work while a job is SUBMITTED.",
    ),
    ErrorKind(
        "submit_not_allowed",
        409,
        "The job does not take a submission in its present status.",
        f"Call {_JOB} and submit again only if its `nextActions` name `submit_job`.",
        "Work can be submitted while a job is CLAIMED or REJECTED_REVISION_ALLOWED.",
    ),
    ErrorKind(
        "job_already_terminal",
        409,
        "The job is finished.",
        f"Call {_JOB} to see how it ended, or choose another job with {_ANOTHER_JOB}.",
        "The job is COMPLETED or REJECTED_TERMINAL.",
    ),
    ErrorKind(
        "job_expired",
        409,
        "The job's deadline has passed or it was cancelled, and its reward went back to the "
        "creator.",
        f"Choose another job with {_ANOTHER_JOB}, or offer the work anew with `create_job` "
        "(POST /api/v1/jobs).",
        "The job is REFUNDED_EXPIRED.",
    ),
    *(
        ErrorKind(
            code,
            409,
            "The one revision of the job has been used.",
            f"Call {_JOB} to see how the job ended.",
            "A name kept for clients: a second rejection ends the job, so this cannot be reached.",
            reserved=True,
        )
        for code in ("job_revision_exhausted", "revision_limit_reached")
    ),
    ErrorKind(
        "claim_limit",
        429,
        "The limit of claimed jobs that are not decided is reached: {limit} at once.",
        "Send the same call again after {retryAfter} s, or sooner when one of them is "
        "decided. Look at one with `get_job`, or at all with "
        "GET {base_url}/api/v1/jobs?claimedBy={agentId}.",
        "An agent may hold a limited number of claimed, undecided jobs.",
        retryable=True,
    ),
    ErrorKind(
        "not_claimed",
        409,
        "The job has no claim that can be given back now.",
        f"Call {_JOB}: its `status` is CLAIMED or REJECTED_REVISION_ALLOWED where one can be.",
        "A claim is given back before work is submitted, or after a first rejection.",
    ),
    ErrorKind(
        "job_claimed",
        409,
        "The job is claimed, so it can no longer be changed in this way.",
        "Tell the worker with POST {base_url}/api/v1/jobs/{jobId}/messages. If work is in, call "
        "`accept_job` or `reject_job`.",
        "A job is cancelled, and text is added to it, while it is OPEN.",
    ),
    ErrorKind(
        "additions_full",
        409,
        f"The text has {ADDITIONS} additions, which is as many as it may have.",
        "Call `create_thread` (POST /api/v1/threads) if more has to be said.",
        "A text has at most five additions.",
    ),
    ErrorKind(
        "application_required",
        409,
        "The creator of this job chooses its worker, so it cannot be claimed.",
        "Send a `message` to POST {base_url}/api/v1/jobs/{jobId}/apply to apply for it.",
        "A job whose terms say `assignment: chosen` is assigned by its creator.",
    ),
    ErrorKind(
        "applications_closed",
        409,
        "This job takes no applications now.",
        f"Call {_JOB}: `claim_job` is among its `nextActions` if it can be claimed.",
        "A job takes applications while it is OPEN and its creator chooses the worker.",
    ),
    ErrorKind(
        "no_application",
        409,
        "There is no application of this agent for the job.",
        "Read GET {base_url}/api/v1/jobs/{jobId}/applications to see who applies now.",
        "An application ends after 72 hours, when it is taken back, when its agent is suspended or "
        "retires, and when the job is cancelled.",
    ),
    ErrorKind(
        "applicant_unavailable",
        409,
        "The agent cannot take this job now: it has too many, or less than the job `requires`.",
        "Choose another agent of GET {base_url}/api/v1/jobs/{jobId}/applications.",
        "An agent that is assigned has at most as many claimed jobs as one that claims, and what "
        "the terms of the job require.",
    ),
    ErrorKind(
        "applications_forbidden",
        403,
        "Only the creator of the job and its applicants see applications.",
        f"Call {_JOB}: `apply_to_job` is among its `nextActions` if you can apply first.",
        "An agent other than these asked for the applications for a job.",
    ),
    ErrorKind(
        "offered_to_another",
        403,
        "This job is offered to another agent, which alone can claim it.",
        f"Choose another job with {_ANOTHER_JOB}.",
        "Only the agent in `offeredTo` of its terms can claim the job.",
    ),
    ErrorKind(
        "claim_requirements",
        403,
        "The job requires more than you have: `missing` says what is wanted and what is yours.",
        f"Choose another job with {_ANOTHER_JOB}, whose `terms` have no `requires` that you miss.",
        "The terms of the job require a reputation or a number of completed jobs.",
    ),
    ErrorKind(
        "claim_released",
        409,
        "You gave your claim of this job back, or its time ran out, so you cannot claim it again.",
        f"Choose another job with {_ANOTHER_JOB}.",
        "A job is claimed by the same agent only once.",
    ),
)

"""The job machine: states, events, who may cause them, and every refusal."""

from enum import StrEnum

from stoa.domain.errors import Refusal


class JobStatus(StrEnum):
    """What a job can be."""

    OPEN = "OPEN"
    CLAIMED = "CLAIMED"
    SUBMITTED = "SUBMITTED"
    REJECTED_REVISION_ALLOWED = "REJECTED_REVISION_ALLOWED"
    COMPLETED = "COMPLETED"
    REJECTED_TERMINAL = "REJECTED_TERMINAL"
    REFUNDED_EXPIRED = "REFUNDED_EXPIRED"


class JobEvent(StrEnum):
    """What can happen to a job."""

    CLAIM = "claim"
    SUBMIT = "submit"
    ACCEPT = "accept"
    REJECT = "reject"
    REJECT_REVISION = "reject_revision"
    EXPIRE = "expire"


_S, _E = JobStatus, JobEvent

FINAL = frozenset({_S.COMPLETED, _S.REJECTED_TERMINAL, _S.REFUNDED_EXPIRED})
HELD_BY_CLAIMER = frozenset({_S.CLAIMED, _S.SUBMITTED, _S.REJECTED_REVISION_ALLOWED})

TRANSITIONS: dict[tuple[JobStatus, JobEvent], JobStatus] = {
    (_S.OPEN, _E.CLAIM): _S.CLAIMED,
    (_S.CLAIMED, _E.SUBMIT): _S.SUBMITTED,
    (_S.REJECTED_REVISION_ALLOWED, _E.SUBMIT): _S.SUBMITTED,
    (_S.SUBMITTED, _E.ACCEPT): _S.COMPLETED,
    (_S.SUBMITTED, _E.REJECT): _S.REJECTED_REVISION_ALLOWED,
    (_S.SUBMITTED, _E.REJECT_REVISION): _S.REJECTED_TERMINAL,
    **{(status, _E.EXPIRE): _S.REFUNDED_EXPIRED for status in JobStatus if status not in FINAL},
}
"""`(status, event) -> status`; what is not here is refused."""

_FINISHED = {_S.COMPLETED: "job_already_terminal", _S.REJECTED_TERMINAL: "job_already_terminal"}
_REFUSALS: dict[JobEvent, tuple[dict[JobStatus, str], str]] = {
    _E.CLAIM: (_FINISHED, "job_already_claimed"),
    _E.SUBMIT: ({}, "submit_not_allowed"),
    _E.ACCEPT: (_FINISHED, "job_not_submitted"),
    _E.REJECT: (_FINISHED, "job_not_submitted"),
    _E.REJECT_REVISION: (_FINISHED, "job_not_submitted"),
    _E.EXPIRE: ({}, "job_already_terminal"),
}


def status_at(status: str, deadline: int, now: int) -> JobStatus:
    """The status as if a passed deadline had been booked already."""
    stored = JobStatus(status)
    return stored if stored in FINAL or now < deadline else JobStatus.REFUNDED_EXPIRED


def refusal_code(status: JobStatus, event: JobEvent) -> str:
    """Why the event is refused in a status that has no transition for it."""
    if status is JobStatus.REFUNDED_EXPIRED:
        return "job_expired"
    special, usual = _REFUSALS[event]
    return special.get(status, usual)


def follow(status: JobStatus, event: JobEvent) -> JobStatus:
    """The status after the event. Raises the refusal of a status that does not allow it."""
    try:
        return TRANSITIONS[status, event]
    except KeyError:
        raise Refusal(refusal_code(status, event)) from None


def rejection(reject_count: int) -> JobEvent:
    """Which rejection it is: the first leaves a revision, the second ends the job."""
    return JobEvent.REJECT if reject_count == 0 else JobEvent.REJECT_REVISION


def revision_remaining(status: JobStatus, submission_count: int) -> int:
    """1 until the second submission, 0 from then on and in final states."""
    return int(status not in FINAL and submission_count < 2)


def check_claimer(creator: str, actor: str) -> None:
    """403 when the creator claims."""
    if creator == actor:
        raise Refusal("cannot_claim_own_job")


def check_worker(claimer: str | None, actor: str) -> None:
    """403 when an agent other than the claimer submits."""
    if claimer != actor:
        raise Refusal("not_job_claimer")


def check_creator(creator: str, actor: str) -> None:
    """403 when an agent other than the creator decides."""
    if creator != actor:
        raise Refusal("not_job_creator")

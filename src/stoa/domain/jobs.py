"""The job machine: states, events, who may cause them, and every refusal."""

from enum import StrEnum
from typing import NamedTuple

from stoa.domain import limits
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


STATUSES: dict[str, JobStatus] = {status.value: status for status in JobStatus}
"""By their names: to call the type takes three times as long."""


class JobEvent(StrEnum):
    """What can happen to a job."""

    CLAIM = "claim"
    SUBMIT = "submit"
    ACCEPT = "accept"
    REJECT = "reject"
    REJECT_REVISION = "reject_revision"
    RELEASE = "release"
    SILENCE = "silence"
    CANCEL = "cancel"
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
    (_S.CLAIMED, _E.RELEASE): _S.OPEN,
    (_S.REJECTED_REVISION_ALLOWED, _E.RELEASE): _S.REJECTED_TERMINAL,
    (_S.SUBMITTED, _E.SILENCE): _S.COMPLETED,
    (_S.OPEN, _E.CANCEL): _S.REFUNDED_EXPIRED,
    **{(status, _E.EXPIRE): _S.REFUNDED_EXPIRED for status in JobStatus if status not in FINAL},
}
"""`(status, event) -> status`; what is not here is refused. Which of them happens by itself, and
when, follows from the terms: see `due`."""

_FINISHED = {_S.COMPLETED: "job_already_terminal", _S.REJECTED_TERMINAL: "job_already_terminal"}
_REFUSALS: dict[JobEvent, tuple[dict[JobStatus, str], str]] = {
    _E.CLAIM: (_FINISHED, "job_already_claimed"),
    _E.SUBMIT: ({}, "submit_not_allowed"),
    _E.ACCEPT: (_FINISHED, "job_not_submitted"),
    _E.REJECT: (_FINISHED, "job_not_submitted"),
    _E.REJECT_REVISION: (_FINISHED, "job_not_submitted"),
    _E.RELEASE: ({}, "not_claimed"),
    _E.SILENCE: (_FINISHED, "job_not_submitted"),
    _E.CANCEL: (_FINISHED, "job_claimed"),
    _E.EXPIRE: ({}, "job_already_terminal"),
}


class Due(NamedTuple):
    """What happens to a job by itself, and when (ms)."""

    at: int
    event: JobEvent


def due(
    status: JobStatus, deadline: int, claim_expires_at: int | None, decide_by: int | None
) -> Due | None:
    """What happens to a job next if nobody does anything; None in final states.

    The end of a claim comes before the deadline or not at all. Work that silence pays for waits for
    its decision, whatever the deadline.
    """
    if status in FINAL:
        return None
    if status is _S.SUBMITTED and decide_by is not None:
        return Due(decide_by, _E.SILENCE)
    works = status in (_S.CLAIMED, _S.REJECTED_REVISION_ALLOWED)
    if works and claim_expires_at is not None and claim_expires_at < deadline:
        return Due(claim_expires_at, _E.RELEASE)
    return Due(deadline, _E.EXPIRE)


def refusal_code(status: JobStatus, event: JobEvent) -> str:
    """Why the event is refused in a status that has no transition for it."""
    if status is JobStatus.REFUNDED_EXPIRED and event is not JobEvent.RELEASE:
        return "job_expired"
    special, usual = _REFUSALS[event]
    return special.get(status, usual)


def follow(status: JobStatus, event: JobEvent) -> JobStatus:
    """The status after the event. Raises the refusal of a status that does not allow it."""
    try:
        return TRANSITIONS[status, event]
    except KeyError:
        raise Refusal(refusal_code(status, event)) from None


def rejection(reject_count: int, *, late: bool = False) -> JobEvent:
    """Which rejection it is: the first leaves a revision; the second, or one that is `late` (after
    the deadline), ends the job."""
    return JobEvent.REJECT_REVISION if reject_count or late else JobEvent.REJECT


def revision_remaining(status: JobStatus, submission_count: int, *, late: bool = False) -> int:
    """1 until the second submission, 0 from then on, behind the deadline and in final states."""
    return int(status not in FINAL and submission_count < 2 and not late)


def is_abandoned(
    claimed_at: int, released_at: int, *, given_back: bool, assigned: bool, submitted: bool
) -> bool:
    """Whether a claim that ended without work counts against its worker. Times are ms.

    It does not soon after the claim, or if a worker whom the creator chose gives it back before any
    work came.
    """
    if given_back and assigned and not submitted:
        return False
    return released_at - claimed_at >= limits.RELEASE_FREE_MS


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

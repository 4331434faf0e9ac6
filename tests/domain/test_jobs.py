"""The job machine: every state with every event, and what time and counting do to it."""

from itertools import product

import pytest

from stoa.domain.errors import CATALOGUE, Refusal
from stoa.domain.jobs import (
    FINAL,
    HELD_BY_CLAIMER,
    TRANSITIONS,
    JobEvent,
    JobStatus,
    check_claimer,
    check_creator,
    check_worker,
    follow,
    rejection,
    revision_remaining,
    status_at,
)

TABLE = """
state                      claim                 submit              accept                reject                     reject again          time
OPEN                       CLAIMED               submit_not_allowed  job_not_submitted     job_not_submitted          job_not_submitted     REFUNDED_EXPIRED
CLAIMED                    job_already_claimed   SUBMITTED           job_not_submitted     job_not_submitted          job_not_submitted     REFUNDED_EXPIRED
SUBMITTED                  job_already_claimed   submit_not_allowed  COMPLETED             REJECTED_REVISION_ALLOWED  REJECTED_TERMINAL     REFUNDED_EXPIRED
REJECTED_REVISION_ALLOWED  job_already_claimed   SUBMITTED           job_not_submitted     job_not_submitted          job_not_submitted     REFUNDED_EXPIRED
COMPLETED                  job_already_terminal  submit_not_allowed  job_already_terminal  job_already_terminal       job_already_terminal  job_already_terminal
REJECTED_TERMINAL          job_already_terminal  submit_not_allowed  job_already_terminal  job_already_terminal       job_already_terminal  job_already_terminal
REFUNDED_EXPIRED           job_expired           job_expired         job_expired           job_expired                job_expired           job_expired
"""  # noqa: E501
EVENTS = (
    JobEvent.CLAIM,
    JobEvent.SUBMIT,
    JobEvent.ACCEPT,
    JobEvent.REJECT,
    JobEvent.REJECT_REVISION,
    JobEvent.EXPIRE,
)
CELLS = [
    (JobStatus(state), event, outcome)
    for state, *outcomes in (line.split() for line in TABLE.strip().splitlines()[1:])
    for event, outcome in zip(EVENTS, outcomes, strict=True)
]


def test_the_table_has_every_state_and_every_event() -> None:
    assert {(state, event) for state, event, _ in CELLS} == set(product(JobStatus, JobEvent))


@pytest.mark.parametrize(("state", "event", "outcome"), CELLS)
def test_an_event_leads_to_a_state_or_to_a_refusal(
    state: JobStatus, event: JobEvent, outcome: str
) -> None:
    if outcome in CATALOGUE:
        with pytest.raises(Refusal) as refusal:
            follow(state, event)
        assert (refusal.value.code, refusal.value.status) == (outcome, 409)
    else:
        assert follow(state, event) is JobStatus(outcome)


def test_nothing_leads_out_of_a_final_state() -> None:
    assert not [state for state, _ in TRANSITIONS if state in FINAL]


def test_every_state_that_is_not_final_ends_when_time_runs_out() -> None:
    waiting = set(JobStatus) - FINAL
    assert {TRANSITIONS[state, JobEvent.EXPIRE] for state in waiting} == {
        JobStatus.REFUNDED_EXPIRED
    }


def test_every_state_can_be_reached() -> None:
    assert {JobStatus.OPEN, *TRANSITIONS.values()} == set(JobStatus)


def test_no_claim_is_given_back_so_that_job_released_is_never_written() -> None:
    assert JobStatus.OPEN not in TRANSITIONS.values()


def test_a_claimer_holds_a_job_from_claim_to_decision() -> None:
    assert set(JobStatus) - FINAL - {JobStatus.OPEN} == HELD_BY_CLAIMER


@pytest.mark.parametrize("state", JobStatus)
@pytest.mark.parametrize(("now", "passed"), [(999, False), (1000, True), (1001, True)])
def test_the_deadline_itself_is_too_late(state: JobStatus, now: int, passed: bool) -> None:
    ends = passed and state not in FINAL
    assert status_at(state, 1000, now) is (JobStatus.REFUNDED_EXPIRED if ends else state)


def test_the_second_rejection_is_the_last() -> None:
    assert [rejection(count) for count in (0, 1)] == [JobEvent.REJECT, JobEvent.REJECT_REVISION]


@pytest.mark.parametrize("state", JobStatus)
@pytest.mark.parametrize("submissions", [0, 1, 2])
def test_one_revision_remains_until_the_second_submission_or_the_end(
    state: JobStatus, submissions: int
) -> None:
    expected = 0 if state in FINAL or submissions == 2 else 1
    assert revision_remaining(state, submissions) == expected


def test_a_creator_cannot_claim_and_only_the_creator_decides() -> None:
    check_claimer("ag_creator", "ag_other")
    check_creator("ag_creator", "ag_creator")
    with pytest.raises(Refusal, match="cannot_claim_own_job"):
        check_claimer("ag_creator", "ag_creator")
    with pytest.raises(Refusal, match="not_job_creator"):
        check_creator("ag_creator", "ag_other")


@pytest.mark.parametrize("claimer", [None, "ag_other"])
def test_only_the_claimer_works(claimer: str | None) -> None:
    check_worker("ag_worker", "ag_worker")
    with pytest.raises(Refusal, match="not_job_claimer"):
        check_worker(claimer, "ag_worker")

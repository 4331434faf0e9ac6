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
    due,
    follow,
    is_abandoned,
    revision_remaining,
)

TABLE = """
state                      claim                 submit              accept                reject                     reject-again          release            silence               cancel                time
OPEN                       CLAIMED               submit_not_allowed  job_not_submitted     job_not_submitted          job_not_submitted     not_claimed        job_not_submitted     REFUNDED_EXPIRED      REFUNDED_EXPIRED
CLAIMED                    job_already_claimed   SUBMITTED           job_not_submitted     job_not_submitted          job_not_submitted     OPEN               job_not_submitted     job_claimed           REFUNDED_EXPIRED
SUBMITTED                  job_already_claimed   submit_not_allowed  COMPLETED             REJECTED_REVISION_ALLOWED  REJECTED_TERMINAL     not_claimed        COMPLETED             job_claimed           REFUNDED_EXPIRED
REJECTED_REVISION_ALLOWED  job_already_claimed   SUBMITTED           job_not_submitted     job_not_submitted          job_not_submitted     REJECTED_TERMINAL  job_not_submitted     job_claimed           REFUNDED_EXPIRED
COMPLETED                  job_already_terminal  submit_not_allowed  job_already_terminal  job_already_terminal       job_already_terminal  not_claimed        job_already_terminal  job_already_terminal  job_already_terminal
REJECTED_TERMINAL          job_already_terminal  submit_not_allowed  job_already_terminal  job_already_terminal       job_already_terminal  not_claimed        job_already_terminal  job_already_terminal  job_already_terminal
REFUNDED_EXPIRED           job_expired           job_expired         job_expired           job_expired                job_expired           not_claimed        job_expired           job_expired           job_expired
"""  # noqa: E501
EVENTS = (
    JobEvent.CLAIM,
    JobEvent.SUBMIT,
    JobEvent.ACCEPT,
    JobEvent.REJECT,
    JobEvent.REJECT_REVISION,
    JobEvent.RELEASE,
    JobEvent.SILENCE,
    JobEvent.CANCEL,
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


def test_a_claimer_holds_a_job_from_claim_to_decision() -> None:
    assert set(JobStatus) - FINAL - {JobStatus.OPEN} == HELD_BY_CLAIMER


# What happens by itself, where the deadline is at 1000: without terms, with the end of a claim
# before it and with it, and with a decision that is due behind it.
BY_ITSELF = """
state                      no-terms     claim-ends-900  claim-ends-1000  decide-by-1500  both
OPEN                       expire-1000  expire-1000     expire-1000      expire-1000     expire-1000
CLAIMED                    expire-1000  release-900     expire-1000      expire-1000     release-900
SUBMITTED                  expire-1000  expire-1000     expire-1000      silence-1500    silence-1500
REJECTED_REVISION_ALLOWED  expire-1000  release-900     expire-1000      expire-1000     release-900
COMPLETED                  never        never           never            never           never
REJECTED_TERMINAL          never        never           never            never           never
REFUNDED_EXPIRED           never        never           never            never           never
"""  # noqa: E501
TERMS = [(None, None), (900, None), (1000, None), (None, 1500), (900, 1500)]


@pytest.mark.parametrize("line", BY_ITSELF.strip().splitlines()[1:], ids=lambda one: one.split()[0])
def test_what_happens_by_itself_follows_from_the_state_and_the_terms(line: str) -> None:
    state, *cells = line.split()
    found = [due(JobStatus(state), 1000, *terms) for terms in TERMS]
    assert [f"{one.event}-{one.at}" if one else "never" for one in found] == cells
    assert all((JobStatus(state), one.event) in TRANSITIONS for one in found if one)


@pytest.mark.parametrize(
    ("minutes", "given_back", "assigned", "submitted", "counts"),
    [
        (14.9, True, False, False, False),
        (14.9, False, False, False, False),
        (15, True, False, False, True),
        (15, False, False, False, True),
        (15, True, True, False, False),
        (15, False, True, False, True),
        (15, True, True, True, True),
        (15, True, False, True, True),
    ],
)
def test_a_claim_counts_as_abandoned_unless_it_was_new_or_one_who_was_chosen_gives_it_back(
    minutes: float, given_back: bool, assigned: bool, submitted: bool, counts: bool
) -> None:
    ended = 1000 + round(minutes * 60_000)
    found = is_abandoned(1000, ended, given_back=given_back, assigned=assigned, submitted=submitted)
    assert found is counts


@pytest.mark.parametrize("state", JobStatus)
@pytest.mark.parametrize("submissions", [0, 1, 2])
def test_one_revision_remains_until_the_second_submission_or_the_end(
    state: JobStatus, submissions: int
) -> None:
    expected = 0 if state in FINAL or submissions == 2 else 1
    assert revision_remaining(state, submissions) == expected
    assert revision_remaining(state, submissions, late=True) == 0


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

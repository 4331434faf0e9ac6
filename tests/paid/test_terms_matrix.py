"""Every state of a job, every event that terms touch, all terms: the new state or the refusal."""

from itertools import product
from typing import Any

import pytest

from stoa.domain.errors import CATALOGUE
from tests.support import jobs
from tests.support.app import Agent, App
from tests.support.clock import DAY
from tests.support.jobs import STATUSES, act
from tests.support.ledger import broken

pytestmark = pytest.mark.checks_input

EVENTS = ("release", "claim", "apply", "assign", "cancel", "day", "week")
TERMS: dict[str, dict[str, Any]] = {
    "none": {},
    "claims end": {"claimHours": 24},
    "silence pays": {"onSilence": "pay", "reviewHours": 24},
    "chosen": {"assignment": "chosen"},
}
# Of a job without terms. Others claim, apply and are chosen; the creator assigns and cancels.
TABLE = """
OPEN      not_claimed CLAIMED              applications_closed  applications_closed  REFUNDED_EXPIRED     OPEN      REFUNDED_EXPIRED
CLAIMED   OPEN        job_already_claimed  applications_closed  applications_closed  job_claimed          CLAIMED   REFUNDED_EXPIRED
SUBMITTED not_claimed job_already_claimed  applications_closed  applications_closed  job_claimed          SUBMITTED REFUNDED_EXPIRED
REJECTED_REVISION_ALLOWED REJECTED_TERMINAL job_already_claimed applications_closed applications_closed job_claimed REJECTED_REVISION_ALLOWED REFUNDED_EXPIRED
COMPLETED not_claimed job_already_terminal job_already_terminal job_already_terminal job_already_terminal COMPLETED COMPLETED
REJECTED_TERMINAL not_claimed job_already_terminal job_already_terminal job_already_terminal job_already_terminal REJECTED_TERMINAL REJECTED_TERMINAL
REFUNDED_EXPIRED not_claimed job_expired   job_expired          job_expired          job_expired          REFUNDED_EXPIRED REFUNDED_EXPIRED
"""  # noqa: E501
BY_TERMS: dict[str, dict[tuple[str, str], str]] = {
    "none": {},
    "claims end": {
        ("CLAIMED", "day"): "OPEN",
        ("REJECTED_REVISION_ALLOWED", "day"): "REJECTED_TERMINAL",
        ("REJECTED_REVISION_ALLOWED", "week"): "REJECTED_TERMINAL",
    },
    "silence pays": {
        ("SUBMITTED", "day"): "COMPLETED",
        ("SUBMITTED", "week"): "COMPLETED",
    },
    "chosen": {
        ("OPEN", "claim"): "application_required",
        ("OPEN", "apply"): "OPEN",
        ("OPEN", "assign"): "no_application",
    },
}
"""Where terms lead to something else."""

STEPS = {
    "OPEN": "",
    "CLAIMED": "take",
    "SUBMITTED": "take submit",
    "REJECTED_REVISION_ALLOWED": "take submit reject",
    "COMPLETED": "take submit accept",
    "REJECTED_TERMINAL": "take submit reject submit reject",
    "REFUNDED_EXPIRED": "cancel",
}
BODIES: dict[str, Any] = {"apply": {"message": "I can."}}


def usual() -> dict[tuple[str, str], str]:
    """The table by its cells."""
    rows = [line.split() for line in TABLE.strip().splitlines()]
    return {
        (row[0], event): cell for row in rows for event, cell in zip(EVENTS, row[1:], strict=True)
    }


def test_the_table_has_every_cell() -> None:
    assert usual().keys() == set(product(STATUSES, EVENTS))
    assert BY_TERMS.keys() == TERMS.keys()
    for cells in BY_TERMS.values():
        assert all(usual()[cell] != outcome for cell, outcome in cells.items())


def job_in(state: str, creator: Agent, worker: Agent, terms: dict[str, Any]) -> Any:
    """A job with these terms in this state."""
    more = {"terms": terms} if terms else {}
    job = jobs.offer(creator, 1, **more)
    for step in STEPS[state].split():
        if step == "take" and terms.get("assignment") == "chosen":
            act(worker, job, "apply", BODIES["apply"]).ok()
            act(creator, job, "assign", {"agentId": worker.id}).ok()
        elif step == "take":
            jobs.done(worker, job, "claim")
        else:
            jobs.done(worker if step == "submit" else creator, job, step)
    return job


@pytest.mark.promise("C61")
@pytest.mark.settings(signup_grant=1000, token_ttl_seconds=10_000_000)
@pytest.mark.parametrize("terms", TERMS)
def test_each_event_does_in_each_state_what_the_terms_say(
    stoa: App, ada: Agent, bob: Agent, terms: str
) -> None:
    cy, expected = stoa.agent("cy"), usual() | BY_TERMS[terms]
    actors = {"release": bob, "claim": cy, "apply": cy, "assign": ada, "cancel": ada}
    for (state, event), outcome in expected.items():
        job = job_in(state, ada, bob, TERMS[terms])
        if event in ("day", "week"):
            stoa.clock.advance(DAY if event == "day" else 7 * DAY)
            assert jobs.read(job, stoa)["status"] == outcome, (state, event)
            jobs.sweep(stoa)
        else:
            body = {"agentId": cy.id} if event == "assign" else BODIES.get(event)
            answer = act(actors[event], job, event, *([body] if body else []))
            assert (answer.code or "") == (outcome if outcome in CATALOGUE else ""), (state, event)
        after = state if outcome in CATALOGUE else outcome
        assert jobs.read(job, ada)["status"] == after, (state, event)
    assert broken(stoa.settings) == {}

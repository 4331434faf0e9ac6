"""Every state of a job, every action, every role: the new state or the refusal."""

from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple

import pytest

from stoa.domain.errors import CATALOGUE
from tests.paid.conftest import Shared
from tests.support import jobs
from tests.support.app import Agent, App
from tests.support.clock import DAY
from tests.support.jobs import STATUSES
from tests.support.moderation import suspend

pytestmark = pytest.mark.checks_input

ACTIONS = ("claim", "submit", "accept", "reject", "expire")
ROLES = ("creator", "claimer", "other", "suspended", "anonymous")

# In OPEN nobody has claimed yet: the claimer is the agent that is about to.
TABLE = """
state and action                 creator                    claimer               other
OPEN claim                       cannot_claim_own_job       CLAIMED               CLAIMED
OPEN submit                      not_job_claimer            not_job_claimer       not_job_claimer
OPEN accept                      job_not_submitted          not_job_creator       not_job_creator
OPEN reject                      job_not_submitted          not_job_creator       not_job_creator
OPEN expire                      REFUNDED_EXPIRED           REFUNDED_EXPIRED      REFUNDED_EXPIRED
CLAIMED claim                    cannot_claim_own_job       CLAIMED               job_already_claimed
CLAIMED submit                   not_job_claimer            SUBMITTED             not_job_claimer
CLAIMED accept                   job_not_submitted          not_job_creator       not_job_creator
CLAIMED reject                   job_not_submitted          not_job_creator       not_job_creator
CLAIMED expire                   REFUNDED_EXPIRED           REFUNDED_EXPIRED      REFUNDED_EXPIRED
SUBMITTED claim                  cannot_claim_own_job       SUBMITTED             job_already_claimed
SUBMITTED submit                 not_job_claimer            submit_not_allowed    not_job_claimer
SUBMITTED accept                 COMPLETED                  not_job_creator       not_job_creator
SUBMITTED reject                 REJECTED_REVISION_ALLOWED  not_job_creator       not_job_creator
SUBMITTED expire                 REFUNDED_EXPIRED           REFUNDED_EXPIRED      REFUNDED_EXPIRED
REJECTED_REVISION_ALLOWED claim  cannot_claim_own_job  REJECTED_REVISION_ALLOWED  job_already_claimed
REJECTED_REVISION_ALLOWED submit not_job_claimer            SUBMITTED             not_job_claimer
REJECTED_REVISION_ALLOWED accept job_not_submitted          not_job_creator       not_job_creator
REJECTED_REVISION_ALLOWED reject job_not_submitted          not_job_creator       not_job_creator
REJECTED_REVISION_ALLOWED expire REFUNDED_EXPIRED           REFUNDED_EXPIRED      REFUNDED_EXPIRED
COMPLETED claim                  cannot_claim_own_job       job_already_terminal  job_already_terminal
COMPLETED submit                 not_job_claimer            submit_not_allowed    not_job_claimer
COMPLETED accept                 job_already_terminal       not_job_creator       not_job_creator
COMPLETED reject                 job_already_terminal       not_job_creator       not_job_creator
COMPLETED expire                 COMPLETED                  COMPLETED             COMPLETED
REJECTED_TERMINAL claim          cannot_claim_own_job       job_already_terminal  job_already_terminal
REJECTED_TERMINAL submit         not_job_claimer            submit_not_allowed    not_job_claimer
REJECTED_TERMINAL accept         job_already_terminal       not_job_creator       not_job_creator
REJECTED_TERMINAL reject         job_already_terminal       not_job_creator       not_job_creator
REJECTED_TERMINAL expire         REJECTED_TERMINAL          REJECTED_TERMINAL     REJECTED_TERMINAL
REFUNDED_EXPIRED claim           cannot_claim_own_job       job_expired           job_expired
REFUNDED_EXPIRED submit          not_job_claimer            job_expired           not_job_claimer
REFUNDED_EXPIRED accept          job_expired                not_job_creator       not_job_creator
REFUNDED_EXPIRED reject          job_expired                not_job_creator       not_job_creator
REFUNDED_EXPIRED expire          REFUNDED_EXPIRED           REFUNDED_EXPIRED      REFUNDED_EXPIRED
"""  # noqa: E501


class Cell(NamedTuple):
    """One cell of the table."""

    state: str
    action: str
    role: str
    outcome: str


def cells() -> Iterator[Cell]:
    """Every cell; whoever is suspended or nobody is told so in every state."""
    for line in TABLE.strip().splitlines()[1:]:
        state, action, *outcomes = line.split()
        outside = [outcomes[0]] * 2 if action == "expire" else ["agent_suspended"]
        outcomes += outside if action == "expire" else [*outside, "missing_bearer_token"]
        for role, outcome in zip(ROLES, outcomes, strict=True):
            yield Cell(state, action, role, outcome)


CELLS = list(cells())


class Stage:
    """The agents of all cells, each of which has a job of its own."""

    def __init__(self, shared: Shared) -> None:
        self.app = shared.app
        self.shared = shared
        self.agents = {role: shared.agent(role) for role in ROLES[:4]}
        self._signed_in_at = self.app.clock.now
        suspend(self.app, self.agents["suspended"])

    def sign_in(self) -> None:
        """Renew the tokens, which live for 115 days, when a month has passed."""
        if self.app.clock.now - self._signed_in_at > 30 * DAY:
            for agent in self.agents.values():
                agent.sign_in()
            self._signed_in_at = self.app.clock.now

    def actor(self, role: str) -> Agent | App:
        """Who has this role."""
        return self.agents.get(role, self.app)

    def kept(self, job: Any) -> Any:
        """All that a refusal must leave as it was."""
        creator = self.agents["creator"]
        return jobs.read(job, creator), [jobs.funds(agent) for agent in self.agents.values()]


@pytest.fixture(scope="module")
def first_stage(shared: Shared) -> Stage:
    return Stage(shared)


@pytest.fixture
def stage(first_stage: Stage) -> Stage:
    first_stage.sign_in()
    return first_stage


def test_the_table_has_every_cell() -> None:
    asked = {(cell.state, cell.action, cell.role) for cell in CELLS}
    assert asked == set(product(STATUSES, ACTIONS, ROLES))
    assert len(CELLS) == 7 * 5 * 5


@pytest.mark.promise("C6")
@pytest.mark.parametrize("cell", CELLS, ids=" ".join)
def test_a_role_does_something_with_a_job_in_a_state(stage: Stage, cell: Cell) -> None:
    creator, claimer = stage.agents["creator"], stage.agents["claimer"]
    job = jobs.job_in(cell.state, creator, claimer, rewardCredits=1)
    if cell.action == "expire":
        stage.app.clock.advance(jobs.TTL)
        assert jobs.read(job, stage.actor(cell.role))["status"] == cell.outcome
        return
    before = stage.kept(job)
    answer = jobs.act(stage.actor(cell.role), job, cell.action)
    if cell.outcome in CATALOGUE:
        answer.refused(CATALOGUE[cell.outcome].status, cell.outcome)
        assert stage.kept(job) == before
    else:
        answer.ok(201 if cell.action == "submit" else 200)
        assert answer["job"]["status"] == cell.outcome
        assert jobs.read(job, creator)["status"] == cell.outcome


@pytest.mark.parametrize("action", ACTIONS[:4])
@pytest.mark.parametrize("state", STATUSES)
def test_a_suspended_party_is_told_so_unless_it_decides_about_work(
    stage: Stage, state: str, action: str
) -> None:
    creator, claimer = map(stage.shared.agent, ROLES[:2])
    job = jobs.job_in(state, creator, claimer, rewardCredits=1)
    decides = state == "SUBMITTED" and action in ("accept", "reject")
    for agent in (claimer,) if decides else (creator, claimer):
        suspend(stage.app, agent)
        jobs.act(agent, job, action).refused(403, "agent_suspended")
    assert jobs.read(job, stage.app)["status"] == state

"""A call that was let in before its agent retired, changed its key or was suspended is refused
where it would leave something to the agent: a claim, an offer, a webhook, a client. One whose
session has ended since makes nothing that outlasts sessions: no webhook, no client."""

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from tests.support.answers import Answer
from tests.support.app import Agent, App
from tests.support.jobs import new_job, offer
from tests.support.key_changes import rotation
from tests.support.keys import Key
from tests.support.moderation import MODERATED, REASON, path
from tests.support.oauth_pages import authorize_path, opened, register
from tests.support.steps import Steps
from tests.support.webhooks import LOOPBACK

pytestmark = [MODERATED, pytest.mark.settings(**LOOPBACK)]


class Ask(NamedTuple):
    """A call: its path and its body."""

    path: str
    body: dict[str, Any]


def claim(stoa: App) -> Ask:
    return Ask(f"jobs/{offer(stoa.agent('Cid'))['id']}/claim", {})


def offering(_: App) -> Ask:
    return Ask("jobs", new_job(10))


def webhook(_: App) -> Ask:
    return Ask("webhooks", {"url": "https://agent.example/hook"})


def approval(stoa: App) -> Ask:
    client = register(stoa)
    page = opened(stoa, authorize_path(client))
    return Ask(f"auth/approvals/{page.code}", {"clientId": client})


def retirement(agent: Agent) -> tuple[Agent, str, dict[str, Any]]:
    return agent, "agents/me/retire", {"confirm": agent.id}


def another_key(agent: Agent) -> tuple[Agent, str, dict[str, Any]]:
    return agent, "auth/rotate", rotation(agent.app, agent.id, agent.key, Key("the new key"))


def suspension(agent: Agent) -> tuple[Agent, str, dict[str, Any]]:
    return agent.app.agent("mod"), f"{path(agent.id)}/suspend", {"reason": REASON}


def revocation(agent: Agent) -> tuple[Agent, str, dict[str, Any]]:
    return Agent(agent.app, agent.key, {}), "auth/revoke", {"all": True}


def late(agent: Agent, ask: Ask, change: Any, steps: Steps) -> Answer:
    """The call, of which the transaction begins when the change is done."""
    changer, where, body = change(agent)

    async def change_first() -> None:
        (await changer.ask("POST", where, body)).ok()

    steps.before("write", change_first, once=True)
    return agent.post(ask.path, ask.body)


@pytest.mark.parametrize("asking", [claim, offering, webhook, approval])
@pytest.mark.parametrize("change", [retirement, another_key])
def test_a_call_let_in_before_its_agent_retired_or_changed_its_key_is_refused(
    stoa: App, steps: Steps, asking: Callable[[App], Ask], change: Any
) -> None:
    bob, ask = stoa.agent("Bob"), asking(stoa)
    refused = late(bob, ask, change, steps)
    refused.refused(401, "invalid_or_expired_token")


@pytest.mark.parametrize("change", [another_key, revocation])
def test_no_agent_retires_by_a_session_that_ended_since_the_call_was_let_in(
    stoa: App, steps: Steps, change: Any
) -> None:
    bob = stoa.agent("Bob")
    ask = Ask("agents/me/retire", {"confirm": bob.id})
    late(bob, ask, change, steps).refused(401, "invalid_or_expired_token")
    assert stoa.get(f"agents/{bob.id}").ok()["agent"]["status"] == "active"


@pytest.mark.parametrize("asking", [webhook, approval])
def test_a_call_let_in_before_its_session_ended_makes_nothing_that_outlasts_it(
    stoa: App, steps: Steps, asking: Callable[[App], Ask]
) -> None:
    bob, ask = stoa.agent("Bob"), asking(stoa)
    refused = late(bob, ask, revocation, steps)
    refused.refused(401, "invalid_or_expired_token")


@pytest.mark.parametrize("change", [retirement, another_key, suspension])
def test_a_job_whose_claim_is_refused_so_stays_open(stoa: App, steps: Steps, change: Any) -> None:
    bob, ask = stoa.agent("Bob"), claim(stoa)
    assert late(bob, ask, change, steps).status in (401, 403)
    assert stoa.get(ask.path.removesuffix("/claim"))["job"]["status"] == "OPEN"


@pytest.mark.parametrize("asking", [claim, offering, webhook, approval])
def test_a_call_let_in_before_its_agent_was_suspended_is_refused(
    stoa: App, steps: Steps, asking: Callable[[App], Ask]
) -> None:
    bob, ask = stoa.agent("Bob"), asking(stoa)
    assert late(bob, ask, suspension, steps).refused(403, "agent_suspended")["reason"]

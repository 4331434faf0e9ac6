"""Who loses the role, or is suspended, while an act waits for the log of acts does not act."""

import json

import pytest

from tests.races.overtaking import overtaken
from tests.support.answers import Answer
from tests.support.app import Agent, App
from tests.support.moderation import REASON, operate, path, report
from tests.support.steps import Steps

pytestmark = pytest.mark.parametrize("engine", ["postgresql"])


@pytest.fixture
def mod(stoa: App) -> Agent:
    """A moderator whom the operator has made one."""
    mod = stoa.agent("mod")
    operate(stoa, {"command": "grant", "key": mod.key.public, "reason": REASON})
    return mod


@pytest.mark.parametrize("how", ["revoke", "suspend"])
@pytest.mark.parametrize("what", ["one", "many", "report"])
def test_an_act_that_waited_while_its_moderator_lost_the_role_is_refused(
    stoa: App,
    mod: Agent,
    ada: Agent,
    bob: Agent,
    steps: Steps,
    how: str,
    what: str,
) -> None:
    thread = ada.thread()
    made = report(bob, thread).ok(201)["report"]
    act = {"subject": {"type": "thread", "id": thread["id"]}, "action": "hide", "reason": REASON}
    calls = {
        "one": (f"{path(thread)}/hide", {"reason": REASON}),
        "many": ("admin/bulk", {"actions": [act]}),
        "report": (f"admin/reports/{made['id']}/resolve", {"outcome": "upheld", "reason": REASON}),
    }
    commands = {
        "revoke": {"command": "revoke", "key": mod.key.public, "reason": REASON},
        "suspend": {
            "command": "do",
            "action": "suspend",
            "subject_id": mod.id,
            "reason": REASON,
        },
    }

    async def operated() -> Answer:
        done = await stoa.stoa.operate(json.dumps(commands[how]).encode())
        assert json.loads(done)["actions"]
        return await ada.ask("GET", "agents/me")

    answer, _ = overtaken(stoa, steps, mod.ask("POST", *calls[what]), operated())
    answer.refused(403, "moderator_required" if how == "revoke" else "agent_suspended")
    assert stoa.get(f"threads/{thread['id']}").status == 200


def test_a_state_of_signups_is_set_once(stoa: App, steps: Steps) -> None:
    command = json.dumps({"command": "signups", "state": "closed", "reason": REASON}).encode()

    async def closed() -> Answer:
        done = json.loads(await stoa.stoa.operate(command))
        return Answer(200 if "actions" in done else 409, [], b"{}")

    answers = overtaken(stoa, steps, closed(), closed())
    assert sorted(answer.status for answer in answers) == [200, 409]

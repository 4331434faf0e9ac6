"""What changes on PostgreSQL while an accept waits for its locks is not passed over."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.races.overtaking import Asked
from tests.races.overtaking import overtaken as overtaken_by
from tests.support.answers import Answer
from tests.support.app import Agent, App
from tests.support.ledger import broken
from tests.support.moderation import MODERATED, REASON, path
from tests.support.steps import Steps

pytestmark = pytest.mark.parametrize("engine", ["postgresql"])

Overtaken = Callable[[Asked, Asked], Answer]


@pytest.fixture
def overtaken(stoa: App, steps: Steps) -> Overtaken:
    """Makes a call, and another one between what the first reads and its first lock; the answer to
    the first. The ledger must be sound then."""

    def overtake(first: Asked, second: Asked) -> Answer:
        answer, done = overtaken_by(stoa, steps, first, second)
        assert done.status == 200
        assert not any(broken(stoa.settings).values())
        return answer

    return overtake


def accepting(author: Agent, thread: Any, reply: Any) -> Asked:
    return author.ask("POST", f"threads/{thread['id']}/replies/{reply['id']}/accept")


def test_a_bounty_that_is_offered_just_before_is_paid(
    stoa: App, ada: Agent, bob: Agent, overtaken: Overtaken
) -> None:
    thread = ada.thread()
    reply = bob.reply(thread)
    offering = ada.ask("POST", f"threads/{thread['id']}/bounty", {"credits": 5})
    accepted = overtaken(accepting(ada, thread, reply), offering).ok()
    assert accepted["payment"]["amount"] == 5
    assert accepted["thread"]["bounty"]["status"] == "PAID"
    assert bob.get("credits/balance").ok()["balance"]["available"] == 105


def test_a_bounty_that_is_raised_just_before_is_paid_whole(
    stoa: App, ada: Agent, bob: Agent, overtaken: Overtaken
) -> None:
    thread = ada.thread(bountyCredits=2)
    reply = bob.reply(thread)
    raising = ada.ask("POST", f"threads/{thread['id']}/bounty", {"credits": 5})
    assert overtaken(accepting(ada, thread, reply), raising).ok()["payment"]["amount"] == 5


def test_a_reply_that_is_withdrawn_just_before_is_not_accepted(
    stoa: App, ada: Agent, bob: Agent, overtaken: Overtaken
) -> None:
    thread = ada.thread(bountyCredits=2)
    reply = bob.reply(thread)
    withdrawing = bob.ask("POST", f"replies/{reply['id']}/withdraw")
    overtaken(accepting(ada, thread, reply), withdrawing).refused(409, "withdrawn")
    assert stoa.get(f"threads/{thread['id']}").ok()["thread"]["status"] == "open"


@MODERATED
@pytest.mark.parametrize("what", ["thread", "reply"])
def test_what_is_hidden_just_before_is_not_accepted(
    stoa: App, ada: Agent, bob: Agent, overtaken: Overtaken, what: str
) -> None:
    mod = stoa.agent("mod")
    thread = ada.thread(bountyCredits=2)
    reply = bob.reply(thread)
    hidden = thread if what == "thread" else reply
    hiding = mod.ask("POST", f"{path(hidden)}/hide", {"reason": REASON})
    overtaken(accepting(ada, thread, reply), hiding).refused(410, "removed")
    assert bob.get("credits/balance").ok()["balance"]["available"] == 100

"""A thread read shows its replies in the bytes that other reads show them in."""

from typing import Any

import pytest

from tests.support import jobs
from tests.support.app import Agent, App
from tests.support.clock import HOUR, MINUTE
from tests.support.moderation import MODERATED, moderate

TEXTS = ('"quoted", and \\ \n\t', "Crème 🦊", "हिन्दी", "\u2028 </script> %s {} \x01")


@pytest.fixture
def agents(stoa: App) -> tuple[Agent, Agent]:
    return stoa.agent('Ada "A"'), stoa.agent("Bób", description="Bakes.")


def discussed(agents: tuple[Agent, Agent]) -> dict[str, Any]:
    """A thread with replies of both agents, some of them to others."""
    ada, bob = agents
    thread = ada.thread(bountyCredits=1)
    for text in TEXTS:
        answer = bob.reply(thread, text)
        bob.reply(thread, text, ada.reply(thread, text, answer))
        ada.reply(thread, text)
    return thread


def shown(stoa: App, path: str, behind: str) -> str:
    """The JSON of the replies in an answer, which this stands behind."""
    text = stoa.get(path).ok().text
    return text.partition('"replies":[')[2].rpartition(f"]{behind}")[0]


def expect_the_same(stoa: App, thread: dict[str, Any]) -> None:
    path = f"threads/{thread['id']}"
    read = shown(stoa, f"{path}?include=replies", ',"nextActions"')
    assert read
    assert read == shown(stoa, f"{path}/replies?limit=100", "}")


@MODERATED
def test_replies_beside_a_thread_are_those_of_their_list(
    stoa: App, agents: tuple[Agent, Agent]
) -> None:
    thread = discussed(agents)
    expect_the_same(stoa, thread)
    agents[1].sign_in({"displayName": "Bob II"})
    expect_the_same(stoa, thread)
    replies = stoa.get(f"threads/{thread['id']}?include=replies").ok()["replies"]
    assert replies[0]["author"]["displayName"] == "Bob II"
    agents[0].accept(thread, replies[0]).ok()
    expect_the_same(stoa, thread)
    moderate(stoa.agent("mod"), replies[1], "hide").ok()
    expect_the_same(stoa, thread)


def test_the_etag_stays_when_a_refund_that_is_shown_is_booked(
    stoa: App, agents: tuple[Agent, Agent]
) -> None:
    thread = discussed(agents)
    stoa.clock.advance(72 * HOUR)
    first = stoa.get(f"threads/{thread['id']}?include=replies").ok()
    assert first["thread"]["bounty"]["status"] == "REFUNDED"
    jobs.sweep(stoa)
    stoa.clock.advance(2 * MINUTE)
    second = stoa.get(f"threads/{thread['id']}?include=replies").ok()
    assert (second.text, second.headers["etag"]) == (first.text, first.headers["etag"])


def test_a_thread_without_replies_has_an_empty_list(stoa: App) -> None:
    thread = stoa.agent("ada").thread()
    assert stoa.get(f"threads/{thread['id']}?include=replies").ok()["replies"] == []

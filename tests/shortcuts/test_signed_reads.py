"""Reads with a token that are ready: what the application answers, for those whom it lets in."""

from typing import Any

import pytest

from tests.shortcuts.test_cached_answers import scope
from tests.support.app import Agent, App
from tests.support.clock import DAY
from tests.support.jobs import offer
from tests.support.moderation import suspend

INBOX = "inbox?view=lean"


@pytest.fixture
def ada(stoa: App) -> Agent:
    return stoa.agent("ada")


@pytest.fixture
def target(ada: Agent) -> str:
    return f"threads/{ada.thread()['id']}?include=replies"


def ready(agent: Agent, target: str, headers: dict[str, str] | None = None) -> Any:
    """What is answered at once: the status, the headers and the body; None where nothing is."""
    given = {name.lower(): value for name, value in agent.headers.items()}
    whole = agent.app.stoa.ready.find(scope(target, given | (headers or {})))
    if whole is None:
        return None
    status, lines, body = whole
    return status, dict(line.split(": ", 1) for line in lines.decode().splitlines()), body


def same(headers: dict[str, str]) -> dict[str, str]:
    """Without what counts calls."""
    return {name: value for name, value in headers.items() if name != "x-ratelimit-remaining"}


@pytest.mark.parametrize("path", ["", INBOX], ids=["a thread", "an inbox"])
def test_what_was_made_once_is_ready_for_who_has_a_token(
    ada: Agent, target: str, path: str
) -> None:
    path = path or target
    asked = {"x-request-id": "abc"}
    assert ready(ada, path) is None
    ada.get(path).ok()
    made = ada.get(path, headers=asked).ok()
    status, headers, body = ready(ada, path, asked)
    assert (status, body, same(headers)) == (200, made.content, same(made.headers))
    known = {"if-none-match": headers["etag"], **asked}
    made = ada.get(path, headers=known).ok(304)
    status, headers, body = ready(ada, path, known)
    assert (status, body, same(headers)) == (304, b"", same(made.headers))


def test_an_inbox_is_ready_until_something_is_in_it(stoa: App, ada: Agent) -> None:
    bob = stoa.agent("bob")
    thread = ada.thread()
    for agent in (ada, bob, ada):
        agent.get(INBOX).ok()
    assert ready(ada, INBOX)
    assert ready(bob, INBOX)
    bob.reply(thread)
    assert ready(ada, INBOX) is None
    assert ada.get(INBOX).ok()["unread"] == 1
    assert ready(ada, INBOX) is None


@pytest.mark.settings(limit_reads_agent=20)
def test_each_read_is_charged_to_its_agent(ada: Agent, target: str) -> None:
    for path in (target, INBOX):
        ada.get(path).ok()
        before = int(ada.get(path).headers["x-ratelimit-remaining"])
        for count in (1, 2):
            _, headers, _ = ready(ada, path)
            assert int(headers["x-ratelimit-remaining"]) == before - count
        assert int(ada.get(path).headers["x-ratelimit-remaining"]) == before - 3


@pytest.mark.settings(limit_reads_agent=3)
def test_a_read_above_the_limit_is_refused_by_the_application(ada: Agent, target: str) -> None:
    ada.get(target).ok()
    assert ready(ada, target)
    assert ready(ada, target)
    assert ready(ada, target) is None
    assert ada.get(target).status == 429


def test_nothing_is_ready_for_a_token_that_has_ended(ada: Agent, target: str) -> None:
    for path in (target, INBOX, target, INBOX):
        ada.get(path).ok()
    assert ready(ada, target)
    ada.post("auth/revoke", {}).ok()
    for path in (target, INBOX):
        assert ready(ada, path) is None
        assert ada.get(path).status == 401


@pytest.mark.parametrize("text", ["Basic {}", "Bearer {}x", "Bearer", "{}", ""])
def test_nothing_is_ready_for_another_authorization(ada: Agent, target: str, text: str) -> None:
    for path in (target, INBOX, INBOX):
        ada.get(path).ok()
    for path in (target, INBOX):
        assert ready(ada, path)
        assert ready(ada, path, {"authorization": text.format(ada.token)}) is None


def test_nothing_is_ready_behind_the_end_of_a_token(stoa: App, ada: Agent, target: str) -> None:
    ada.get(target).ok()
    assert ready(ada, target)
    stoa.clock.advance(400 * DAY)
    assert ready(ada, target) is None


def test_a_job_that_its_party_sees_otherwise_is_not_ready(stoa: App, ada: Agent) -> None:
    path = f"jobs/{offer(ada, 1)['id']}"
    stoa.get(path).ok()
    assert ready(ada, path) is None
    assert ready(stoa.agent("bob"), path) is None


def test_a_suspended_agent_reads_what_is_ready(stoa: App, ada: Agent, target: str) -> None:
    suspend(stoa, ada)
    ada.get(target).ok()
    assert ready(ada, target)

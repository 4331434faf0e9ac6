"""A code is traded for tokens once, by the client that asked for it; nothing else is."""

from typing import Any

import pytest

from tests.races.overtaking import overtaken
from tests.support.answers import Answer
from tests.support.app import Agent, App
from tests.support.moderation import act
from tests.support.oauth import ask, bearer, post, refused
from tests.support.oauth_pages import (
    approve,
    authorize_path,
    granted_page,
    led_to,
    opened,
    register,
    trade,
)
from tests.support.steps import Steps

USES = 200


def let_in(stoa: App, agent: Agent, **asked: Any) -> tuple[str, str]:
    """A client that an agent has let in, and its code."""
    client_id = register(stoa)
    return client_id, led_to(stoa, agent, client_id, **asked)["code"]


def tokens_of(answer: Answer) -> str:
    """The access token of an answer."""
    told = answer.ok()
    assert (told["token_type"], answer.headers["cache-control"]) == ("Bearer", "no-store")
    return told["access_token"]


def test_a_client_that_was_let_in_acts_as_the_agent(stoa: App) -> None:
    ada = stoa.agent("Ada")
    answer = post(stoa, trade(*let_in(stoa, ada)))
    assert answer.ok()["scope"] == "read write"
    assert answer.ok()["refresh_token"]
    token = tokens_of(answer)
    thread = stoa.post("threads", {"title": "Q", "body": "?"}, headers=bearer(token)).ok(201)
    assert thread["receipt"]["agentId"] == ada.id
    shown = [one for one in ada.get("agents/me").ok()["sessions"] if not one["current"]]
    assert [one["via"] for one in shown] == ["authorization_code"]
    assert "Editor" in str(shown[0])
    ada.post("auth/revoke", {"sessionId": shown[0]["id"]}).ok()
    assert stoa.get("agents/me", headers=bearer(token)).status == 401


def test_a_client_that_was_let_in_to_read_does_not_write(stoa: App) -> None:
    answer = post(stoa, trade(*let_in(stoa, stoa.agent("Ada"), scope="read")))
    headers = bearer(tokens_of(answer))
    assert stoa.get("credits/balance", headers=headers).status == 200
    refusal = stoa.post("threads", {"title": "Q", "body": "?"}, headers=headers)
    refusal.refused(403, "insufficient_scope")


def test_a_client_that_was_let_in_lets_no_other_in(stoa: App) -> None:
    """T50: what a client holds cannot approve, even with the code of another client's page."""
    headers = bearer(tokens_of(post(stoa, trade(*let_in(stoa, stoa.agent("Ada"))))))
    client_id = register(stoa)
    page = opened(stoa, authorize_path(client_id))
    body = {"clientId": client_id}
    stoa.get(f"auth/approvals/{page.code}", headers=headers).refused(403, "key_session_required")
    answer = stoa.post(f"auth/approvals/{page.code}", body, headers=headers)
    answer.refused(403, "key_session_required")


WRONG: dict[str, str | None] = {
    "client_id": "stoac_other",
    "redirect_uri": "https://other.example/callback",
    "code_verifier": "another-verifier-that-is-long-enough-to-be-one",
    "code": "unknown",
}


@pytest.mark.promise("G23")
@pytest.mark.parametrize("name", WRONG)
def test_a_code_is_worth_nothing_to_another_client(stoa: App, name: str) -> None:
    """Neither a thief of the code nor a client that was mixed up gets tokens, or uses it up."""
    client_id, code = let_in(stoa, stoa.agent("Ada"))
    refused(post(stoa, trade(client_id, code, **{name: WRONG[name]})), 400, "invalid_grant")
    refused(post(stoa, trade(client_id, code, **{name: None})), 400, "invalid_request")
    tokens_of(post(stoa, trade(client_id, code)))


def test_a_code_of_one_client_is_none_of_another_registered_one(stoa: App) -> None:
    ada = stoa.agent("Ada")
    _, code = let_in(stoa, ada)
    other = register(stoa, client_name="Other")
    refused(post(stoa, trade(other, code)), 400, "invalid_grant")


def test_a_token_is_asked_for_the_one_resource(stoa: App) -> None:
    base = stoa.settings.origin
    for resource in (f"{base}/mcp/oauth", f"{base}/mcp/oauth/"):
        client_id, code = let_in(stoa, stoa.agent(f"Ada {resource}"), resource=resource)
        wrong = trade(client_id, code, resource="https://other.example/")
        refused(post(stoa, wrong), 400, "invalid_target")
        tokens_of(post(stoa, trade(client_id, code, resource=resource)))


def test_a_code_lives_for_a_minute(stoa: App) -> None:
    ada = stoa.agent("Ada")
    client_id, code = let_in(stoa, ada)
    stoa.clock.advance(59_999)
    tokens_of(post(stoa, trade(client_id, code)))
    client_id, code = let_in(stoa, ada)
    stoa.clock.advance(60_000)
    refused(post(stoa, trade(client_id, code)), 400, "invalid_grant")


def test_only_the_newest_code_of_a_page_is_good(stoa: App) -> None:
    ada, client_id = stoa.agent("Ada"), register(stoa)
    page = opened(stoa, authorize_path(client_id))
    leave = granted_page(stoa, page, approve(ada, page.code, client_id)).link("continue")
    first, second = (
        stoa.get(leave).headers["location"].partition("code=")[2].partition("&")[0]
        for _ in range(2)
    )
    refused(post(stoa, trade(client_id, first)), 400, "invalid_grant")
    tokens_of(post(stoa, trade(client_id, second)))
    opened(stoa, page.link("continue"), 400)
    opened(stoa, leave, 400)


@pytest.mark.promise("G22")
def test_a_code_that_is_used_again_ends_what_it_gave(stoa: App) -> None:
    ada = stoa.agent("Ada")
    client_id, code = let_in(stoa, ada)
    given = post(stoa, trade(client_id, code)).ok()
    headers = bearer(given["access_token"])
    assert stoa.get("agents/me", headers=headers).status == 200
    refused(post(stoa, trade(client_id, code)), 400, "invalid_grant")
    assert stoa.get("agents/me", headers=headers).status == 401
    renewal = {"grant_type": "refresh_token", "client_id": client_id}
    form = {**renewal, "refresh_token": given["refresh_token"]}
    refused(post(stoa, form), 400, "invalid_grant")
    assert ada.get("agents/me").status == 200  # the agent's own session goes on


@pytest.mark.promise("G21")
def test_of_200_uses_of_a_code_one_gives_tokens(stoa: App) -> None:
    client_id, code = let_in(stoa, stoa.agent("Ada"))
    form = trade(client_id, code)
    answers = stoa.together(*(ask(stoa, form) for _ in range(USES)))
    assert sorted(answer.status for answer in answers) == [200, *[400] * (USES - 1)]
    winner = next(answer for answer in answers if answer.status == 200)
    # The others had the code too, so what the first one got has ended.
    assert stoa.get("agents/me", headers=bearer(tokens_of(winner))).status == 401


@pytest.mark.promise("G24")
def test_a_key_that_changes_after_the_approval_ends_it(stoa: App) -> None:
    ada = stoa.agent("Ada")
    client_id, code = let_in(stoa, ada)
    stoa.sql("UPDATE agent SET key_number = key_number + 1, version = version + 1")
    refused(post(stoa, trade(client_id, code)), 400, "invalid_grant")
    assert stoa.sql("SELECT count(*) FROM token WHERE via = 'authorization_code'")[0][0] == 0


def all_are_ended(ada: Agent) -> None:
    ada.post("auth/revoke", {"all": True}).ok()


def the_operator_ends_them(ada: Agent) -> None:
    act(ada.app, ada.id, "revoke-sessions")


@pytest.mark.parametrize("end", [all_are_ended, the_operator_ends_them])
def test_with_all_sessions_what_was_approved_and_not_traded_ends(stoa: App, end: Any) -> None:
    """Who had a stolen token approve a client of its own gets no session behind the end of all."""
    ada, eve = stoa.agent("Ada"), stoa.agent("Eve")
    client_id, code = let_in(stoa, ada)
    others, other_code = let_in(stoa, eve)
    end(ada)
    refused(post(stoa, trade(client_id, code)), 400, "invalid_grant")
    tokens_of(post(stoa, trade(others, other_code)))
    ada.sign_in()
    tokens_of(post(stoa, trade(*let_in(stoa, ada))))


@pytest.mark.parametrize("engine", ["postgresql"])
def test_a_code_whose_approval_ends_while_it_is_traded_is_refused(stoa: App, steps: Steps) -> None:
    ada = stoa.agent("Ada")
    form = trade(*let_in(stoa, ada))
    end = ada.ask("POST", "auth/revoke", {"all": True})
    answer, ended = overtaken(stoa, steps, ask(stoa, form), end)
    ended.ok()
    refused(answer, 400, "invalid_grant")


def test_neither_codes_nor_handles_are_stored(stoa: App) -> None:
    _, code = let_in(stoa, stoa.agent("Ada"))
    row = stoa.sql("SELECT handle, code, confirmation FROM authorization_request")[0]
    assert [len(value) for value in row] == [32, 32, 32]
    assert code.encode() not in bytes(row[1])


@pytest.mark.promise("G25")
def test_a_page_that_nobody_approved_is_forgotten_once_it_has_expired(stoa: App) -> None:
    """Anyone can open pages; what was approved is needed to notice a code that comes back."""

    def kept() -> int:
        stoa.run(stoa.stoa.upkeep.sweep())
        return stoa.sql("SELECT count(*) FROM authorization_request")[0][0]

    let_in(stoa, stoa.agent("Ada"))
    for _ in range(3):
        opened(stoa, authorize_path(register(stoa)))
    assert kept() == 4
    stoa.clock.advance(10 * 60_000)
    assert kept() == 1
    stoa.clock.advance(2 * 86_400_000)
    assert kept() == 0

"""Who has an agent's key lets a client use it; nobody guesses a pairing code."""

from itertools import cycle

import pytest

from stoa.operations.catalog import all_operations
from tests.support.app import App
from tests.support.moderation import suspend
from tests.support.oauth import bearer, granted
from tests.support.oauth_pages import approve, authorize_path, granted_page, opened, register

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def test_an_approval_shows_client_address_and_scopes(stoa: App) -> None:
    ada, client_id = stoa.agent("Ada"), register(stoa)
    page = opened(stoa, authorize_path(client_id, scope="read"))
    asked = ada.get(f"auth/approvals/{page.code}").ok()["approval"]
    assert asked["client"] == {"id": client_id, "name": "Editor"}
    assert asked["address"] == "https://client.example/callback"
    assert asked["scopes"] == ["read"]
    typed = f"{page.code[:4]}-{page.code[4:]}".lower()
    assert ada.get(f"auth/approvals/{typed}").ok()["approval"] == asked


@pytest.mark.promise("G12")
def test_an_approval_is_for_the_client_that_was_seen(stoa: App) -> None:
    ada, client_id = stoa.agent("Ada"), register(stoa)
    page = opened(stoa, authorize_path(client_id))
    refused = approve(ada, page.code, register(stoa, client_name="Other"))
    assert refused.refused(400, "invalid_request").issues.keys() == {"clientId"}
    assert "No agent" in opened(stoa, page.link("continue")).words
    approve(ada, page.code, client_id).ok()


@pytest.mark.promise("G11")
def test_a_request_is_approved_once(stoa: App) -> None:
    ada, eve, client_id = stoa.agent("Ada"), stoa.agent("Eve"), register(stoa)
    page = opened(stoa, authorize_path(client_id))
    tries = [
        one.ask("POST", f"auth/approvals/{page.code}", {"clientId": client_id})
        for one in (ada, eve, ada, eve)
    ]
    answers = stoa.together(*tries)
    assert sorted(answer.status for answer in answers) == [200, 404, 404, 404]
    winner = next(
        one
        for one, answer in zip((ada, eve, ada, eve), answers, strict=True)
        if answer.status == 200
    )
    won = next(answer for answer in answers if answer.status == 200)
    assert winner.id in granted_page(stoa, page, won).words


def test_a_dry_run_of_an_approval_approves_nothing(stoa: App) -> None:
    ada, client_id = stoa.agent("Ada"), register(stoa)
    page = opened(stoa, authorize_path(client_id))
    body = {"clientId": client_id}
    assert ada.post(f"auth/approvals/{page.code}?dryRun=true", body).ok()["dryRun"]
    assert "No agent" in opened(stoa, page.link("continue")).words


def test_a_session_that_the_key_did_not_sign_for_approves_nothing(stoa: App) -> None:
    ada, client_id = stoa.agent("Ada"), register(stoa)
    page = opened(stoa, authorize_path(client_id))
    stoa.sql("UPDATE token SET via = 'authorization_code'")
    ada.get(f"auth/approvals/{page.code}").refused(403, "key_session_required")
    approve(ada, page.code, client_id).refused(403, "key_session_required")


def test_the_confirmation_is_not_told_again_to_a_session_that_the_key_did_not_sign_for(
    stoa: App,
) -> None:
    ada, client_id = stoa.agent("Ada"), register(stoa)
    where = f"auth/approvals/{opened(stoa, authorize_path(client_id)).code}"
    key, body = {"Idempotency-Key": "k"}, {"clientId": client_id}
    first = ada.post(where, body, headers=key).ok()
    headers = {**key, **bearer(granted(stoa, ada).access_token)}
    stoa.post(where, body, headers=headers).refused(403, "key_session_required")
    ada.sign_in()
    assert ada.post(where, body, headers=key).ok().json == first.json


def test_a_session_of_a_client_uses_up_no_guess_of_its_agent(stoa: App) -> None:
    ada, client_id = stoa.agent("Ada"), register(stoa)
    page = opened(stoa, authorize_path(client_id))
    stoa.sql("UPDATE token SET via = 'authorization_code'")
    for _ in range(6):
        ada.get("auth/approvals/00000000").refused(403, "key_session_required")
    ada.sign_in()
    approve(ada, page.code, client_id).ok()


def test_a_suspended_agent_approves_nothing(stoa: App) -> None:
    ada, client_id = stoa.agent("Ada"), register(stoa)
    page = opened(stoa, authorize_path(client_id))
    suspend(stoa, ada)
    approve(ada, page.code, client_id).refused(403, "agent_suspended")


def test_five_wrong_codes_refuse_an_agent_for_an_hour(stoa: App) -> None:
    ada, eve, client_id = stoa.agent("Ada"), stoa.agent("Eve"), register(stoa)
    page = opened(stoa, authorize_path(client_id))
    wrong = (code for code in cycle(["00000000", "ZZZZZZZZ", "nonsense"]) if code != page.code)
    for method in ("GET", "POST", "GET", "POST", "GET"):
        body = {"clientId": client_id} if method == "POST" else {}
        options = {"body": body} if method == "POST" else {}
        ada.call(method, f"auth/approvals/{next(wrong)}", **options).refused(404, "not_found")
    refused = ada.get(f"auth/approvals/{page.code}").refused(429, "rate_limited")
    assert refused["resource"] == "approvals"
    assert refused["recovery"].startswith("Open the authorization page again after 3600 s, and ")
    approve(ada, page.code, client_id).refused(429, "rate_limited")
    assert ada.get("agents/me").status == 200
    approve(eve, page.code, client_id).ok()
    stoa.clock.advance(3_600_000)
    ada.sign_in()
    ada.get(f"auth/approvals/{page.code}").refused(404, "not_found")


@pytest.mark.costly
def test_right_codes_are_not_counted(stoa: App) -> None:
    ada, client_id = stoa.agent("Ada"), register(stoa)
    for _ in range(12):
        page = opened(stoa, authorize_path(client_id))
        ada.get(f"auth/approvals/{page.code}").ok()
        approve(ada, page.code, "another client").refused(400, "invalid_request")
        approve(ada, page.code, client_id).ok()


@pytest.mark.costly
@pytest.mark.promise("G13")
def test_a_thousand_guesses_of_twenty_agents_at_once_find_no_code(stoa: App) -> None:
    """T51: of each agent's guesses only five are even looked up, however many come at once."""
    client_id = register(stoa)
    waiting = {opened(stoa, authorize_path(client_id)).code for _ in range(5)}
    agents = [stoa.agent(f"guesser {number}") for number in range(20)]
    looked_up = 0
    for start in range(0, 1_000, 50):
        guesses = [guess(number) for number in range(start, start + 50)]
        assert not waiting & {*guesses}
        agent = agents[start // 50]
        tries = [agent.ask("GET", f"auth/approvals/{code}") for code in guesses]
        statuses = [answer.status for answer in stoa.together(*tries)]
        assert {*statuses} == {404, 429}
        looked_up += statuses.count(404)
    assert looked_up == 20 * 5


def guess(number: int) -> str:
    """A pairing code, another for each number."""
    return "".join(ALPHABET[number * 7919 * (place + 1) % 32] for place in range(8))


@pytest.mark.promise("G14")
def test_no_tool_approves_a_client() -> None:
    """T50: a text can ask a model to approve; there is nothing that a model could call."""
    approvals = [one for one in all_operations() if "approvals" in one.path]
    assert {one.name for one in approvals} == {"get_approval", "approve_client"}
    assert [one.tool for one in approvals] == [None, None]

"""Secrets and texts of agents reach neither the log nor an error body."""

import json
import time
from collections.abc import Callable, Iterator
from urllib.parse import parse_qsl, urlsplit

import httpx
import pytest

from stoa.domain.digests import digest_of
from stoa.operations.catalog import all_operations
from tests.support.app import signed
from tests.support.keys import Key
from tests.support.oauth import assertion, by_key, renewal
from tests.support.oauth_pages import REDIRECT, VERIFIER, Page, authorize_path
from tests.support.remote import Remote
from tests.support.server import Server

KEY = Key("canary")
CANARY = "a-text-that-nobody-else-writes"


@pytest.fixture
def verbose(start_server: Callable[..., Server]) -> Iterator[Server]:
    server = start_server(log_level="debug", limit_threads=3)
    yield server
    server.stop()


def paths() -> Iterator[tuple[str, str]]:
    for operation in all_operations():
        path = operation.path
        for name in operation.path_fields:
            path = path.replace(f"{{{name}}}", "some-id")
        yield operation.method, path


@pytest.mark.promise("S9")
def test_no_log_and_no_error_repeats_a_secret_or_a_text(verbose: Server) -> None:
    """Every route, called rightly and wrongly, with a token and texts that can be recognised."""
    answers: list[str] = []
    with Remote(verbose.url) as remote:
        body = signed(KEY, remote.challenge(KEY))
        token = remote.sign_in(KEY, description=CANARY)["token"]
        for headers in ({}, {"Authorization": f"Bearer {token}x"}, {"Authorization": token}):
            for method, path in paths():
                for content in (body | {"body": CANARY}, {"title": CANARY, "body": [CANARY]}):
                    sent = json.dumps(content).encode()
                    answer = remote.call(
                        method,
                        f"{path}?q={CANARY}&{CANARY}=1",
                        content=sent,
                        headers={"Content-Type": "application/json", **headers},
                    )
                    if answer.status_code >= 400:
                        answers.append(answer.text)
    verbose.stop()
    assert len(answers) > 100
    secrets = [token, body["signature"], body["challenge"], digest_of(token).hex()]
    for secret in (*secrets, CANARY):
        assert secret not in verbose.log
    for secret in secrets:
        assert not any(secret in answer for answer in answers)


@pytest.mark.soak
def test_a_mistake_does_not_repeat_what_was_sent(verbose: Server) -> None:
    with Remote(verbose.url) as remote:
        remote.sign_in(KEY)
        for body in (
            {"title": [CANARY], "body": {CANARY: CANARY}},
            {"title": CANARY * 20, "body": "b"},
            {"title": "t", "body": "b", "tags": [f"{CANARY},"]},
        ):
            answer = remote.post("threads", body)
            assert answer.status_code == 400
            assert CANARY not in answer.text


def asked(remote: Remote, form: dict[str, str], path: str = "/oauth/token") -> httpx.Response:
    return remote.call("POST", path, data=form)


def test_no_log_repeats_what_leads_a_client_in(verbose: Server) -> None:
    with Remote(verbose.url) as remote, httpx.Client(base_url=verbose.url, timeout=60) as browser:
        remote.sign_in(KEY)
        body = {"redirect_uris": [REDIRECT], "client_name": CANARY}
        client_id = browser.post("/oauth/register", json=body).json()["client_id"]
        page = Page(browser.get(authorize_path(client_id, state=CANARY)))
        approved = remote.post(f"auth/approvals/{page.code}", {"clientId": client_id})
        confirmation = approved.raise_for_status().json()["confirmation"]
        asks = Page(browser.get(page.link("continue")))
        granted = Page(browser.get(asks.confirmed(confirmation)))
        back = browser.get(granted.link("continue")).headers["location"]
        told = dict(parse_qsl(urlsplit(back).query))
        form = {"client_id": client_id, "redirect_uri": REDIRECT, "code_verifier": VERIFIER}
        trade = {"grant_type": "authorization_code", "code": told["code"], **form}
        given = asked(remote, trade).json()
        asked(remote, trade)
    verbose.stop()
    handle = page.link("continue").rpartition("/")[2]
    tokens = (given["access_token"], given["refresh_token"])
    assert f"confirmation={confirmation}" not in verbose.log
    for secret in (client_id, page.code, handle, told["code"], VERIFIER, CANARY, *tokens):
        assert secret not in verbose.log


def test_no_log_repeats_an_assertion_or_what_it_got(verbose: Server) -> None:
    with Remote(verbose.url) as remote:
        good = assertion(KEY, int(time.time() * 1000), aud=f"{verbose.url}/oauth", jti=CANARY)
        token = asked(remote, by_key(good)).json()["access_token"]
        forms = [
            by_key(good, scope=CANARY),
            by_key(good),
            by_key(f"{good}{CANARY}"),
            renewal(token),
        ]
        answers = [asked(remote, form) for form in forms]
        assert [answer.status_code for answer in answers] == [400, 401, 401, 400]
        asked(remote, {"token": token}, "/oauth/revoke").raise_for_status()
    verbose.stop()
    assert "oauth" in verbose.log
    for secret in (good, token, CANARY):
        assert secret not in verbose.log
        assert not any(secret in answer.text for answer in answers)

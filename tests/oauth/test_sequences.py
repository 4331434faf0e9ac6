"""Hosted assistants and editors get in with the sequences of requests that they make."""

import json
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from tests.oauth.test_documents import ALLOWED, Documents, documents
from tests.support.app import App
from tests.support.mcp import Mcp
from tests.support.oauth import BASE, bearer, post
from tests.support.oauth_pages import VERIFIER, approve, authorize_path, granted_page, opened
from tools.docs import ROOT

__all__ = ["documents"]

SEQUENCES: list[dict[str, Any]] = json.loads(
    (ROOT / "tests/data/oauth_sequences.json").read_text("utf-8")
)


@pytest.fixture
def engine() -> str:
    """What a client sends before it has a token is read before any engine."""
    return "sqlite"


def placed(parameters: dict[str, str]) -> dict[str, str]:
    """The parameters of a sequence with the base address of the service."""
    return {name: value.replace("{base}", BASE) for name, value in parameters.items()}


def client_of(stoa: App, documents: Documents, sequence: dict[str, Any]) -> str:
    """The id of the client: the last one that it registered, or the address of its document."""
    if "document" in sequence:
        return documents.put("/client.json", **sequence["document"])
    answers = [
        stoa.post("/oauth/register", sequence["registration"]).ok(201)
        for _ in range(sequence["registrations"])
    ]
    return answers[-1]["client_id"]


@ALLOWED
@pytest.mark.promise("J20")
@pytest.mark.parametrize("sequence", SEQUENCES, ids=lambda one: one["client"])
def test_a_client_gets_what_its_sequence_of_requests_needs(
    stoa: App, documents: Documents, sequence: dict[str, Any]
) -> None:
    for method, path, status in sequence["probes"]:
        assert stoa.call(method, path).status == status, path
    ada, client_id = stoa.agent("Ada"), client_of(stoa, documents, sequence)
    back = {"client_id": client_id, "redirect_uri": sequence["redirect_uri"]}

    asked = {"scope": None, "resource": None, **placed(sequence["asked"])}
    page = opened(stoa, authorize_path(client_id, sequence["redirect_uri"], **asked))
    leave = granted_page(stoa, page, approve(ada, page.code, client_id)).link("continue")
    location = stoa.get(leave).headers["location"]
    assert location.startswith(f"{sequence['redirect_uri']}?")
    told = dict(parse_qsl(urlsplit(location).query))

    form = {"grant_type": "authorization_code", "code": told["code"], "code_verifier": VERIFIER}
    granted = post(stoa, {**form, **back, **placed(sequence["traded"])}).ok()
    renewal = {"grant_type": "refresh_token", "refresh_token": granted["refresh_token"]}
    renewed = post(stoa, {**renewal, **back, **placed(sequence["traded"])}).ok()
    writes = "write" in (asked["scope"] or "write")
    assert granted["scope"] == renewed["scope"] == ("read write" if writes else "read")
    headers = bearer(renewed["access_token"])
    tools = Mcp(stoa, path="/mcp/oauth")
    assert tools.ask("initialize", headers=headers).status == 200
    assert stoa.get("/mcp/oauth", headers=headers).status == 405
    balance = tools.call("get_credit_balance", headers=headers).ok()
    assert balance["result"]["structuredContent"]["balance"]["available"]
    question = {"title": "A question", "body": "Which index serves ORDER BY?"}
    written = tools.call("create_thread", question, headers=headers)
    assert written.status == (200 if writes else 403)

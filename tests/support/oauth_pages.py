"""An OAuth client in a test: it registers, opens the authorization page and reads what it says."""

import hashlib
from base64 import urlsafe_b64encode
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode, urlsplit

import httpx
from lxml import html

from tests.support.answers import Answer
from tests.support.app import Agent, App

REDIRECT = "https://client.example/callback"
VERIFIER = "a-verifier-of-a-client-that-has-43-characters-or-more"
CHALLENGE = urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).rstrip(b"=").decode()
STATE = "a state & more"


def register(stoa: App, *redirects: str, **members: Any) -> str:
    """The id of a new client."""
    body = {"redirect_uris": [*redirects] or [REDIRECT], "client_name": "Editor", **members}
    return stoa.post("/oauth/register", body).ok(201)["client_id"]


def authorize_path(client: str, redirect_uri: str | None = REDIRECT, **changed: str | None) -> str:
    """The address of the authorization page for what a client asks."""
    query = {
        "response_type": "code",
        "client_id": client,
        "redirect_uri": redirect_uri,
        "state": STATE,
        "code_challenge": CHALLENGE,
        "code_challenge_method": "S256",
        **changed,
    }
    given = {name: value for name, value in query.items() if value is not None}
    return f"/oauth/authorize?{urlencode(given)}"


class Page(NamedTuple):
    """A page as a browser without script has it."""

    answer: Answer | httpx.Response

    def find(self, which: str) -> Any:
        """The element with this id; None if there is none."""
        found: list[Any] = html.fromstring(self.answer.text).xpath(f"//*[@id='{which}']")
        return found[0] if found else None

    def link(self, which: str) -> str:
        """Where the link with this id leads."""
        return self.find(which).get("href")

    @property
    def code(self) -> str:
        """The pairing code."""
        return self.find("pairing-code").text_content()

    def confirmed(self, digits: str) -> str:
        """Where the page's form leads with these digits."""
        field = self.find("confirmation")
        form = next(field.iterancestors("form"))
        assert form.get("method") == "get"
        return f"{form.get('action')}?{urlencode({field.get('name'): digits})}"

    @property
    def words(self) -> str:
        """The text of the page's main part."""
        return " ".join(" ".join(self.find("main").itertext()).split())


def opened(stoa: App, path: str, status: int = 200) -> Page:
    """The page at a path."""
    answer = stoa.get(path, headers={"Accept": "text/html"})
    assert answer.status == status, answer.text[-2000:]
    return Page(answer)


def approve(agent: Agent, code: str, client_id: str) -> Answer:
    """Approve a client as this agent."""
    return agent.post(f"auth/approvals/{code}", {"clientId": client_id})


def granted_page(stoa: App, page: Page, approved: Answer) -> Page:
    """What was granted, once the person has typed what the approval showed."""
    asks = opened(stoa, page.link("continue"))
    return opened(stoa, asks.confirmed(approved.ok()["confirmation"]))


def led_to(stoa: App, agent: Agent, client_id: str, **asked: Any) -> dict[str, str]:
    """What a client is told at its address, after an agent has approved it."""
    page = opened(stoa, authorize_path(client_id, **asked))
    granted = granted_page(stoa, page, approve(agent, page.code, client_id))
    back = stoa.get(granted.link("continue"))
    assert back.status == 303
    return dict(parse_qsl(urlsplit(back.headers["location"]).query))


def trade(client: str, given: str, **changed: str | None) -> dict[str, str]:
    """The form with which a client trades its code."""
    form = {
        "grant_type": "authorization_code",
        "client_id": client,
        "code": given,
        "redirect_uri": REDIRECT,
        "code_verifier": VERIFIER,
        **changed,
    }
    return {name: value for name, value in form.items() if value is not None}

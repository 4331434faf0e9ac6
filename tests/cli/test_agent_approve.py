"""`stoa agent approve`: it shows what a client asks for, asks, and only then approves it."""

import json
import re
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from stoa.client import Key, KeyFile, Profile
from tests.support.command import run_agent
from tests.support.oauth_pages import REDIRECT, Page, authorize_path, trade
from tests.support.server import Server


@pytest.fixture
def key(server: Server, tmp_path: Path) -> str:
    """A key file of a new agent; its path."""
    path = tmp_path / "ada.key"
    KeyFile(server.url, Key.generate(), Profile(display_name="Ada")).save(path)
    return str(path)


def asking(server: Server, name: str) -> tuple[str, Page]:
    """The id of a new client of this name, and its authorization page."""
    body = {"redirect_uris": [REDIRECT], "client_name": name}
    registered = httpx.post(f"{server.url}/oauth/register", json=body, timeout=60)
    client_id = registered.json()["client_id"]
    return client_id, Page(httpx.get(server.url + authorize_path(client_id), timeout=60))


def waiting(server: Server, name: str) -> str:
    """The pairing code of a client of this name."""
    return asking(server, name)[1].code


def test_sessions_show_what_an_approved_client_calls_itself(server: Server, key: str) -> None:
    client_id, page = asking(server, "Example Editor")
    shown = run_agent("approve", page.code, "--key", key, "--json", answer="y\n").out
    confirmation = json.loads(shown[shown.index("{") :])["confirmation"]
    with httpx.Client(base_url=server.url, timeout=60) as browser:
        granted = Page(
            browser.get(Page(browser.get(page.link("continue"))).confirmed(confirmation))
        )
        back = browser.get(granted.link("continue")).headers["location"]
        [given] = parse_qs(urlsplit(back).query)["code"]
        browser.post("/oauth/token", data=trade(client_id, given)).raise_for_status()
    done = run_agent("sessions", "--key", key)
    rows = [line.split("\t")[-2:] for line in done.out.splitlines() if line.startswith("ses_")]
    assert sorted(rows) == [["authorization_code", "Example Editor"], ["verify, this one", "–"]]


def test_a_yes_approves_what_was_shown(server: Server, key: str) -> None:
    code = waiting(server, "Example Editor")
    shown = run_agent("approve", code.lower(), "--key", key, "--json", answer="y\n")
    assert shown.code == 0, shown.err
    confirmation = json.loads(shown.out[shown.out.index("{") :])["confirmation"]
    assert re.fullmatch("[0-9]{6}", confirmation)
    assert shown.err.startswith("program       client.example")
    for told in ("Example Editor (not checked)", REDIRECT, "read write", "spend the credits"):
        assert told in shown.err
    assert json.loads(shown.out[shown.out.index("{") :])["receipt"]["action"] == "approve_client"
    again = run_agent("approve", code, "--key", key, answer="y\n")
    assert (again.code, "No client waits" in again.err) == (1, True)


def test_a_code_that_is_left_out_is_asked_for(key: str) -> None:
    for code in ("", " "):
        refused = run_agent("approve", code, "--key", key)
        assert (refused.code, "give the pairing code" in refused.err) == (2, True)


@pytest.mark.parametrize("answer", ["n\n", "\n", ""])
def test_anything_else_approves_nothing(server: Server, key: str, answer: str) -> None:
    code = waiting(server, "Example Editor")
    assert run_agent("approve", code, "--key", key, answer=answer).code == 1
    done = run_agent("approve", code, "--key", key, answer="y\n")  # it waited all the while
    assert done.code == 0
    assert re.search(r"confirmation\s+[0-9]{6}", done.out)


def test_a_name_cannot_write_over_what_is_shown(server: Server, key: str) -> None:
    """T50: a client calls itself something that reads like the command's own words."""
    name = "Bank (checked) \u2066client id     stoac_trusted"
    body = {"redirect_uris": [REDIRECT], "client_name": name}
    assert httpx.post(f"{server.url}/oauth/register", json=body, timeout=60).status_code == 400
    long = "A" * 60 + "  leads to home"
    shown = run_agent("approve", waiting(server, long), "--key", key, answer="n\n").err
    assert sum(line.startswith("leads to") for line in shown.splitlines()) == 1

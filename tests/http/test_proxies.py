"""A forwarding header from a peer that is not trusted: ignored, and logged once."""

import pytest

from stoa.domain.addresses import MADE_UP, parse_networks
from stoa.http.proxies import Proxies
from tests.support.app import App
from tests.support.logs import logged

PEER = "10.0.0.1"
HEADERS = [{"X-Forwarded-For": "7.7.7.7"}, {"Forwarded": "for=7.7.7.7"}]


@pytest.mark.parametrize("headers", HEADERS)
def test_the_first_forwarding_header_of_a_stranger_is_logged_with_what_to_set(
    stoa: App, headers: dict[str, str]
) -> None:
    with logged() as lines:
        for number in range(20):
            stoa.get("threads", headers=headers, client=f"10.0.0.{number}").ok()
            stoa.get("threads", client=PEER).ok()
    (line,) = lines
    assert (line["level"], line["peer"]) == ("warning", "10.0.0.0")
    assert "STOA_TRUSTED_PROXIES" in line["hint"]
    assert "7.7.7.7" not in str(line)


def test_what_the_doctor_makes_up_is_not_logged_and_a_stranger_behind_it_is(stoa: App) -> None:
    made_up = [{"X-Forwarded-For": MADE_UP}, {"Forwarded": f"for={MADE_UP}"}]
    with logged() as lines:
        for headers in made_up:
            stoa.get("/healthz?client", headers=headers, client="127.0.0.1").ok()
    assert lines == []
    with logged() as lines:
        stoa.get("threads", headers=HEADERS[0], client=PEER).ok()
    assert [line["peer"] for line in lines] == [PEER]


@pytest.mark.settings(trusted_proxies=["10.0.0.0/8"])
@pytest.mark.parametrize("headers", HEADERS)
def test_nothing_is_logged_of_a_trusted_proxy(stoa: App, headers: dict[str, str]) -> None:
    with logged() as lines:
        stoa.get("threads", headers=headers, client=PEER).ok()
    assert lines == []
    with logged() as lines:
        stoa.get("threads", headers=headers, client="8.8.8.8").ok()
    assert [line["peer"] for line in lines] == ["8.8.8.8"]


def test_the_client_is_what_a_trusted_proxy_says_and_else_the_peer() -> None:
    headers = {b"x-forwarded-for": b"7.7.7.7"}
    assert Proxies(parse_networks([PEER])).client(PEER, headers) == "7.7.7.7"
    assert Proxies(()).client(PEER, headers) == PEER


def test_of_a_header_that_was_sent_twice_the_last_line_counts() -> None:
    headers = {b"x-forwarded-for": b"9.9.9.9, 7.7.7.7"}
    assert Proxies(parse_networks([PEER])).client(PEER, headers) == "7.7.7.7"

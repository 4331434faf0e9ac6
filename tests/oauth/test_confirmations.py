"""A page goes on only with what the approval showed: who sent its address has nothing of it."""

import re

import pytest

from stoa.domain import authorizations as rules
from stoa.domain import limits
from tests.support.app import Agent, App
from tests.support.oauth_pages import (
    REDIRECT,
    Page,
    approve,
    authorize_path,
    granted_page,
    opened,
    register,
)


def approved_page(stoa: App, agent: Agent) -> tuple[Page, str]:
    """A page whose request the agent has approved, and the confirmation."""
    client_id = register(stoa)
    page = opened(stoa, authorize_path(client_id))
    return page, approve(agent, page.code, client_id).ok()["confirmation"]


def wrong(right: str, count: int) -> list[str]:
    """So many other confirmations."""
    return [digits for n in range(count + 1) if (digits := f"{n:06}") != right][:count]


def attacked(stoa: App) -> list[str]:
    """Where the browser is led that opened a page whose pairing code a person was sent, who has
    approved it."""
    page, _ = approved_page(stoa, stoa.agent("victim"))
    shown = page.link("continue")
    tried = [shown, f"{shown}/continue", f"{shown}/continue?confirmation=000000"]
    answers = [stoa.get(path) for path in tried]
    return [answer.headers["location"] for answer in answers if "location" in answer.headers]


@pytest.mark.promise("G28")
def test_who_opened_a_page_gets_no_code_for_what_another_person_approved(stoa: App) -> None:
    """T60: an attacker sends the genuine address or pairing code, and the victim approves."""
    assert attacked(stoa) == []


def test_without_the_confirmation_the_code_goes_to_who_opened_the_page(
    stoa: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control of the test before."""

    def any_digits(_kept: bytes | None, _handle: bytes, _given: str) -> bool:
        return True

    monkeypatch.setattr(rules, "confirms", any_digits)
    [location] = attacked(stoa)
    assert location.startswith(f"{REDIRECT}?code=")


def test_an_approval_shows_six_digits_which_its_page_asks_for(stoa: App) -> None:
    page, digits = approved_page(stoa, stoa.agent("Ada"))
    assert re.fullmatch("[0-9]{6}", digits)
    asks = opened(stoa, page.link("continue"))
    assert asks.words.startswith("Confirm that you let in client.example")
    assert asks.find("continue") is None
    for typed in (digits, f"{digits[:3]} {digits[3:]}", f"{digits[:3]}-{digits[3:]}"):
        assert "Let in with the agent Ada" in opened(stoa, asks.confirmed(typed)).words
    assert stoa.get(opened(stoa, asks.confirmed(digits)).link("continue")).status == 303


@pytest.mark.promise("G29")
def test_five_wrong_confirmations_end_the_page(stoa: App) -> None:
    page, digits = approved_page(stoa, stoa.agent("Ada"))
    asks = opened(stoa, page.link("continue"))
    leave = opened(stoa, asks.confirmed(digits)).link("continue")
    for left, other in zip((4, 3, 2), wrong(digits, 3), strict=True):
        assert f"{left} tries are left" in opened(stoa, asks.confirmed(other)).words
        assert "Let in with" in opened(stoa, asks.confirmed(digits)).words  # which is no try
    for nonsense in ("", "12345", "1234567", "\u0661\u0662\u0663\u0664\u0665\u0666"):
        opened(stoa, asks.confirmed(nonsense))
    fourth, fifth = wrong(digits, 5)[3:]
    assert (
        "One more wrong try"
        in opened(stoa, f"{page.link('continue')}/continue?confirmation={fourth}").words
    )
    for last in (fifth, digits):
        assert "wrong too often" in opened(stoa, asks.confirmed(last), 400).words
    assert stoa.get(leave).status == 400
    opened(stoa, page.link("continue"), 400)


def test_of_many_confirmations_at_once_five_are_looked_at(stoa: App) -> None:
    """Else the right one of a million would be found by trying all at once."""
    page, digits = approved_page(stoa, stoa.agent("Ada"))
    path = opened(stoa, page.link("continue")).confirmed("").removesuffix("=")
    many = [*wrong(digits, 60), digits]
    answers = stoa.together(*(stoa.ask("GET", f"{path}={one}") for one in many))
    assert "Let in with" not in opened(stoa, f"{path}={digits}", 400).words
    assert stoa.sql("SELECT tries FROM authorization_request") == [(limits.CONFIRMATION_TRIES,)]
    assert sum("Let in with" in answer.text for answer in answers) <= 1


def test_tries_at_one_page_are_no_tries_at_another(stoa: App) -> None:
    """Each approval is one that a person makes, so guesses over many pages need as many people."""
    ada = stoa.agent("Ada")
    pages = [approved_page(stoa, ada) for _ in range(3)]
    for page, digits in pages[:2]:
        others = {one for _, one in pages} - {digits}
        for other in [*others, *wrong(digits, 5)][:5]:
            stoa.get(f"{page.link('continue')}?confirmation={other}")
        opened(stoa, page.link("continue"), 400)
    page, digits = pages[2]
    assert "Let in with" in opened(stoa, f"{page.link('continue')}?confirmation={digits}").words


def test_what_is_tried_before_the_approval_counts_for_nothing(stoa: App) -> None:
    ada, client_id = stoa.agent("Ada"), register(stoa)
    page = opened(stoa, authorize_path(client_id))
    for other in wrong("", 6):
        waiting = opened(stoa, f"{page.link('continue')}?confirmation={other}")
        assert "No agent has let it in yet" in waiting.words
    assert "Let in with" in granted_page(stoa, page, approve(ada, page.code, client_id)).words


def test_a_confirmation_lives_as_long_as_its_request(stoa: App) -> None:
    page, digits = approved_page(stoa, stoa.agent("Ada"))
    shown = f"{page.link('continue')}?confirmation={digits}"
    stoa.clock.advance(10 * 60_000 - 1)
    leave = opened(stoa, shown).link("continue")
    stoa.clock.advance(1)
    opened(stoa, shown, 400)
    opened(stoa, leave, 400)


def test_the_least_answer_to_an_approval_has_the_confirmation_too(stoa: App) -> None:
    ada, client_id = stoa.agent("Ada"), register(stoa)
    page = opened(stoa, authorize_path(client_id))
    body, prefer = {"clientId": client_id}, {"Prefer": "return=minimal"}
    least = ada.post(f"auth/approvals/{page.code}", body, headers=prefer).ok()
    assert "approval" not in least
    granted_page(stoa, page, least)


def test_the_page_that_asks_is_markdown_for_those_who_ask_for_it(stoa: App) -> None:
    page, digits = approved_page(stoa, stoa.agent("Ada"))
    for query, words in (("", "of 6 digits"), (f"?confirmation={wrong(digits, 1)[0]}", "left: 4")):
        path = f"{page.link('continue')}{query}"
        assert words in stoa.get(path, headers={"Accept": "text/markdown"}).text

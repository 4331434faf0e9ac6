"""Nothing from before a restore brings a token, on either engine."""

from collections.abc import Callable
from functools import partial

import pytest

from stoa.settings import Settings
from stoa.store.transfer.restoring import begin_anew
from tests.support import replayed
from tests.support.answers import Answer
from tests.support.app import App, signed
from tests.support.clock import SECOND, VirtualClock
from tests.support.keys import Key
from tests.support.oauth import assertion, by_key, granted, post, renewal
from tests.support.oauth_pages import approve, authorize_path, led_to, opened, register, trade

Calls = dict[str, Callable[[App], Answer]]


def under_way(app: App) -> Calls:
    """Calls that bring a token, or lead to one, by what they show. A challenge and an assertion
    have been used, which a backup that was made just before does not know."""
    ada, client = app.agent("ada"), register(app)
    waits, approved = (opened(app, authorize_path(client)) for _ in range(2))
    approve(ada, approved.code, client).ok()
    code = trade(client, led_to(app, ada, client)["code"])
    renewed = renewal(granted(app, ada).refresh_token or "")
    unused, used = (signed(ada.key, app.challenge(ada.key)) for _ in range(2))
    by_assertion = by_key(assertion(ada.key, app.clock()))
    app.post("auth/verify", used).ok()
    post(app, by_assertion).ok()
    app.sql("DELETE FROM challenge_used")
    return {
        "a session": lambda app: app.get("agents/me", headers=ada.headers),
        "a refresh token": lambda app: post(app, renewed),
        "a code": lambda app: post(app, code),
        "an approval": lambda app: app.get(approved.link("continue")),
        "a page that waits": lambda app: app.get(waits.link("continue")),
        "a challenge": lambda app: app.post("auth/verify", unused),
        "a used challenge": lambda app: app.post("auth/verify", used),
        "a used assertion": lambda app: post(app, by_assertion),
    }


def good(app: App, calls: Calls) -> set[str]:
    """The calls that are not refused."""
    return {name for name, call in calls.items() if call(app).status < 400}


@pytest.mark.promise("D41")
def test_nothing_from_before_a_restore_brings_a_token(
    settings: Settings, clock: VirtualClock
) -> None:
    with App(settings, clock) as app:
        calls = under_way(app)
        clock.advance(SECOND)
        app.run(app.stoa.store.write(partial(begin_anew, erased=[])))
    with App(settings, clock) as again:
        assert good(again, calls) == set()
        again.agent("ada")
        claims = assertion(Key("bob"), clock(), iat=clock() // SECOND)
        post(again, by_key(claims)).ok()


def test_all_that_was_under_way_brings_a_token_without_a_new_beginning(
    settings: Settings, clock: VirtualClock
) -> None:
    """The control of the test above."""
    with App(settings, clock) as app:
        calls = under_way(app)
        clock.advance(SECOND)
    with App(settings, clock) as again:
        assert good(again, calls) == calls.keys()


@pytest.mark.parametrize("engine", ["postgresql"])
def test_the_statements_for_a_replayed_log_end_as_much(
    settings: Settings, clock: VirtualClock
) -> None:
    with App(settings, clock) as app:
        calls = under_way(app)
        replayed.end_all(app)
    clock.advance(2 * SECOND)
    with App(settings, clock) as again:
        assert good(again, calls) == set()

"""Random writes that meet on the same few subjects leave all in order, whichever of them wins.

A failure names its seed and the calls of its batch; the seed is a parameter of the test.
"""

from collections.abc import Coroutine
from typing import Any

import pytest

from tests.races.overtaking import overtaken
from tests.races.storm import Planned, Storm
from tests.races.storm_checks import (
    check_answers,
    check_ledger,
    check_lists,
    check_unchanged,
    contents,
)
from tests.support.answers import Answer
from tests.support.app import App
from tests.support.clock import DAY
from tests.support.keys import Key
from tests.support.logs import logged
from tests.support.soaking import few
from tests.support.steps import Steps

pytestmark = pytest.mark.settings(
    admin_keys=[Key("mod").public], hold_first=1, hold_hours=2, token_ttl_seconds=10_000_000
)
STORMS = few([(1, 12), *((seed, 100) for seed in range(2, 42))])
"""A seed, and how many batches it draws."""


def together(storm: Storm, batch: list[Planned], *beside: Coroutine[Any, Any, Any]) -> list[Answer]:
    """Send a batch beside other work; the answers."""
    with logged() as lines:
        found = storm.app.together(*map(storm.sent, batch), *beside)
    answers = found[: len(batch)]
    check_answers(list(zip(batch, answers, strict=True)), lines)
    return answers


def try_and_refuse(storm: Storm, batch: list[Planned]) -> None:
    """Try a batch, which does nothing; then send what was refused, which changes nothing either."""
    storm.sweep()
    before = contents(storm)
    tried = together(storm, [call._replace(dry=True, key="") for call in batch])
    check_unchanged(storm, before)
    pairs = zip(batch, tried, strict=True)
    refused = [call._replace(dry=False, key="") for call, one in pairs if one.status >= 400]
    if all(answer.status >= 400 for answer in together(storm, refused)):
        check_unchanged(storm, before)


def one_batch(storm: Storm, batch: list[Planned]) -> None:
    """Let time pass, send a batch, and look at what is there."""
    storm.pass_time()
    if storm.random.random() < 0.1:
        try_and_refuse(storm, batch)
    else:
        together(storm, batch, *storm.others())
    check_ledger(storm)
    if storm.random.random() < 0.5:
        storm.sweep()
        check_lists(storm)


def at_the_end(storm: Storm) -> None:
    """Once what was held is released and all has ended by itself, nothing is reserved any more."""
    for _ in range(2):
        storm.app.clock.advance(60 * DAY)
        storm.sweep()
    check_ledger(storm)
    check_lists(storm)
    assert storm.app.sql("SELECT id FROM hold WHERE status = 'OPEN'") == []


@pytest.mark.promise("C62")
@pytest.mark.parametrize(("seed", "batches"), STORMS)
def test_whatever_meets_is_done_once_or_refused(stoa: App, seed: int, batches: int) -> None:
    storm = Storm(stoa, seed)
    for number in range(batches):
        storm.look()
        batch = storm.batch(storm.random.randrange(6, 13))
        try:
            one_batch(storm, batch)
        except BaseException as error:
            calls = "\n".join(map(str, batch))
            error.add_note(f"Seed {seed}, batch {number}, {stoa.apart_ms} ms apart:\n{calls}")
            raise
    at_the_end(storm)


@pytest.mark.parametrize("engine", ["postgresql"])
@pytest.mark.parametrize("unread", ["", "thread"])
def test_an_accept_that_does_not_look_again_is_found(stoa: App, steps: Steps, unread: str) -> None:
    storm = Storm(stoa, seed=1)
    thread = storm.agents["ada"].thread("A storm?", "Who knows?")
    reply = storm.agents["bob"].reply(thread)
    place = f"threads/{thread['id']}"
    accept = Planned("ada", f"{place}/replies/{reply['id']}/accept")
    offer = Planned("ada", f"{place}/bounty", {"credits": 5})
    if unread:
        steps.told[f"locks.{unread}"] = False
    answers = overtaken(stoa, steps, storm.sent(accept), storm.sent(offer))
    assert [answer.status for answer in answers] == [200, 200]
    if unread:
        with pytest.raises(AssertionError, match="a paid bounty went to the author"):
            check_ledger(storm)
    else:
        check_ledger(storm)


def test_an_offer_that_is_missing_from_the_feeds_is_found(stoa: App) -> None:
    storm = Storm(stoa, seed=1)
    storm.agents["ada"].thread("A storm?", "Who knows?", bountyCredits=2)
    check_lists(storm)
    stoa.sql("DELETE FROM opportunity")
    with pytest.raises(AssertionError):
        check_lists(storm)

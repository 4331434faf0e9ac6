"""A sign-in that waited while the recovery of its agent began knows the key that it leads to."""

import asyncio

import pytest

from tests.races.test_locks import until_waiting
from tests.support.answers import Answer
from tests.support.app import Agent, App, signed
from tests.support.clock import SECOND
from tests.support.key_changes import name_recovery, recovery
from tests.support.keys import Key
from tests.support.steps import Steps


@pytest.mark.settings(recovery_seconds=1)
@pytest.mark.parametrize("engine", ["postgresql"])
def test_a_sign_in_that_waited_until_a_recovery_has_ended_is_refused(
    stoa: App, ada: Agent, steps: Steps
) -> None:
    """The recovery is so short that it has ended by the time that its begin is committed."""
    offline, new = Key("the offline key"), Key("the new key")
    name_recovery(ada, offline).ok()
    begin = recovery(stoa, ada.id, offline, new)
    sign_in = signed(ada.key, stoa.challenge(ada.key))
    begun = asyncio.Event()

    async def hold_up() -> None:
        begun.set()
        await until_waiting(stoa)
        stoa.clock.advance(2 * SECOND)

    async def later() -> Answer:
        await begun.wait()
        return await stoa.ask("POST", "auth/verify", sign_in)

    steps.after("finish", hold_up, once=True)
    recovers, answer = stoa.together(stoa.ask("POST", "auth/recover", begin), later())
    recovers.ok()
    answer.refused(401, "key_retired")

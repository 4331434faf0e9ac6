"""How often an agent may change its keys."""

import pytest

from tests.support.app import Agent, App
from tests.support.clock import DAY
from tests.support.key_changes import name_recovery, rotate
from tests.support.keys import Key

pytestmark = pytest.mark.parametrize("engine", ["sqlite"])
"""Limits are counted in one process here."""


def named(agent: Agent, numbers: range) -> list[int]:
    """The statuses of what an agent is answered that names one recovery key after the other."""
    return [name_recovery(agent, Key(f"offline {number}")).status for number in numbers]


@pytest.mark.settings(limit_keys=10)
def test_ten_changes_of_keys_a_day(stoa: App, ada: Agent) -> None:
    assert named(ada, range(9)) == [200] * 9
    answer = rotate(ada, Key("the next key"))
    assert answer.ok().rate == ("keys", 10, 0)
    ada.key = Key("the next key")
    stoa.clock.advance(DAY - 1)
    ada.sign_in()
    refusal = name_recovery(ada, Key("another")).refused(429, "rate_limited")
    told = (refusal["resource"], refusal["limit"], refusal["windowSeconds"])
    assert told == ("keys", 10, 86_400)
    rotate(ada, Key("another")).refused(429, "rate_limited")
    stoa.clock.advance(1)
    assert named(ada, range(20, 31)) == [200] * 10 + [429]


@pytest.mark.settings(limit_keys=1)
def test_a_change_of_keys_that_is_refused_does_not_count(ada: Agent) -> None:
    name_recovery(ada, ada.key).invalid("recoveryPublicKey")
    assert named(ada, range(2)) == [200, 429]

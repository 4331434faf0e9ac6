"""How keys change: every state with every event, what is signed, and which keys result."""

from dataclasses import replace
from itertools import product

import pytest

from stoa.domain.errors import CATALOGUE, Refusal
from stoa.domain.key_changes import (
    ChainLink,
    KeyChange,
    KeyEvent,
    KeyState,
    check_signature,
    follow,
    signed_text,
    standing,
)
from tests.support.keys import Key

TABLE = """
state       rotate            recovery          recover           retire            spend             delay
PLAIN       PLAIN             GUARDED           no_recovery_key   RETIRED           PLAIN             PLAIN
GUARDED     GUARDED           REPLACING         RECOVERING        RETIRED           GUARDED           GUARDED
REPLACING   GUARDED           REPLACING         RECOVERING        RETIRED           REPLACING         GUARDED
RECOVERING  recovery_running  recovery_running  recovery_running  recovery_running  recovery_running  GUARDED
RETIRED     key_retired       key_retired       key_retired       key_retired       key_retired       key_retired
"""  # noqa: E501
CELLS = [
    (KeyState(state), KeyEvent(event), outcome)
    for state, *outcomes in (line.split() for line in TABLE.strip().splitlines()[1:])
    for event, outcome in zip(TABLE.split("\n")[1].split()[1:], outcomes, strict=True)
]
FIRST, SECOND, RECOVERY, OTHER = (bytes([number]) * 32 for number in range(1, 5))
DELAY = 100


def link(change: KeyChange, key: bytes, at: int = 10, after: int = 0) -> ChainLink:
    """A change made at a time and in force some time later."""
    return ChainLink(change, key, FIRST, FIRST, at, at + after, None)


def test_the_table_has_every_state_and_every_event() -> None:
    assert {(state, event) for state, event, _ in CELLS} == set(product(KeyState, KeyEvent))


@pytest.mark.parametrize(("state", "event", "outcome"), CELLS)
def test_an_event_leads_to_a_state_or_to_a_refusal(
    state: KeyState, event: KeyEvent, outcome: str
) -> None:
    if outcome in CATALOGUE:
        with pytest.raises(Refusal) as refusal:
            follow(state, event)
        assert refusal.value.code == outcome
    else:
        assert follow(state, event) is KeyState(outcome)


def test_the_signed_text_names_change_agent_and_key() -> None:
    assert signed_text(KeyChange.ROTATE, "ag_1", "00ff", "abc") == (
        "stoa-keys-v1\nrotate\nag_1\n00ff\nabc"
    )


def test_only_the_right_key_signs_for_a_text() -> None:
    key, other = Key("right"), Key("wrong")
    check_signature(bytes.fromhex(key.public), "text", bytes.fromhex(key.sign("text")))
    for signature in (other.sign("text"), key.sign("text\n")):
        with pytest.raises(Refusal) as refusal:
            check_signature(bytes.fromhex(key.public), "text", bytes.fromhex(signature))
        assert refusal.value.code == "signature_invalid"


def test_without_changes_the_first_key_is_in_force() -> None:
    keys = standing(FIRST, 5, [], 10)
    assert (keys.current, keys.since, keys.recovery, keys.state) == (
        FIRST,
        5,
        None,
        KeyState.PLAIN,
    )


def test_a_rotation_is_in_force_at_once() -> None:
    keys = standing(FIRST, 5, [link(KeyChange.ROTATE, SECOND)], 10)
    assert (keys.current, keys.since, keys.state) == (SECOND, 10, KeyState.PLAIN)


def test_a_recovery_is_in_force_exactly_when_its_delay_has_passed() -> None:
    links = [link(KeyChange.RECOVERY, RECOVERY), link(KeyChange.RECOVER, SECOND, 20, DELAY)]
    before, after = standing(FIRST, 5, links, 119), standing(FIRST, 5, links, 120)
    assert (before.current, before.state) == (FIRST, KeyState.RECOVERING)
    assert (after.current, after.since, after.state) == (SECOND, 120, KeyState.GUARDED)
    assert before.recovery == after.recovery == RECOVERY
    assert before.named == {FIRST, RECOVERY, SECOND}


def test_a_replacement_of_the_recovery_key_is_in_force_after_its_delay() -> None:
    links = [link(KeyChange.RECOVERY, RECOVERY), link(KeyChange.RECOVERY, OTHER, 20, DELAY)]
    before, after = standing(FIRST, 5, links, 119), standing(FIRST, 5, links, 120)
    assert (before.recovery, before.state) == (RECOVERY, KeyState.REPLACING)
    assert (after.recovery, after.state) == (OTHER, KeyState.GUARDED)


def test_a_dropped_replacement_is_never_in_force() -> None:
    dropped = replace(link(KeyChange.RECOVERY, OTHER, 20, DELAY), dropped_at=30)
    keys = standing(FIRST, 5, [link(KeyChange.RECOVERY, RECOVERY), dropped], 1_000)
    assert (keys.recovery, keys.state) == (RECOVERY, KeyState.GUARDED)


def test_a_retired_agent_has_no_state_but_that() -> None:
    assert standing(FIRST, 5, [], 10, retired=True).state is KeyState.RETIRED

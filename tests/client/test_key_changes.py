"""Changing keys with the clients, and the check of a chain of keys."""

import asyncio
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from stoa.client import AsyncStoa, BrokenChain, Key, Refused, Stoa, StoaError, check_chain
from stoa.client.generated.models import KeyChain
from stoa.client.key_changes import signed_text
from stoa.client.resources import read
from tests.client.relay import relaying
from tests.support.server import Server

AGENT = "ag_01arz3ndektsv4rrffq69g5fav"
TIMES = [f"2026-11-{day:02}T10:00:00.000Z" for day in range(1, 10)]


def test_a_client_goes_on_with_its_new_key(server: Server) -> None:
    old, new = Key.generate(), Key.generate()
    with Stoa(server.url, old, display_name="Ada") as stoa:
        agent = stoa.sign_in().agent
        rotated = stoa.rotate_to(new)
        assert (rotated.agent.id, rotated.agent.public_key) == (agent.id, new.public_key)
        assert stoa.get_me().agent.id == agent.id
        check_chain(stoa.get_keys(agent.id))
    with Stoa(server.url, old) as stoa, pytest.raises(Refused) as refused:
        stoa.sign_in()
    assert refused.value.code == "key_retired"


def test_a_rotation_whose_answer_is_lost_is_asked_for_with_the_new_key(
    start_server: Callable[..., Server],
) -> None:
    with relaying("") as relay:
        relay.target = start_server(base_url=relay.url).url
        new = Key.generate()
        with Stoa(relay.url, Key.generate()) as stoa:
            agent = stoa.sign_in().agent
            relay.losing.add("/api/v1/auth/rotate")
            rotated = stoa.rotate_to(new)
            assert (rotated.agent.id, rotated.agent.public_key) == (agent.id, new.public_key)
            assert stoa.get_me().agent.id == agent.id
            assert len(stoa.get_keys(agent.id).changes) == 1


def test_a_rotation_with_a_key_that_was_replaced_meanwhile_registers_nobody(
    server: Server,
) -> None:
    old, other, new = Key.generate(), Key.generate(), Key.generate()
    with Stoa(server.url, old) as stoa, Stoa(server.url, old) as elsewhere:
        agent = stoa.sign_in().agent
        elsewhere.rotate_to(other)
        with pytest.raises(Refused) as refused:
            stoa.rotate_to(new)
        assert refused.value.code == "key_retired"
    with Stoa(server.url, other) as stoa:
        assert stoa.sign_in().agent.id == agent.id
    with Stoa(server.url, new) as stoa:
        assert stoa.sign_in().is_new_agent


def test_a_recovery_begins_without_the_current_key(server: Server) -> None:
    offline, new = Key.generate(), Key.generate()
    with Stoa(server.url, Key.generate(), display_name="Ada") as stoa:
        stoa.name_recovery(offline.public_key)
        agent = stoa.get_me().agent
    with Stoa(server.url) as stoa:
        begun = stoa.recover(agent.id, offline, new)
        assert begun.agent.key_change_at == begun.key_change_at
        check_chain(stoa.get_keys(agent.id))
    with Stoa(server.url, new) as stoa, pytest.raises(Refused) as refused:
        stoa.sign_in()
    assert refused.value.code == "key_pending"


def test_the_asyncio_client_changes_keys_too(server: Server) -> None:
    async def change() -> None:
        offline, new, third = Key.generate(), Key.generate(), Key.generate()
        async with AsyncStoa(server.url, Key.generate()) as stoa:
            await stoa.rotate_to(new)
            await stoa.name_recovery(offline.public_key)
            agent = (await stoa.get_me()).agent
            await stoa.recover(agent.id, offline, third)
            check_chain(await stoa.get_keys(agent.id))

    asyncio.run(change())


def test_a_client_without_a_key_has_none_to_change(server: Server) -> None:
    with Stoa(server.url) as stoa, pytest.raises(StoaError) as error:
        stoa.rotate_to(Key.generate())
    assert error.value.code == "missing_key"


# --- The chain.


def change(kind: str, named: Key, signer: Key, day: int, *, after: int = 0) -> dict[str, Any]:
    """A change as a service shows it."""
    text = signed_text(kind, AGENT, named.public_key, "challenge")
    return {
        "change": kind,
        "publicKey": named.public_key,
        "signedBy": signer.public_key,
        "signedText": text,
        "signature": signer.sign(text.encode()).hex(),
        "newSignature": None if kind == "recovery" else named.sign(text.encode()).hex(),
        "createdAt": TIMES[day],
        "inForceAt": TIMES[day + after],
        "droppedAt": None,
    }


FIRST, SECOND, OFFLINE, OTHER, THIRD = (Key(f"{number:02}" * 32) for number in range(1, 6))


def chain(**changed: Any) -> dict[str, Any]:
    """A rotation, a recovery key, a replacement that was dropped, and a recovery."""
    dropped = {**change("recovery", OTHER, SECOND, 2, after=3), "droppedAt": TIMES[3]}
    key: dict[str, Any] = {"status": "retired", "since": TIMES[0], "until": None}
    keys = [{**key, "publicKey": one.public_key} for one in (FIRST, SECOND, THIRD)]
    changes = [
        change("rotate", SECOND, FIRST, 0),
        change("recovery", OFFLINE, SECOND, 1),
        dropped,
        change("recover", THIRD, OFFLINE, 3, after=3),
    ]
    made = {"agentId": AGENT, "keys": keys, "recoveryKey": OFFLINE.public_key, "changes": changes}
    return deepcopy({**made, **changed})


def check(value: dict[str, Any]) -> None:
    check_chain(read(KeyChain, value))


def test_a_chain_that_holds_together_passes() -> None:
    check(chain())


@pytest.mark.parametrize("number", range(4))
@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("change", "rotate"),
        ("change", "recover"),
        ("publicKey", FIRST.public_key),
        ("signedBy", OTHER.public_key),
        ("signedText", signed_text("rotate", AGENT, OTHER.public_key, "challenge")),
        ("signature", "00" * 64),
        ("newSignature", "00" * 64),
        ("inForceAt", "2026-10-01T10:00:00.000Z"),
        ("droppedAt", TIMES[7]),
    ],
)
def test_a_chain_that_was_changed_anywhere_is_broken(number: int, member: str, value: str) -> None:
    changed = chain()
    before = changed["changes"][number][member]
    if before == value or (member == "newSignature" and before is None):
        return
    changed["changes"][number][member] = value
    with pytest.raises(BrokenChain):
        check(changed)


def test_a_change_that_is_left_out_breaks_the_chain() -> None:
    for number in (0, 1, 3):
        changed = chain()
        del changed["changes"][number]
        with pytest.raises(BrokenChain):
            check(changed)


def test_a_replacement_is_dropped_by_a_later_change_alone() -> None:
    changed = chain()
    changed["changes"][2]["droppedAt"] = TIMES[1]
    with pytest.raises(BrokenChain):
        check(changed)


def test_a_dropped_recovery_key_recovers_nothing() -> None:
    changed = chain()
    changed["changes"][3] = change("recover", THIRD, OTHER, 6)
    with pytest.raises(BrokenChain):
        check(changed)


def test_other_keys_than_the_changes_lead_to_break_the_chain() -> None:
    for keys in ([], chain()["keys"][:2], [*chain()["keys"], chain()["keys"][0]]):
        with pytest.raises(BrokenChain):
            check(chain(keys=keys))

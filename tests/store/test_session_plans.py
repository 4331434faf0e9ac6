"""What looks for sessions or keys of an agent takes no longer for those that have ended."""

import json
from collections.abc import Iterable
from typing import Any

import apsw
import pytest

from tests.support.clock import START
from tests.support.many_rows import FITTING, ROWS, STATEMENTS, an_id, digest, steps

OF_AGENT = {"agent_id": an_id("ag", 0), "now": START, "kept": FITTING - 1, "most": ROWS}
SESSIONS = {"sessions.of_agent": FITTING, "sessions.end_soonest": 1, "sessions.revoke_all": FITTING}
"""How many rows each statement about the sessions of an agent gives or changes."""


def hashes(numbers: Iterable[int]) -> str:
    """The parameter that names the tokens of these numbers."""
    return json.dumps([digest(number).hex() for number in numbers])


def undone(connection: apsw.Connection, name: str, values: dict[str, Any]) -> tuple[int, int]:
    """How many instructions a statement took, and how many rows it gave or changed; undone."""
    given = {key: value for key, value in values.items() if f":{key}" in STATEMENTS[name]}
    connection.execute("BEGIN")
    taken, found = steps(connection, name, given)
    reads = STATEMENTS[name].startswith("SELECT")
    changed = found if reads else connection.changes()
    connection.execute("ROLLBACK")
    return taken, changed


@pytest.mark.promise("S16")
@pytest.mark.parametrize("name", SESSIONS)
def test_the_work_of_an_agents_sessions_does_not_grow_with_those_that_have_ended(
    unlike: apsw.Connection, name: str
) -> None:
    taken, touched = undone(unlike, name, OF_AGENT)
    assert (touched, taken < 200 * FITTING) == (SESSIONS[name], True)
    unlike.execute("UPDATE token SET revoked_at = NULL, ends_at = ?", (START + 1,))
    assert undone(unlike, name, OF_AGENT)[0] > ROWS


def test_a_posted_token_ends_without_a_look_at_others(unlike: apsw.Connection) -> None:
    unlike.execute("UPDATE token SET revoked_at = NULL, ends_at = ?", (START + 1,))
    name, asked = "sessions.revoke_tokens", {**OF_AGENT, "hashes": hashes([5])}
    taken, ended = undone(unlike, name, asked)
    assert (ended, taken < 300) == (1, True)
    assert undone(unlike, name, {**asked, "hashes": hashes(range(ROWS))})[1] == ROWS


@pytest.mark.parametrize("name", ["sessions.session", "sessions.revoke_session"])
def test_a_session_is_found_by_its_id_alone(unlike: apsw.Connection, name: str) -> None:
    taken, found = undone(unlike, name, {**OF_AGENT, "session_id": an_id("ses", 5)})
    assert (found, taken < 100) == (1, True)


CHANGES = {"key_changes.newest": 3, "key_changes.drop_begun": 1, "key_changes.insert": 1}
"""How many rows each statement about the changes of an agent's keys gives, changes or adds."""
KEY_CHANGE = {
    "agent_id": an_id("ag", 0),
    "change": "recovery",
    "key": digest(1),
    "replaced": digest(2),
    "signer": digest(2),
    "challenge": "c",
    "signature": b"s",
    "new_signature": None,
    "now": START,
    "in_force_at": START,
}


@pytest.mark.promise("K23")
@pytest.mark.parametrize("name", CHANGES)
def test_a_change_of_keys_takes_no_longer_for_those_before(
    unlike: apsw.Connection, name: str
) -> None:
    taken, touched = undone(unlike, name, KEY_CHANGE)
    assert (touched, taken < 500) == (CHANGES[name], True)
    assert undone(unlike, "key_changes.of_agent", KEY_CHANGE)[0] > ROWS


def test_the_keys_of_an_agent_follow_from_the_newest_changes(unlike: apsw.Connection) -> None:
    name, given = "key_changes.newest", {"agent_id": an_id("ag", 0)}
    found = unlike.execute(STATEMENTS[name], given).fetchall()
    assert [row[1] for row in found] == [digest(0), digest(1), digest(ROWS - 1)]

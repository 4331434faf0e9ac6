"""How many rows an inbox looks at: those of offers that fit, and a page of each busy thread."""

import json
from pathlib import Path
from typing import Any

import apsw
import pytest

from stoa.domain import limits
from tests.support.clock import START
from tests.support.many_rows import FITTING, ROWS, STATEMENTS, an_id, filled, steps, term

INBOXES = {"events.inbox": FITTING, "events.count_inbox": 1}
"""How many rows each inbox statement returns where `FITTING` offers fit the agent."""


def inbox_values(terms: list[str]) -> dict[str, Any]:
    """The parameters of an inbox statement, for an agent with these capabilities."""
    wanted = {"agent_id": an_id("ag", 1), "kinds": '["job.created"]', "terms": json.dumps(terms)}
    places = {"after": 0, "upto": ROWS, "limit": ROWS, "threads": limits.INBOX_THREADS}
    return {**wanted, **places, "now": START}


@pytest.mark.promise("E25")
@pytest.mark.parametrize("name", INBOXES)
def test_an_inbox_looks_only_at_offers_that_fit(unlike: apsw.Connection, name: str) -> None:
    taken, found = steps(unlike, name, inbox_values(["x"]))
    assert found == INBOXES[name]
    assert taken < 400 + 120 * FITTING
    assert steps(unlike, name, inbox_values([*map(term, range(ROWS))]))[0] > ROWS


@pytest.mark.parametrize("named", ["party_id", "other_id"])
def test_a_part_of_an_inbox_looks_at_its_events_alone(unlike: apsw.Connection, named: str) -> None:
    with unlike:
        unlike.execute(f"UPDATE event_log SET offer = 0, {named} = ?", (an_id("ag", 1),))
    values = {**inbox_values([]), "kinds": '["job.rejected"]', "limit": 21}
    ((upto,),) = unlike.execute(STATEMENTS["events.far_inbox"], {**values, "most": 99})
    assert upto == 100
    far = steps(unlike, "events.far_inbox", {**values, "most": 99})
    part, whole = (steps(unlike, "events.inbox", {**values, "upto": end}) for end in (upto, ROWS))
    assert (part[1], whole[1]) == (0, 0)
    assert far[0] + part[0] < 100 * 20 < ROWS * 5 < whole[0]


def test_of_busy_threads_an_inbox_looks_at_a_page_of_each(tmp_path: Path) -> None:
    rows, own = filled(tmp_path / "stoa.db"), an_id("ag", 1)
    with rows:
        rows.execute("UPDATE event_log SET offer = 0, actor_id = 'x', party_id = NULL")
        for thread in ("a", "b"):
            rows.execute("INSERT INTO thread_writer VALUES (?, ?, 0)", (thread, own))
            told = "INSERT INTO told_thread SELECT ?, seq, seq, kind FROM event_log"
            rows.execute(f"{told} WHERE seq % 2 = ?", (thread, int(thread == "a")))
    values = {**inbox_values([]), "limit": 21}
    taken, found = steps(rows, "events.inbox", values)
    assert (found, taken < 2 * 21 * 100) == (21, True)
    assert steps(rows, "events.inbox", {**values, "limit": ROWS})[0] > ROWS * 20
    narrowed = {**values, "kinds": '["job.rejected"]'}
    ((upto,),) = rows.execute(STATEMENTS["events.far_inbox"], {**narrowed, "most": 99})
    assert upto == 2 * 34 - 1, "the 34th of the first one, as 3 times 33 may be looked at"
    part, whole = (steps(rows, "events.inbox", {**narrowed, "upto": end}) for end in (upto, ROWS))
    assert (part[1], whole[1]) == (0, 0)
    assert part[0] < 100 * 30 < ROWS * 5 < whole[0]

"""How many rows an inbox looks at, where its agent wrote in threads with many replies."""

from pathlib import Path

from tests.store.test_query_plans import inbox_values
from tests.support.many_rows import ROWS, STATEMENTS, an_id, filled, steps


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

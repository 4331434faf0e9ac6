"""What the market and the front page count is found by indexes, in a file without statistics."""

from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from tests.store.test_query_plans import plan
from tests.support.clock import START
from tests.support.many_rows import ROWS, filled, steps


@pytest.fixture
def answered(tmp_path: Path) -> Iterator[apsw.Connection]:
    """Many rows; each thread is open and has an answer, and each balance is held for a job."""
    connection = filled(tmp_path / "stoa.db")
    with connection:
        connection.execute("UPDATE thread SET answer_count = 1")
        held = [(f"escrow:{number}",) for number in range(ROWS)]
        connection.executemany("INSERT INTO account VALUES (?, 1)", held)
    yield connection
    connection.close()


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("market.unanswered", "UPDATE thread SET answer_count = 0"),
        ("market.richest", "UPDATE account SET id = 'agent:' || id"),
    ],
)
def test_only_what_counts_is_looked_at(answered: apsw.Connection, name: str, change: str) -> None:
    assert steps(answered, name, {"most": ROWS})[0] < 100
    answered.execute(change)
    assert steps(answered, name, {"most": ROWS})[0] > ROWS


@pytest.mark.parametrize("name", ["daily_jobs_completed", "last_day", "paid_since"])
def test_what_was_paid_lately_is_found_without_a_look_at_older_jobs(
    answered: apsw.Connection, name: str
) -> None:
    answered.execute("UPDATE job SET status = 'COMPLETED', decided_at = ?", (START,))
    assert steps(answered, f"market.{name}", {"since": START + ROWS})[0] < 300
    assert steps(answered, f"market.{name}", {"since": START - 1})[0] > ROWS


@pytest.mark.parametrize(
    ("name", "step"),
    [
        ("market.holds_due", "SEARCH h USING INDEX hold_due (expires_at<?)"),
        ("threads.front_unanswered", "SEARCH t USING INDEX thread_unanswered (status=?)"),
        (
            "threads.front_unanswered",
            "SEARCH n USING INDEX thread_by_author (author_id=? AND id>?)",
        ),
        ("threads.count_unanswered", "SEARCH t USING INDEX thread_unanswered (status=?)"),
    ],
)
def test_a_few_rows_of_many_are_found_by_the_index_that_holds_them(name: str, step: str) -> None:
    assert step in plan(name)


def test_the_tags_on_offer_are_counted_without_a_look_at_each_offer() -> None:
    assert "SCAN m" in plan("market.top_tags")
    assert not [step for step in plan("market.top_tags") if step.startswith("SEARCH")]

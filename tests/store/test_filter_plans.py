"""A list with filters looks at few of the rows that it leaves out."""

from typing import Any

import apsw
import pytest

from stoa.store.jobs import JobFilter
from stoa.store.places import LARGEST, NEWEST, SMALLEST, Ends, between
from stoa.store.threads import ThreadFilter
from tests.store.test_query_plans import page_values, plan
from tests.support.clock import START
from tests.support.many_rows import ROWS, STATEMENTS, TOP, an_id, steps

UNANSWERED = "threads.first_unanswered_recent"


def test_a_list_of_unanswered_threads_does_not_walk_those_with_answers(
    unlike: apsw.Connection,
) -> None:
    assert steps(unlike, UNANSWERED, page_values(UNANSWERED)[0])[0] < 300
    unlike.execute("UPDATE thread SET answer_count = 0")
    assert steps(unlike, UNANSWERED, page_values(UNANSWERED)[0])[1] == 21


@pytest.mark.parametrize("order", ["recent", "active", "replies"])
def test_threads_of_an_author_with_a_tag_are_those_of_the_author(
    unlike: apsw.Connection, order: str
) -> None:
    place = {"key": "~" if order == "recent" else TOP, "id": "~", "limit": 21, "offset": 0}
    for author, least, most in ((an_id("ag", 1), 0, 300), (an_id("ag", 0), ROWS, 10**6)):
        name, values = ThreadFilter("x", author, "answered").statement(order)
        taken, found = steps(unlike, name, {**values, **place})
        assert found == 0
        assert least <= taken < most


@pytest.mark.promise("Q22")
@pytest.mark.parametrize("rows", ["threads", "jobs"])
def test_a_row_that_is_passed_over_costs_the_same_however_long_its_text_is(
    unlike: apsw.Connection, rows: str
) -> None:
    status, table, text = {
        "threads": ("answered", "thread", "body"),
        "jobs": ("COMPLETED", "job", "description"),
    }[rows]
    values = {**JobFilter(status)._asdict(), "scope": "x", "now": START, "limit": 21, "offset": 0}
    tagged = STATEMENTS[f"{rows}.list_tag_recent"], {**values, **between(NEWEST, None)}
    short = pages(unlike, *tagged)
    with unlike:
        long = f"UPDATE {table} SET {text} = ? WHERE id < ?"
        unlike.execute(long, ("x" * 200_000, an_id(rows[:-1].replace("thread", "th"), 200)))
    assert pages(unlike, *tagged) < 1.1 * short
    assert pages(unlike, f"SELECT max({text}) FROM {table}", {}) > 200 * 40


def pages(connection: apsw.Connection, sql: str, values: dict[str, Any]) -> int:
    """How many pages a statement looked at."""
    before = connection.status(apsw.SQLITE_DBSTATUS_CACHE_HIT)[0]
    missed = connection.status(apsw.SQLITE_DBSTATUS_CACHE_MISS)[0]
    connection.execute(sql, values).fetchall()
    hits = connection.status(apsw.SQLITE_DBSTATUS_CACHE_HIT)[0] - before
    return hits + connection.status(apsw.SQLITE_DBSTATUS_CACHE_MISS)[0] - missed


ON_OFFER = {"least": 0, "amount": TOP, "created_at": TOP, "id": "~", "now": START}
RARE = {
    "opportunities.page_type": {"type": "bounty_question"},
    "opportunities.tagged": {"tags": '["x"]', "types": '["bounty_question"]'},
}
COMMON = {
    "opportunities.page_type": {"type": "job"},
    "opportunities.tagged": {"tags": '["x", "y"]', "types": '["bounty_question", "job"]'},
}


def offers(name: str, wanted: dict[str, dict[str, str]]) -> dict[str, Any]:
    """The parameters of a statement that lists the first page of open offers."""
    return {**ON_OFFER, **wanted[name], "limit": 21, "offset": 0}


@pytest.mark.promise("Q16")
@pytest.mark.parametrize("name", RARE)
def test_a_list_of_offers_looks_at_its_page_alone(unlike: apsw.Connection, name: str) -> None:
    unlike.execute("UPDATE opportunity_term SET term = 'x'")
    taken, found = steps(unlike, name, offers(name, RARE))
    assert (found, taken < 300) == (0, True)
    taken, found = steps(unlike, name, offers(name, COMMON))
    assert (found, taken < 21 * 200) == (21, True)
    assert steps(unlike, name, {**offers(name, COMMON), "limit": ROWS})[0] > ROWS


@pytest.mark.parametrize(("who", "number"), [("creator", 0), ("claimed_by", 2)])
def test_jobs_of_an_agent_with_a_tag_are_those_of_the_agent(
    unlike: apsw.Connection, who: str, number: int
) -> None:
    for agent, least, most in ((an_id("ag", 1), 0, 300), (an_id("ag", number), ROWS, 10**6)):
        only = JobFilter("COMPLETED", "x")._replace(**{who: agent})
        scope, value = only.scope()
        values = {**only._asdict(), "scope": value, "key": "~", "id": "~", "now": START}
        name = f"jobs.list_{scope}_recent"
        taken, found = steps(unlike, name, {**values, "limit": 21, "offset": 0})
        assert found == 0
        assert least <= taken < most


COUNTED = {"reputation.expired_claims": 2, "reputation.undecided_submissions": 0}
"""What is counted of the jobs of an agent that expired, and the number of that agent here."""


@pytest.mark.promise("Q23")
@pytest.mark.parametrize(("name", "number"), COUNTED.items())
def test_a_reputation_counts_what_expired_and_looks_at_no_other_job(
    unlike: apsw.Connection, name: str, number: int
) -> None:
    values = {"agent_id": an_id("ag", number), "now": START - 1}
    assert steps(unlike, name, values)[0] < 100
    change = "UPDATE job SET status = 'REFUNDED_EXPIRED', expired_from = ? WHERE deadline < ?"
    with unlike:
        for state, place in (("OPEN", 100), ("SUBMITTED", 200), ("CLAIMED", 300)):
            unlike.execute(f"{change} AND expired_from IS NULL", (state, START + place))
    assert list(unlike.execute(STATEMENTS[name], values)) == [(100,)]
    assert 100 < steps(unlike, name, values)[0] < 1000
    with unlike:
        unlike.execute("UPDATE job SET status = 'SUBMITTED' WHERE deadline >= ?", (START + 350,))
    due = 50 if name == "reputation.expired_claims" else 100
    late = {**values, "now": START + 449}
    assert list(unlike.execute(STATEMENTS[name], late)) == [(100 + due,)]


@pytest.mark.parametrize("name", COUNTED)
def test_what_a_reputation_counts_is_found_by_indexes_alone(name: str) -> None:
    assert [step for step in plan(name) if "job_expired_by_" in step and "COVERING" in step]


def test_the_parties_of_a_reputation_are_counted_by_an_index_alone() -> None:
    assert [step for step in plan("reputation.counts") if step.startswith("SEARCH")] == [
        "SEARCH reputation_event USING COVERING INDEX reputation_event_by_parties (agent_id=?)"
    ]


TAGGED = {
    "threads": {"recent": NEWEST, "active": LARGEST, "replies": LARGEST},
    "jobs": {"recent": NEWEST, "reward": LARGEST, "deadline": SMALLEST},
}


@pytest.mark.promise("Q15")
@pytest.mark.parametrize(
    ("rows", "order", "ends"),
    [(rows, order, ends) for rows, orders in TAGGED.items() for order, ends in orders.items()],
)
def test_a_page_of_a_tag_and_a_status_looks_at_so_many_rows_and_no_more(
    unlike: apsw.Connection, rows: str, order: str, ends: Ends
) -> None:
    far = {"scope": "x", **between(ends, None), "most": 99}
    ((key, an_id),) = unlike.execute(STATEMENTS[f"{rows}.far_tag_{order}"], far)
    status = {"threads": "answered", "jobs": "COMPLETED"}[rows]
    values = {**JobFilter(status)._asdict(), "scope": "x", "now": START, "limit": 21, "offset": 0}
    taken = {
        upto: steps(unlike, f"{rows}.list_tag_{order}", {**values, **between(ends, None, upto)})
        for upto in ((key, an_id), None)
    }
    assert [found for _, found in taken.values()] == [0, 0]
    assert taken[key, an_id][0] < 100 * 50 < ROWS * 5 < taken[None][0]

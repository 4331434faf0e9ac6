"""Lists are ranges of an index in their order: a late page costs what the first one costs."""

import json
import re
import shutil
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import pytest

from stoa.domain import limits
from stoa.store.engines.sqlite.file import connect
from stoa.store.jobs import JobFilter
from stoa.store.places import LARGEST, NEWEST, SMALLEST, Ends, between
from stoa.store.threads import ThreadFilter
from tests.support import schema
from tests.support.clock import START
from tests.support.many_rows import (
    FITTING,
    ROWS,
    STATEMENTS,
    TOP,
    an_id,
    digest,
    filled,
    steps,
    term,
)

PAGED = sorted(name for name, sql in STATEMENTS.items() if "LIMIT :limit" in sql)

SORTED_BY_NATURE = {
    "opportunities.matching_all": "the overlap with the caller is computed for each call",
    "opportunities.matching_wanted": "the overlap with the caller is computed for each call",
    **dict.fromkeys(
        ("agents.find_rare_recent", "agents.find_rare_reputation", "agents.find_rare_standing"),
        "only agents that have a word which few have",
    ),
    "opportunities.offer_keys": "all that is on offer, up to the limit, is put into one row",
    "opportunities.offer_terms": "only what came since the last look is put into one row",
    "opportunities.tagged": "of each tag and type the first ones are merged",
    "replies.descendants": "a walk down a tree, one level after the other",
    "applications.page": "only applications for one job",
    "jobs.state_recent": "only jobs that have changed by themselves and no sweep has booked yet",
    "jobs.state_reward": "only jobs that have changed by themselves and no sweep has booked yet",
    "jobs.state_deadline": "only jobs that have changed by themselves and no sweep has booked yet",
    **{
        f"threads.{part}_tag_{order}": "only threads whose tags lag behind, and the page itself"
        for part in ("list", "first")
        for order in ("active", "replies")
    },
    **{
        f"threads.later_{which}_{order}": "only threads of the new-agent window"
        for which in ("all", "status", "tag")
        for order in ("active", "replies")
    },
    "events.inbox": "four ranges, each cut to the page before they are merged",
    "events.count_inbox": "four ranges, each cut at the most that is counted",
    "ledger.entries": "two lists in their order are merged, and then the page itself",
    "replies.best": "only the replies of one thread",
    "watches.list": "an agent has 200 at most",
    "watches.of_words": "those that share a word with one text, behind the writes",
    "watches.writers": "only the newest replies of one thread",
    "market.top_tags": "counted once for a snapshot that everybody shares",
}


def plan(name: str) -> list[str]:
    sql = STATEMENTS[name]
    values = dict.fromkeys(re.findall(r":([a-z_]+)", sql))
    found = schema.migrated().execute(f"EXPLAIN QUERY PLAN {sql}", values)
    return [str(row[3]) for row in found]


def test_a_paged_statement_neither_sorts_nor_scans_a_table() -> None:
    for name in [name for name in PAGED if name not in SORTED_BY_NATURE]:
        for step in plan(name):
            # Sorting by a last term alone touches rows that agree in all before it: single ones.
            assert "TEMP B-TREE FOR ORDER BY" not in step
            assert not re.match(r"SCAN \w+$", step)


FOLLOWING = [
    "search.numbered",
    "search.texts",
    "search.whose",
    "search.whose_shown",
    "search.openings",
    "search.best_worths",
]
"""What the search index asks of the texts and threads that events and results name."""


TAGS_OF_JOB = [
    "jobs.raise_tags",
    "jobs.extend_tags",
    "jobs.postpone_tags",
    "purges.delete_job_tags",
]
"""What changes the rows of one job, in writes for which all others wait."""


@pytest.mark.parametrize("name", [*FOLLOWING, *TAGS_OF_JOB, "agents.with_skeletons"])
def test_rows_that_are_named_are_found_by_indexes(name: str) -> None:
    steps = plan(name)
    made = {step.split()[-1] for step in steps if re.match("CO-ROUTINE|MATERIALIZE", step)}
    scanned = {found[1] for step in steps if (found := re.match(r"SCAN (\w+)( USING|$)", step))}
    assert scanned <= made


def test_exceptions_are_statements() -> None:
    assert set(SORTED_BY_NATURE) <= set(PAGED)


# --- Counted in steps of the engine.


@pytest.fixture(scope="module")
def many_rows(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with many rows of everything, which tests copy: to fill one takes half a second."""
    path = tmp_path_factory.mktemp("rows") / "stoa.db"
    filled(path).close()
    return path


def copied(file: Path, folder: Path) -> Path:
    """A copy in this folder."""
    return Path(shutil.copy(file, folder))


@pytest.fixture(scope="module")
def database(
    many_rows: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[apsw.Connection]:
    path = copied(many_rows, tmp_path_factory.mktemp("plans"))
    with closing(connect(path, writer=True)) as connection:
        connection.execute("ANALYZE")
    connection = connect(path, writer=False)
    yield connection
    connection.close()


@pytest.fixture
def changed(many_rows: Path, tmp_path: Path) -> Iterator[apsw.Connection]:
    """The same rows, without statistics, for a test that changes them."""
    connection = connect(copied(many_rows, tmp_path), writer=True)
    yield connection
    connection.close()


LATE = ROWS - 200
UNANSWERED = "threads.first_unanswered_recent"
PAGES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "threads.list_all_recent": (
        {"key": "~", "id": "~"},
        {"key": an_id("th", 200), "id": an_id("th", 200)},
    ),
    "threads.list_all_active": (
        {"key": TOP, "id": "~"},
        {"key": START + 200, "id": an_id("th", 200)},
    ),
    "threads.list_all_replies": ({"key": TOP, "id": "~"}, {"key": 1, "id": an_id("th", 1000)}),
    "threads.list_author_recent": (
        {"key": "~", "id": "~"},
        {"key": an_id("th", 200), "id": an_id("th", 200)},
    ),
    "threads.list_author_active": (
        {"key": TOP, "id": "~"},
        {"key": START + 200, "id": an_id("th", 200)},
    ),
    "threads.list_author_replies": ({"key": TOP, "id": "~"}, {"key": 1, "id": an_id("th", 1000)}),
    "threads.list_author_tag_recent": (
        {"key": "~", "id": "~"},
        {"key": an_id("th", 200), "id": an_id("th", 200)},
    ),
    "threads.list_status_recent": (
        {"key": "~", "id": "~"},
        {"key": an_id("th", 200), "id": an_id("th", 200)},
    ),
    "threads.list_tag_recent": (
        {"key": "~", "id": "~"},
        {"key": an_id("th", 200), "id": an_id("th", 200)},
    ),
    "threads.list_tag_active": (
        {"key": TOP, "id": "~"},
        {"key": START + 200, "id": an_id("th", 200)},
    ),
    "threads.list_tag_replies": ({"key": TOP, "id": "~"}, {"key": 1, "id": an_id("th", 1000)}),
    **{
        f"threads.first_{which}_{order}": (
            {"since": START, "key": key, "id": "~"},
            {"since": START, "key": late, "id": an_id("th", place)},
        )
        for which in ("unanswered", "all", "status", "tag")
        for order, key, late, place in (
            ("recent", "~", an_id("th", 200), 200),
            ("active", TOP, START + 200, 200),
            ("replies", TOP, 1, 1000),
        )
        if which != "unanswered" or order == "recent"
    },
    **{
        f"threads.later_{which}_recent": (
            {"since": START - 1, "key": "~", "id": "~"},
            {"since": START - 1, "key": an_id("th", 200), "id": an_id("th", 200)},
        )
        for which in ("unanswered", "all", "status", "tag")
    },
    "replies.list": ({"after": -1}, {"after": LATE}),
}
SCOPES = {"all": "", "author": an_id("ag", 0), "status": "open", "tag": "x"}


def page_values(name: str) -> list[dict[str, Any]]:
    """The values of a paged statement for its first page and for a late one."""
    scope = SCOPES.get(name.split("_")[1] if "threads." in name else "", "")
    end = {"end": "" if name.endswith("recent") else -1, "end_id": ""}
    shared = {"as_of": TOP, "oldest": "", "before": 1}
    rest = {
        **shared,
        "scope": scope,
        "status": None,
        "tag": "x",
        "thread_id": an_id("th", 0),
        **end,
    }
    return [{**rest, "limit": 21, "offset": 0, **values} for values in PAGES[name]]


@pytest.mark.promise("Q2")
@pytest.mark.parametrize("name", PAGES)
def test_a_late_page_takes_as_many_steps_as_the_first(database: apsw.Connection, name: str) -> None:
    first, late = (steps(database, name, values) for values in page_values(name))
    assert first[1] == late[1] == 21
    assert late[0] < 1.5 * first[0]
    assert first[0] < 21 * 200


@pytest.mark.parametrize("replies", [5, 500])
def test_a_page_of_replies_takes_steps_in_proportion_to_its_rows(
    database: apsw.Connection, replies: int
) -> None:
    values = {"thread_id": an_id("th", 0), "after": -1, "limit": replies, "offset": 0}
    taken, rows = steps(database, "replies.list", values)
    assert rows == replies
    assert taken < 100 + 120 * replies


def test_the_next_part_of_a_sitemap_is_found_by_a_walk_over_one(database: apsw.Connection) -> None:
    for start, found in (
        (an_id("th", 500), 1),
        (an_id("th", LATE), 1),
        (an_id("th", ROWS - 100), 0),
    ):
        values = {"start": start, "size": 100}
        taken, rows = steps(database, "sitemap.start_threads", values)
        assert rows == found
        assert taken < 50 + 10 * 100


FOCUS = {"id": an_id("rp", 0), "limit": 101}
"""The parameters of what is shown below a reply."""
WIDE = "UPDATE reply SET parent_id = {parent}, depth = {depth} WHERE thread_order > 0"
MIDDLE = "thread_order BETWEEN 101 AND 102"
WIDE_TREES = {
    "children": WIDE.format(parent=f"'{an_id('rp', 0)}'", depth="1"),
    "grandchildren": WIDE.format(
        parent=f"CASE WHEN {MIDDLE} THEN '{an_id('rp', 0)}' "
        f"ELSE 'rp_{'0' * 23}' || (101 + thread_order % 2) END",
        depth=f"CASE WHEN {MIDDLE} THEN 1 ELSE 2 END",
    ),
}
"""Changes that put all replies of a thread below its first, in one level or in two."""


@pytest.mark.promise("Q18")
@pytest.mark.parametrize("tree", WIDE_TREES)
def test_a_reply_is_shown_in_as_many_steps_however_many_are_below_it(
    changed: apsw.Connection, tree: str
) -> None:
    changed.execute(WIDE_TREES[tree])
    taken, found = steps(changed, "replies.descendants", FOCUS)
    assert found == 101
    assert taken < 101 * 150 < ROWS * 10


ANSWERS = f"""UPDATE reply SET author_id = '{an_id("ag", 0)}', worth = thread_order % 5 << 32"""
"""A change that gives all answers one author, and few of them a worth that no other has."""
BEST = {
    "replies.best_answers": {"author": an_id("ag", 0), "before": "~", "limit": 21, "offset": 0},
    "replies.best_answered": {"limit": 21},
}
BEST_LATE = {"worth": 1 << 32, "before": an_id("rp", 400)}
"""A place behind most of the answers of equal worth."""


@pytest.mark.parametrize("name", BEST)
def test_the_best_answers_are_found_without_a_look_at_others(
    changed: apsw.Connection, name: str
) -> None:
    changed.execute(ANSWERS)
    for place in ({"worth": TOP}, BEST_LATE):
        taken, found = steps(changed, name, {**BEST[name], **place})
        assert (found, taken < 21 * 200) == (21, True)


# --- Filters that find nothing.


@pytest.fixture(scope="module")
def unlike_rows(many_rows: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = copied(many_rows, tmp_path_factory.mktemp("unlike"))
    with closing(connect(path, writer=True)) as connection, connection:
        connection.execute("UPDATE thread SET answer_count = 1, reply_count = 1")
        claimed = "UPDATE job SET status = 'CLAIMED', claimer_id = ?, claimed_at = ?"
        connection.execute(claimed, (an_id("ag", 2), START))
    return path


@pytest.fixture
def unlike(unlike_rows: Path, tmp_path: Path) -> Iterator[apsw.Connection]:
    """Threads and jobs of one agent with one tag; each thread is open and has an answer. As with a
    server there are no statistics."""
    connection = connect(copied(unlike_rows, tmp_path), writer=True)
    yield connection
    connection.close()


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


# --- Sessions that have ended.

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


# --- Changes of keys.

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

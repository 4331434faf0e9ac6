"""Lists are ranges of an index in their order: a late page costs what the first one costs."""

import re
import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import pytest

from stoa.store.engines.sqlite.file import connect
from tests.support import schema
from tests.support.clock import START
from tests.support.many_rows import (
    ROWS,
    STATEMENTS,
    TOP,
    an_id,
    steps,
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
def database(
    many_rows: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[apsw.Connection]:
    path = Path(shutil.copy(many_rows, tmp_path_factory.mktemp("plans")))
    with closing(connect(path, writer=True)) as connection:
        connection.execute("ANALYZE")
    connection = connect(path, writer=False)
    yield connection
    connection.close()


@pytest.fixture
def changed(many_rows: Path, tmp_path: Path) -> Iterator[apsw.Connection]:
    """The same rows, without statistics, for a test that changes them."""
    connection = connect(Path(shutil.copy(many_rows, tmp_path)), writer=True)
    yield connection
    connection.close()


LATE = ROWS - 200
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

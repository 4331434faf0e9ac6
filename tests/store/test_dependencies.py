"""What makes a cached answer out of date follows from what statements read and change."""

import re
from collections import defaultdict
from collections.abc import Iterator

import apsw
import pytest

from stoa.store import statements
from stoa.store.dependencies import FOUND_BY_ID, TIME, change_of, changed_by, read_from
from stoa.store.engines.sqlite import migrations
from stoa.store.tx import Statement

PROFILE = {
    "agents.retire",
    "agents.let_wait",
    "agents.end_wait",
    "agents.update_profile",
    "key_changes.announce",
    "key_changes.put_in_force",
    "moderation.end_suspension",
    "moderation.mark_agent",
    "moderation.set_standing",
}
"""What changes an agent as it is embedded."""


def test_every_change_of_what_answers_show_names_its_owner() -> None:
    for name in statements.load("sqlite"):
        change_of(name)


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE thread SET locked = 1 WHERE id = :id",
        "INSERT INTO reply (id) VALUES (:id)",
        "DELETE FROM job WHERE id = :id",
    ],
)
def test_a_change_that_does_not_name_its_owner_is_a_mistake(
    sql: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(statements.load("sqlite"), "made.up", sql)
    with pytest.raises(ValueError, match="must name one of"):
        change_of("made.up")
    change_of.cache_clear()


@pytest.mark.parametrize(
    ("ran", "changed"),
    [
        ([("threads.accept", {"thread_id": "th_1"})], {"th_1", "threads.accept"}),
        ([("replies.insert", {"id": "rp_1", "thread_id": "th_1"})], {"th_1", "replies.insert"}),
        ([("holds.close", {"id": "bty_1", "subject_id": "th_1"})], {"th_1", "holds.close"}),
        ([("agents.update_profile", {"agent_id": "ag_1"})], {"ag_1", "agents.update_profile"}),
        ([("agents.insert", {"agent_id": "ag_1"})], {"ag_1", "agents.insert"}),
        ([("agents.seen", {"agent_id": "ag_1"})], {"ag_1 eventual", "agents.seen"}),
        (
            [("reputation.add_points", {"agent_id": "ag_1"})],
            {"ag_1 eventual", "reputation.add_points"},
        ),
        (
            [("opportunities.delete", {"subject_id": "job_1"})],
            {"job_1", "opportunities.delete"},
        ),
        ([("threads.get", {"thread_id": "th_1"})], set[str]()),
        ([("sessions.revoke_tokens", {"agent_id": "ag_1"})], {"ag_1", "sessions.revoke_tokens"}),
        ([("sessions.forget_tokens", {"before": "0"})], set[str]()),
        ([("sessions.insert_secret", {"name": "a"})], set[str]()),
        ([("threads.catch_up", {"thread_id": "th_1"})], set[str]()),
        ([("threads.forget_moved", {"thread_id": "th_1"})], set[str]()),
    ],
)
def test_a_change_marks_its_owner_and_its_statement(
    ran: list[Statement], changed: set[str]
) -> None:
    assert changed_by(ran) == changed


@pytest.mark.parametrize(
    ("ran", "read"),
    [
        ([("threads.get", {"thread_id": "th_1"})], {"th_1", *PROFILE}),
        (
            [("threads.get", {"thread_id": "th_1"}), ("replies.list", {"thread_id": "th_1"})],
            {"th_1", *PROFILE},
        ),
        ([("threads.many", {"thread_ids": '["th_1","th_2"]'})], {"th_1", "th_2", *PROFILE}),
        ([("jobs.many", {"job_ids": '["job_1"]'})], {"job_1"}),
        (
            [("replies.get", {"id": "rp_1"})],
            {
                "replies.insert",
                "replies.withdraw",
                "moderation.mark_reply",
                "purges.empty_reply",
                "outcomes.set_score",
                "replies.set_imported_score",
                *PROFILE,
            },
        ),
        ([("agents.get", {"agent_id": "ag_1"})], {"ag_1", "ag_1 eventual"}),
        (
            [("agents.many", {"ids": "[]"})],
            {"moderation.adjust", "key_changes.insert", *PROFILE},
        ),
        (
            [("agents.list_all_recent", {"id": "~"})],
            {
                "agents.insert",
                "agents.mark",
                "agents.seen",
                "agents.set_skeleton",
                "key_changes.insert",
                "moderation.adjust",
                "reputation.add_points",
                "standing.set",
                *PROFILE,
            },
        ),
        (
            [("opportunities.page_all", {"id": "~"})],
            {
                "opportunities.insert",
                "opportunities.delete",
                "opportunities.postpone",
                "jobs.extend_offer",
                "jobs.raise_offer",
                "additions.insert",
                "purges.delete_additions",
                "threads.delete_additions",
                "threads.insert",
                "threads.set_bounty",
                "moderation.mark_thread",
                "moderation.set_lock",
                TIME,
            },
        ),
        ([("sessions.secret", {"name": "a"})], None),
    ],
)
def test_an_answer_depends_on_what_was_read(ran: list[Statement], read: set[str] | None) -> None:
    assert read_from(ran) == read


def test_a_list_depends_on_the_changes_of_what_it_reads_alone() -> None:
    threads = read_from([("threads.list_all_recent", {"id": "~"})]) or frozenset()
    assert {"threads.insert", "threads.count_reply", "threads.accept", "holds.close"} <= threads
    assert not threads & {"agents.seen", "agents.insert", "holds.insert", "jobs.insert"}


@pytest.mark.parametrize("table", FOUND_BY_ID)
def test_where_rows_are_found_by_id_sqlite_finds_them_so(table: str) -> None:
    assert set(searches(table, FOUND_BY_ID[table])) == {"id=?)"}


def test_a_statement_that_finds_rows_otherwise_would_be_noticed() -> None:
    assert not set(searches("agent", ("agents.list_all",))) & {"id=?)"}


def searches(table: str, begins: tuple[str, ...]) -> Iterator[str]:
    """How SQLite finds the rows of a table for statements of these names."""
    connection = apsw.Connection(":memory:")
    migrations.migrate(connection)
    for name, sql in statements.load("sqlite").items():
        aliases = re.findall(rf"\b(?:FROM|JOIN) {table} (\w+)", sql)
        if name.startswith(begins) and aliases:
            for *_, step in connection.execute(f"EXPLAIN QUERY PLAN {sql}", defaultdict(str)):
                if re.match(rf"(SCAN|SEARCH) ({'|'.join(aliases)})\b", step):
                    yield step.partition("(")[2].removesuffix(" LEFT-JOIN")

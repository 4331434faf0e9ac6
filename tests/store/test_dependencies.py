"""What makes a cached answer out of date is read off the statements."""

import pytest

from stoa.store import statements
from stoa.store.dependencies import changed_by, effect_of, read_from
from stoa.store.tx import Statement


def test_every_change_of_what_answers_show_names_its_owner() -> None:
    for name in statements.load("sqlite"):
        effect_of(name)


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
        effect_of("made.up")
    effect_of.cache_clear()


@pytest.mark.parametrize(
    ("ran", "changed"),
    [
        ([("threads.accept", {"thread_id": "th_1"})], ["th_1", "thread"]),
        ([("replies.insert", {"id": "rp_1", "thread_id": "th_1"})], ["th_1", "reply"]),
        ([("holds.close", {"id": "bty_1", "subject_id": "th_1"})], ["th_1", "hold"]),
        ([("agents.update_profile", {"agent_id": "ag_1"})], ["ag_1", "agent"]),
        ([("agents.insert", {"agent_id": "ag_1"})], ["ag_1"]),
        ([("agents.seen", {"agent_id": "ag_1"})], []),
        ([("reputation.add_points", {"agent_id": "ag_1"})], []),
        ([("threads.get", {"thread_id": "th_1"})], []),
        ([("sessions.revoke_tokens", {"agent_id": "ag_1"})], ["ag_1", "token"]),
        ([("sessions.forget_tokens", {"before": "0"})], []),
        ([("sessions.insert_secret", {"name": "a"})], []),
    ],
)
def test_a_change_marks_its_owner_and_its_table(ran: list[Statement], changed: list[str]) -> None:
    assert changed_by(ran) == changed


@pytest.mark.parametrize(
    ("ran", "read"),
    [
        ([("threads.get", {"thread_id": "th_1"})], {"th_1", "agent"}),
        (
            [("threads.get", {"thread_id": "th_1"}), ("replies.list", {"thread_id": "th_1"})],
            {"th_1", "agent"},
        ),
        ([("threads.list_all_recent", {"id": "~"})], {"thread", "agent", "hold", "reply"}),
        ([("replies.get", {"id": "rp_1"})], {"reply", "agent"}),
        ([("sessions.secret", {"name": "a"})], None),
    ],
)
def test_an_answer_depends_on_what_was_read(ran: list[Statement], read: set[str] | None) -> None:
    assert read_from(ran) == read

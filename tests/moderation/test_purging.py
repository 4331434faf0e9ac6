"""What is purged is nowhere afterwards: not in a file, a log, an index, a row or an export."""

import json
import os
import shutil
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from stoa.domain import limits
from stoa.settings import Settings
from stoa.store.idempotency import SLICE
from tests.contract.test_outcomes import citizens, say, shown
from tests.support import jobs
from tests.support.app import Agent, App
from tests.support.clock import HOUR, VirtualClock
from tests.support.command import run_stoa_here
from tests.support.database import everything_in, table_names
from tests.support.ledger import broken
from tests.support.moderation import MODERATED, REASON, act, moderate, operate
from tests.support.postgresql import PostgreSQL

pytestmark = [MODERATED, pytest.mark.own_file]  # its bytes are looked at
CANARY = "zymurgist"
STOP = "INSERT INTO stop (name, reason, created_at) VALUES ('settlements', 'a test', 1)"
_TABLE_FILES = "SELECT pg_relation_filepath(oid) FROM pg_class WHERE relkind IN ('r', 't')"


def background(stoa: App) -> None:
    """What each process does by itself within 20 seconds."""
    for process in stoa.processes:
        stoa.run(process.upkeep.index())
        stoa.run(process.upkeep.unindex())
        stoa.run(process.upkeep.index())
    stoa.run(stoa.stoa.upkeep.purge())


def in_files(stoa: App) -> list[str]:
    """The files of tables, of the embedded engine's log and of indexes that have the canary."""
    places = [stoa.settings.search_path]
    if stoa.settings.engine == "sqlite":
        places.append(stoa.settings.database_path)
    found: list[str] = []
    files = [file for place in places for file in place.parent.glob(f"{place.name}*")]
    if stoa.settings.engine == "postgresql":
        stoa.sql("CHECKPOINT")
        [(folder,)] = stoa.sql("SELECT current_setting('data_directory')")
        names = stoa.sql(_TABLE_FILES)
        tables = [Path(folder) / name for (name,) in names if name]
        found = [file.name for file in tables if any(map(_is_in, _tuples(file.read_bytes())))]
    return sorted([*found, *(file.name for file in files if _is_in(file.read_bytes()))])


def _is_in(content: bytes) -> bool:
    return CANARY.encode() in content


def _tuples(table: bytes) -> Iterator[bytes]:
    """The rows in the file of a table of PostgreSQL, the dead ones too: what the line pointers of
    its pages lead to."""
    for start in range(0, len(table), 8192):
        page = table[start : start + 8192]
        (lower,) = struct.unpack_from("<H", page, 12)
        for place in range(24, lower, 4):
            (pointer,) = struct.unpack_from("<I", page, place)
            if pointer >> 15 & 3 == 1:
                yield page[pointer & 0x7FFF :][: pointer >> 17]


def in_rows(stoa: App) -> list[str]:
    """The tables with a row that has the canary."""
    return sorted(name for name in table_names(stoa.settings) if _has_it(stoa, name))


def _has_it(stoa: App, table: str) -> bool:
    rows = stoa.sql(f'SELECT * FROM "{table}"')
    return any(CANARY in str(value) for row in rows for value in tuple(row))


def keyed(agent: Agent, path: str, key: str, body: Any) -> Any:
    """A write with an idempotency key; its answer, first or again."""
    return agent.post(path, body, headers={"Idempotency-Key": key})


def written(ada: Agent, bob: Agent) -> dict[str, Any]:
    """Everything that agents write, with the canary in all but one reply."""
    body = {"title": f"A {CANARY}", "body": f"{CANARY} " * 900, "tags": [CANARY]}
    thread = keyed(ada, "threads", "once", {**body, "bounty": {"credits": 7}}).ok(201)["thread"]
    ada.post(f"threads/{thread['id']}/append", {"body": f"More of a {CANARY}."}).ok()
    again = keyed(ada, "threads", "two", {**body, "body": f"{CANARY}?"}).ok(201)["thread"]
    reply = bob.reply(thread, f"An answer of a {CANARY}.")
    subject = {"type": "thread", "id": thread["id"]}
    bob.post("reports", {"subject": subject, "reason": "other", "note": CANARY}).ok(201)
    wanted = {"title": f"For a {CANARY}", "description": CANARY, "tags": [CANARY]}
    job = ada.post("jobs", {**wanted, "rewardCredits": 5}).ok(201)["job"]
    keyed(bob, f"jobs/{job['id']}/claim", "claim", {}).ok()
    said = bob.post(f"jobs/{job['id']}/messages", {"body": f"A {CANARY}?"}).ok(201)["message"]
    went = {"result": "worked", "environment": CANARY, "note": f"{CANARY}, twice."}
    outcome = keyed(ada, f"replies/{reply['id']}/outcomes", "went", went).ok(201)["outcome"]
    artifacts = [{"name": CANARY, "text": f"{CANARY} " * 600}]
    work = {"body": f"Done by a {CANARY}.", "artifacts": artifacts}
    submission = bob.post(f"jobs/{job['id']}/submit", work).ok(201)["submission"]
    return {
        "thread": thread,
        "again": again,
        "reply": reply,
        "job": job,
        "message": said,
        "outcome": outcome,
        "submission": submission,
    }


@pytest.mark.promise("M31")
def test_what_is_purged_is_in_no_file_row_answer_or_export(stoa: App, tmp_path: Path) -> None:
    ada, bob = stoa.agent("ada"), stoa.agent("bob")
    made = written(ada, bob)
    kept = bob.reply(made["thread"], "An answer that stays.")
    stays = ada.post(f"jobs/{made['job']['id']}/messages", {"body": "A message that stays."})
    background(stoa)
    assert {"thread", "reply", "job", "submission", "kept_answer"} <= {*in_rows(stoa)}
    assert in_files(stoa)
    before = stoa.sql("SELECT count(*), sum(balance) FROM account")
    act(stoa, made.pop("message")["id"], "purge")
    messages = f"jobs/{made['job']['id']}/messages"
    left = {one["id"]: one["body"]["body"] for one in bob.get(messages).ok()["messages"]}
    assert left.pop(stays.ok(201)["message"]["id"]) == "A message that stays."
    assert [*left.values()] == [""]
    for one in made.values():
        act(stoa, one["id"], "purge")
    background(stoa)
    assert (in_rows(stoa), in_files(stoa)) == ([], [])
    assert limits.PURGES_MS + limits.WIPE_WAIT_MS < 20_000

    gone = stoa.get(f"threads/{made['thread']['id']}")
    assert (gone.status, gone.code, gone["reason"]) == (410, "removed", REASON)
    assert stoa.get(f"replies/{made['reply']['id']}").status == 410
    shown = [stoa.sql("SELECT body FROM reply WHERE id = ?", kept["id"])[0][0]]
    assert shown == ["An answer that stays."]
    assert jobs.funds(ada) == (95, 5)  # the bounty went back, the claimed job is still paid for
    assert stoa.sql("SELECT count(*), sum(balance) FROM account")[0][0] == before[0][0]
    for reader in (ada, bob):
        job = jobs.read(made["job"], reader)
        assert (job["title"], job["description"]["body"]) == ("", "")
        assert [one["body"]["body"] for one in job["submissions"]] == [""]
    first = keyed(bob, f"jobs/{made['job']['id']}/claim", "claim", {}).ok()
    assert first["id"] == made["job"]["id"]
    jobs.done(ada, made["job"], "accept")
    assert jobs.funds(bob) == (105, 0)
    again = operate(stoa, {
        "command": "do", "action": "purge", "subject_id": made["reply"]["id"], "reason": REASON,
    })  # fmt: skip
    assert "is purged" in again["error"]
    assert moderate(stoa.agent("mod"), made["reply"], "restore").status == 409
    log = stoa.get("moderation").ok()["actions"]
    assert {act["reason"] for act in log if act["action"] == "purge"} == {REASON}

    named = ["--data-dir", str(stoa.settings.data_dir)]
    if stoa.settings.engine == "postgresql":
        named = ["--database-url", stoa.settings.database_url]
    assert run_stoa_here("export", str(tmp_path / "out"), *named).code == 0
    exported = [file.read_bytes() for file in (tmp_path / "out").iterdir()]
    assert not any(CANARY.encode() in file for file in exported)


def test_stored_answers_of_all_are_looked_through_behind_a_purge_some_at_a_time(
    stoa: App,
) -> None:
    ada, bob = stoa.agent("ada"), stoa.agent("bob")
    job = ada.post("jobs", {"title": "A", "description": "B", "rewardCredits": 5}).ok(201)["job"]
    jobs.done(bob, job, "claim")
    work = {"body": f"Done by a {CANARY}."}
    submission = keyed(bob, f"jobs/{job['id']}/submit", "work", work).ok(201)["submission"]
    thread = ada.thread()
    keyed(bob, f"threads/{thread['id']}/replies", "reply", {"body": "Why?"}).ok(201)
    same = "agent_id, request, answer, created_at, form, size"
    stoa.sql(
        f"INSERT INTO kept_answer (key, {same}) WITH RECURSIVE n (i) AS "
        f"(SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {2 * SLICE}) "
        f"SELECT 'reply' || i, {same} FROM n CROSS JOIN kept_answer WHERE key = 'reply'"
    )
    full = "SELECT count(*) FROM kept_answer WHERE form = 'full' AND size > 0"
    (all_of_them,) = stoa.sql(full)[0]
    act(stoa, submission["id"], "purge")
    again = keyed(bob, f"jobs/{job['id']}/submit", "work", work)
    assert CANARY not in json.dumps(again.ok(201).json)
    act(stoa, thread["id"], "purge")
    assert [*stoa.sql(full)[0]] == [all_of_them - 1]
    background(stoa)
    assert [*stoa.sql(full)[0]] == [0]


@pytest.mark.promise("M32")
def test_all_that_an_agent_wrote_can_be_forgotten(stoa: App) -> None:
    ada, bob = stoa.agent("ada", description=CANARY, capabilities=[CANARY]), stoa.agent("bob")
    made = written(ada, bob)
    kept = ada.reply(bob.thread("By another"), f"A {CANARY}, I think.")
    ada.post("watches", {"query": CANARY}).ok(201)
    for agent in (ada, bob):
        operate(stoa, {
            "command": "do", "action": "forget", "subject_id": agent.id, "reason": REASON,
        })  # fmt: skip
        background(stoa)
    assert (in_rows(stoa), in_files(stoa)) == ([], [])
    assert stoa.get(f"replies/{kept['id']}").status == 410
    assert stoa.get(f"agents/{ada.id}").status == 410
    assert moderate(stoa.agent("mod"), ada.id, "restore").status == 409
    assert jobs.read(made["job"], ada)["title"] == ""
    assert operate(stoa, {"command": "reports", "everything": False})["reports"][0]["note"] is None


def test_a_reply_shows_nothing_more_of_what_a_forgotten_agent_said_of_it(stoa: App) -> None:
    reply = stoa.agent("bob").reply(stoa.agent("ada").thread())
    (carl,) = citizens(stoa, "Carl")
    say(carl, reply, environment=CANARY).ok(201)
    assert shown(stoa, reply)["outcomes"]["environments"] == [CANARY]
    act(stoa, carl.id, "forget")
    background(stoa)
    assert (in_rows(stoa), in_files(stoa)) == ([], [])
    assert "environments" not in stoa.get(f"replies/{reply['id']}").ok()["reply"]["outcomes"]


def test_why_a_job_was_cancelled_is_erased_with_it(stoa: App) -> None:
    ada, bob = stoa.agent("ada"), stoa.agent("bob")
    job = jobs.offer(ada, terms={"assignment": "chosen"})
    jobs.act(bob, job, "apply", {"message": "I can."}).ok()
    jobs.act(ada, job, "cancel", {"reason": f"No {CANARY} any more."}).ok()
    assert "event_log" in in_rows(stoa)
    act(stoa, job["id"], "purge")
    assert in_rows(stoa) == []
    facts = stoa.sql("SELECT facts FROM event_log WHERE kind = 'job.applied' ORDER BY seq")
    assert [tuple(row) for row in facts] == [("{}",), ('{"by":"cancelled"}',)]


@pytest.mark.promise("M33")
@pytest.mark.parametrize("engine", ["sqlite"])
def test_a_restored_backup_has_no_purged_text(stoa: App, tmp_path: Path) -> None:
    ada, bob = stoa.agent("ada"), stoa.agent("bob")
    made = written(ada, bob)
    named = ["--data-dir", str(stoa.settings.data_dir)]
    backups = tmp_path / "backups"
    assert run_stoa_here("backup", str(backups), *named).code == 0
    [older] = backups.glob("*.db")
    assert CANARY.encode() in older.read_bytes()
    act(stoa, made["thread"]["id"], "purge")
    act(stoa, bob.id, "forget")
    background(stoa)
    act(stoa, ada.id, "forget")
    background(stoa)
    assert run_stoa_here("backup", str(backups), *named).code == 0
    newer = max(backups.glob("*.db"))
    assert CANARY.encode() not in newer.read_bytes()
    listed = (backups / "purge-list.jsonl").read_text().splitlines()
    assert made["thread"]["id"] in {json.loads(line)["id"] for line in listed}
    stoa.close()
    elsewhere = tmp_path / "elsewhere"  # where only the list beside the backups tells of them
    for folder in (stoa.settings.data_dir, elsewhere):
        done = run_stoa_here("restore", str(older), "--data-dir", str(folder))
        assert done.code == 0, done.err
        assert CANARY.encode() not in (Path(folder) / "stoa.db").read_bytes()
        assert run_stoa_here("audit", "--data-dir", str(folder)).code == 0
    alone = tmp_path / "alone"  # one that was copied out of the folder of backups without the list
    alone.mkdir()
    copied = str(shutil.copy(older, alone))
    restored, knows = tmp_path / "restored", {"STOA_BACKUP_DIR": str(backups)}
    assert run_stoa_here("restore", copied, "--data-dir", str(restored), **knows).code == 0
    assert CANARY.encode() not in (restored / "stoa.db").read_bytes()
    (backups / "purge-list.jsonl").unlink()
    control = tmp_path / "control"
    assert run_stoa_here("restore", str(older), "--data-dir", str(control)).code == 0
    assert CANARY.encode() in (control / "stoa.db").read_bytes()


@pytest.mark.parametrize("engine", ["postgresql"])
def test_a_restored_dump_has_no_purged_text(
    stoa: App, postgresql: PostgreSQL, tmp_path: Path
) -> None:
    ada, bob = stoa.agent("ada"), stoa.agent("bob")
    made = written(ada, bob)
    programs = {"PATH": f"{postgresql.programs}:{os.environ['PATH']}"}
    backups, named = tmp_path / "backups", ("--database-url", stoa.settings.database_url)
    assert run_stoa_here("backup", str(backups), *named, **programs).code == 0
    [older] = backups.glob("*.dump")
    act(stoa, made["thread"]["id"], "purge")
    act(stoa, ada.id, "forget")
    act(stoa, bob.id, "forget")
    background(stoa)
    assert run_stoa_here("backup", str(backups), *named, **programs).code == 0

    def restored(backup: Path, **more: str) -> bytes:
        empty = postgresql.empty()
        done = run_stoa_here("restore", str(backup), "--database-url", empty, **programs, **more)
        assert done.code == 0, done.err
        assert run_stoa_here("audit", "--database-url", empty).code == 0
        return everything_in(msgspec.structs.replace(stoa.settings, database_url=empty))

    assert CANARY.encode() not in restored(older)
    alone = tmp_path / "alone"  # one that was copied out of the folder of backups without the list
    alone.mkdir()
    copied = Path(shutil.copy(older, alone))
    assert CANARY.encode() not in restored(copied, STOA_BACKUP_DIR=str(backups))
    (backups / "purge-list.jsonl").unlink()
    assert CANARY.encode() in restored(older)


@pytest.mark.promise("M41")
def test_a_copy_has_nothing_in_its_files_that_was_purged_between_its_two_runs(
    settings: Settings, clock: VirtualClock, postgresql: PostgreSQL, tmp_path: Path
) -> None:
    target, named = f"sqlite:///{tmp_path}/stoa.db", ["--data-dir", str(settings.data_dir)]
    if settings.engine == "postgresql":
        # PostgreSQL counts what a session wrote up to ten seconds later, and a copy would take what
        # another test wrote for the writing of a server.
        settings = msgspec.structs.replace(settings, database_url=postgresql.new())
        target, named = postgresql.empty(), ["--database-url", settings.database_url]
    with App(settings, clock) as stoa:  # with connections of its own, which the copy sees
        ada, bob = stoa.agent("ada"), stoa.agent("bob")
        written(ada, bob)
        for number in range(40):
            tags = [f"{CANARY}-{number * place % 41}" for place in range(3, 11)]
            ada.thread(f"{number} {CANARY}", f"{CANARY} " * (1 + number % 7), tags=tags)
        assert run_stoa_here("copy", *named, "--to", target).code == 75
        for agent in (ada, bob):
            act(stoa, agent.id, "forget")
        background(stoa)
    done = run_stoa_here("copy", *named, "--to", target)
    assert done.code == 0, done.err
    moved = msgspec.structs.replace(settings, database_url=target, data_dir=str(tmp_path))
    with App(moved, clock) as copied:
        background(copied)
        assert (in_rows(copied), in_files(copied)) == ([], [])


def test_a_purge_does_not_wait_for_settlements_that_are_stopped(stoa: App) -> None:
    ada, mod = stoa.agent("ada"), stoa.agent("mod")
    thread = ada.thread(f"A {CANARY}", CANARY, bountyCredits=7, tags=[CANARY])
    job = jobs.offer(ada, 5, title=CANARY, tags=[CANARY])
    stoa.sql(STOP)
    for one in (thread, job):
        moderate(mod, one, "hide").refused(503, "temporarily_unavailable")
    act(stoa, ada.id, "forget")
    background(stoa)
    assert (in_rows(stoa), in_files(stoa)) == ([], [])
    kinds = {one["action"] for one in stoa.get("moderation").ok()["actions"]}
    assert kinds == {"forget", "purge"}
    assert jobs.funds(ada) == (88, 12)
    stoa.sql("DELETE FROM stop WHERE name = 'settlements'")
    stoa.clock.advance(168 * HOUR)
    jobs.sweep(stoa)
    ada.sign_in()
    assert jobs.funds(ada) == (100, 0)
    assert not any(broken(stoa.settings).values())


def test_what_cannot_be_undone_yet_is_left_as_it_is(stoa: App) -> None:
    ada, mod = stoa.agent("ada"), stoa.agent("mod")
    thread = ada.thread("Shown again", "For all.")
    moderate(mod, thread, "hide").ok()
    stoa.clock.advance(HOUR)
    mod.sign_in()
    since = stoa.clock()
    moderate(mod, thread, "restore").ok()
    ada.sign_in()
    ada.post(f"threads/{thread['id']}/bounty", {"credits": 3}).ok()
    stoa.sql(STOP)
    done = operate(stoa, {"command": "undo", "by": mod.id, "since": since, "reason": REASON})
    assert [one["action"] for one in done["skipped"]] == ["restore"]
    assert stoa.get(f"threads/{thread['id']}").ok()["thread"]["title"] == "Shown again"


@pytest.mark.parametrize("engine", ["sqlite"])
@pytest.mark.settings(signups="approve")
def test_who_waited_to_be_let_in_as_a_backup_was_made_stays_forgotten(
    stoa: App, tmp_path: Path
) -> None:
    ada = stoa.agent("ada", description=f"A {CANARY}.")
    named = ["--data-dir", str(stoa.settings.data_dir)]
    backups = tmp_path / "backups"
    assert run_stoa_here("backup", str(backups), *named).code == 0
    [older] = backups.glob("*.db")
    act(stoa, ada.id, "approve")
    act(stoa, ada.id, "forget")
    background(stoa)
    stoa.close()
    assert run_stoa_here("restore", str(older), *named).code == 0
    assert CANARY.encode() not in stoa.settings.database_path.read_bytes()


@pytest.mark.parametrize("engine", ["sqlite"])
def test_what_was_written_between_two_times_of_forgetting_stays_erased(
    stoa: App, tmp_path: Path
) -> None:
    ada = stoa.agent("ada")
    act(stoa, ada.id, "forget")
    background(stoa)
    ada.sign_in({"description": f"A {CANARY}."})
    went = {"result": "worked", "note": CANARY}
    other = stoa.agent("cy").reply(stoa.agent("dee").thread())
    ada.post(f"replies/{other['id']}/outcomes", went).ok(201)
    named = ["--data-dir", str(stoa.settings.data_dir)]
    backups = tmp_path / "backups"
    assert run_stoa_here("backup", str(backups), *named).code == 0
    [older] = backups.glob("*.db")
    assert CANARY.encode() in older.read_bytes()
    stoa.clock.advance(HOUR)
    act(stoa, ada.id, "forget")
    background(stoa)
    assert in_rows(stoa) == []
    stoa.close()
    assert run_stoa_here("restore", str(older), *named).code == 0
    assert CANARY.encode() not in stoa.settings.database_path.read_bytes()

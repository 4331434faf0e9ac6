"""What cannot be erased is hidden, told and tried again. It keeps no server from starting, and
nothing else from being erased."""

import json
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from stoa.app import Service, new_services
from stoa.operations.parts import purging
from stoa.store import purges
from stoa.store.engines.sqlite.file import connect
from stoa.store.purges import Purge
from stoa.store.tx import Tx
from tests.support import jobs
from tests.support.app import Agent, App
from tests.support.clock import MINUTE
from tests.support.command import run_stoa_here
from tests.support.ledger import broken, rows
from tests.support.logs import logged
from tests.support.moderation import act, order
from tests.support.steps import Steps

CANARY = "zymurgist"
TAKE = "UPDATE account SET balance = balance - 700 WHERE id LIKE ?"
REFUSE = "SELECT RAISE(ABORT, 'a test')"
GIVE = "UPDATE account SET balance = balance + 700 WHERE id LIKE ?"


def escrow(stoa: App, subject_id: str) -> str:
    """The account of what is reserved for a thread or job, as a pattern."""
    [(hold_id,)] = rows(stoa, "SELECT id FROM hold WHERE subject_id = ?", subject_id)
    return f"escrow:%{hold_id}"


def brought_back(stoa: App, ids: Sequence[str], *, whole: bool = False) -> None:
    """Say of these ids that they were erased before a backup brought them back."""
    known = [Purge(one, int(whole), "Out of date.", stoa.clock.now) for one in ids]

    async def ask(tx: Tx) -> None:
        await purges.ask_again(tx, known)

    stoa.run(stoa.stoa.store.write(ask))


def start_beside(stoa: App) -> None:
    """What another process of the server does as it starts."""
    services = new_services(msgspec.structs.replace(stoa.settings, valkey_url=""))
    stoa.run(Service.over(stoa.stoa.store, services, stoa.clock))


def left(stoa: App) -> list[str]:
    """The texts of threads and jobs that still have the canary."""
    texts = rows(stoa, "SELECT id, body FROM thread UNION ALL SELECT id, description FROM job")
    return sorted(row[0] for row in texts if CANARY in row[1])


@pytest.mark.parametrize("whole", [False, True])
def test_what_cannot_be_erased_is_hidden_until_it_can(stoa: App, ada: Agent, whole: bool) -> None:
    thread = ada.thread("A question", CANARY, bountyCredits=7)
    job, other = jobs.offer(ada, 7, description=CANARY), ada.thread("Another", CANARY)
    bad, kinds = (thread, job), ("threads", "jobs")
    for one in bad:
        stoa.sql(TAKE, escrow(stoa, one["id"]))
    brought_back(stoa, [ada.id] if whole else [thread["id"], job["id"], other["id"]], whole=whole)
    with logged() as lines:
        start_beside(stoa)
    [told] = [line for line in lines if line["level"] == "error"]
    assert bad[0]["id"] in str(told)
    assert left(stoa) == sorted(one["id"] for one in bad)
    for one, kind in zip(bad, kinds, strict=True):
        assert stoa.get(f"{kind}/{one['id']}").refused(410, "removed")["reason"] == "Out of date."
    assert len(stoa.run(stoa.stoa.store.read(purges.to_erase))) == (1 if whole else 2)
    times = "SELECT id, removed_at FROM thread UNION ALL SELECT id, removed_at FROM job ORDER BY 1"
    hidden = rows(stoa, times)
    stoa.clock.advance(MINUTE)
    with pytest.raises(purging.PurgeFailed):
        stoa.run(stoa.stoa.upkeep.purge())
    assert rows(stoa, times) == hidden
    for one in bad:
        stoa.sql(GIVE, escrow(stoa, one["id"]))
    stoa.run(stoa.stoa.upkeep.purge())
    assert (left(stoa), stoa.run(stoa.stoa.store.read(purges.to_erase))) == ([], [])
    acts = [one["action"] for one in stoa.get("moderation").ok()["actions"]]
    assert acts.count("forget") == whole
    ada.sign_in()
    assert jobs.funds(ada) == (100, 0)
    assert broken(stoa.settings) == {}


def test_what_is_erased_again_keeps_the_time_of_its_order(stoa: App, ada: Agent) -> None:
    """Or a newer backup, of what the agent wrote since, would be emptied when it is restored."""
    thread, ordered_at = ada.thread("A question", CANARY), stoa.clock.now
    cy = stoa.agent("cy")
    brought_back(stoa, [ada.id], whole=True)
    brought_back(stoa, [cy.thread("Another", CANARY)["id"]])
    stoa.clock.advance(MINUTE)
    stoa.run(stoa.stoa.upkeep.purge())
    assert left(stoa) == []
    known = stoa.run(stoa.stoa.store.read(purges.every))
    ordered = [one for one in known if one.id != thread["id"]]
    assert [one.created_at for one in ordered] == [ordered_at] * 2


def test_who_is_forgotten_again_meanwhile_is_forgotten_wholly(
    stoa: App, ada: Agent, steps: Steps
) -> None:
    ada.thread("One", CANARY)
    act(stoa, ada.id, "forget")

    async def write_on() -> None:
        stoa.clock.advance(MINUTE)
        (await ada.ask("POST", "threads", {"title": "Two", "body": CANARY})).ok(201)
        await stoa.stoa.operate(json.dumps(order(ada.id, "forget")).encode())

    async def behind_the_read() -> None:
        steps.after("read", write_on, once=True)

    steps.after("purges.thread_slice", behind_the_read, once=True)
    for _ in range(2):
        stoa.run(stoa.stoa.upkeep.purge())
    assert left(stoa) == []


@pytest.mark.own_file
@pytest.mark.parametrize("engine", ["sqlite"])
def test_a_command_says_what_it_could_not_erase_and_others_do_their_work(
    stoa: App, ada: Agent, tmp_path: Path
) -> None:
    thread, other = ada.thread("A question", CANARY, bountyCredits=7), ada.thread("B", CANARY)
    stoa.sql(TAKE, escrow(stoa, thread["id"]))
    brought_back(stoa, [thread["id"]])
    stoa.close()
    named = ["--data-dir", str(stoa.settings.data_dir)]
    purge = ("admin", "purge", other["id"], "--reason", "Out of date.")
    done = run_stoa_here(*purge, *named, STOA_BACKUP_DIR=str(tmp_path))
    told = f"{thread['id']} is hidden, but cannot be erased: insufficient_credits: "
    assert (done.code, told in done.err) == (1, True)
    assert left(stoa) == [thread["id"]]
    assert other["id"] in (tmp_path / "purge-list.jsonl").read_text()
    for command in ("invite", "queue", "log"):
        assert run_stoa_here("admin", command, *named).code == 0, command


@pytest.mark.soak  # the command waits for the reader
@pytest.mark.own_file
@pytest.mark.parametrize("engine", ["sqlite"])
def test_a_command_says_that_the_files_may_still_hold_what_it_erased(stoa: App, ada: Agent) -> None:
    thread, path = ada.thread("A question", CANARY), stoa.settings.database_path
    stoa.close()
    with closing(connect(path, writer=False)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM thread").fetchall()
        purge = ("admin", "purge", thread["id"], "--reason", "Out of date.")
        done = run_stoa_here(*purge, "--data-dir", str(stoa.settings.data_dir))
    assert (done.code, "its files may still hold it" in done.err) == (0, True)


@pytest.mark.own_file
@pytest.mark.parametrize("engine", ["sqlite"])
def test_a_restore_says_what_it_did_though_something_cannot_be_erased(
    stoa: App, ada: Agent, tmp_path: Path
) -> None:
    thread = ada.thread("A question", CANARY)
    stoa.sql(f"CREATE TRIGGER kept BEFORE UPDATE OF body ON thread BEGIN {REFUSE}; END")
    named = ["--data-dir", str(stoa.settings.data_dir)]
    assert run_stoa_here("backup", str(tmp_path), *named).code == 0
    stoa.sql("DROP TRIGGER kept")
    act(stoa, thread["id"], "purge")
    stoa.close()
    [backup] = tmp_path.glob("*.db")
    done = run_stoa_here("restore", str(backup), *named)
    assert "restored: " in done.out
    assert ".before-" in done.out
    assert (done.code, f"{thread['id']} is hidden, but cannot be erased" in done.err) == (1, True)

"""An export has everything public and nothing else, and an import of it gives the same again."""

import asyncio
import json
import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest

from stoa.app import Service
from stoa.cli import export_files
from stoa.domain.credits import Credits
from stoa.importers import export as importer
from stoa.settings import Settings
from stoa.store import moderation
from stoa.store.engines import engine_of
from stoa.store.transfer import public
from stoa.store.transfer.copying import CopySource, RowRange
from stoa.store.tx import Row, StartRefused
from tests.contract.test_outcomes import citizens
from tests.support import database, everything, jobs
from tests.support.app import Agent, App
from tests.support.clock import SECOND, VirtualClock
from tests.support.moderation import MODERATED, act, moderate, operate
from tests.support.postgresql import PostgreSQL
from tests.support.schema import migrated

SQLITE = pytest.mark.parametrize(("engine", "other"), [("sqlite", "sqlite")], indirect=["other"])
BOTH = pytest.mark.parametrize("engine", ["sqlite", "postgresql"])
BOTH_WAYS = pytest.mark.parametrize(
    ("engine", "other"),
    [("sqlite", "postgresql"), ("postgresql", "sqlite")],
    indirect=["other"],
)
SMALL = 7

PRIVATE = {
    "job_message": "belongs to the talk about one job, of which a part is its parties' own",
    "artifact_text": "only the two parties of the job see them",
    "agent.suspended_reason": "stands in the log of moderation",
    "job.last_reject_message": "only its two parties see it",
    "moderation_act.points": "no public answer tells them",
    "application": "only the creator of the job and the applicant see it",
    "held_post": "only its author and moderators see it",
    "submission.artifacts": "only the two parties of the job see them",
    "submission.body": "only the two parties of the job see it",
}
FOLLOWS = {
    "agent.first_post_id": "threads and replies",
    "agent.version": "counts what happened to a row of this database",
    "agent.skeleton": "its name",
    "agent.looks_like": "names and standing",
    "agent_capability": "agents",
    "agent_word": "agents",
    "opportunity": "open jobs and bounties",
    "opportunity_term": "tags and requirements",
    "opportunity_word": "tags and requirements",
    "job_tag": "jobs",
    "post": "threads and replies",
    "reply.worth": "score, imported score and thread",
    "reputation_event.pair": "its two agents",
    "thread_moved": "says which rows of thread_tag lag behind",
    "thread_tag": "threads",
    "thread_writer": "replies",
    "ledger_transaction": "movements.jsonl",
    "paid_out": "settlements",
    "record": "jobs, claims and bounties",
    "posting": "movements.jsonl",
}
KEPT_BACK = {
    "authorization_request": "sign-in",
    "event_log": "what happens from the import on",
    "event_log_state": "what happens from the import on",
    "inbox_place": "its agent's own",
    "moderator": "the operator's own",
    "purge": "the log of moderation tells what was erased",
    "refresh_token": "sessions",
    "report": "between reporters and moderators",
    "telling": "what happens from the import on",
    "told": "its agent's own",
    "told_thread": "the own of who wrote in the thread",
    "watch": "its agent's own",
    "watch_word": "its agent's own",
    "webhook": "its agent's own",
    "account": "balances are their agents' own",
    "challenge_used": "sign-in",
    "invite": "sign-in",
    "kept_answer": "answers to one agent",
    "lease": "running processes",
    "receipt": "its agent's own",
    "registration": "addresses of clients",
    "secret": "secrets",
    "stop": "the operator's own",
    "token": "sessions",
}


@pytest.fixture
def stoa(settings: Settings, clock: VirtualClock) -> Iterator[App]:
    """The application with connections of its own, by which an import sees that it is served."""
    with App(settings, clock) as app:
        yield app


@pytest.fixture(params=["sqlite", "postgresql"])
def other(
    request: pytest.FixtureRequest, postgresql: PostgreSQL, settings: Settings, tmp_path: Path
) -> Settings:
    """An empty database of each engine, beside the one of `settings`."""
    url = f"sqlite:///{tmp_path}/other.db" if request.param == "sqlite" else postgresql.empty()
    return msgspec.structs.replace(settings, database_url=url)


class InParts:
    """A source that gives few rows at a time, and notes how many at most."""

    def __init__(self, source: CopySource) -> None:
        self._source: Any = source
        self.most = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._source, name)

    async def rows(self, which: RowRange) -> list[Row]:
        """As the source has them, up to `SMALL` where there is a limit."""
        found = await self._source.rows(which._replace(limit=which.limit and SMALL))
        self.most = max(self.most, len(found))
        return found


def exported(settings: Settings, clock: VirtualClock, folder: Path) -> dict[str, int]:
    """Export a database."""

    async def work() -> dict[str, int]:
        async with engine_of(settings).open_source(settings, clock) as source:
            return await export_files.write(cast(CopySource, InParts(source)), folder)

    return asyncio.run(work())


def imported(settings: Settings, clock: VirtualClock, folder: Path) -> dict[str, int]:
    """Import an export into a database that no server uses."""

    async def work() -> dict[str, int]:
        async with engine_of(settings).open_target(settings, clock) as target:
            grant = Credits.parse(settings.signup_grant).hundredths
            identity = importer.check_sums(folder)
            return await importer.bring_in(folder, identity, target, grant, batch=SMALL)

    return asyncio.run(work())


def contents(folder: Path) -> dict[str, bytes]:
    """Every file of an export."""
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def lines(folder: Path, name: str) -> list[dict[str, Any]]:
    """The objects of a file."""
    return [json.loads(line) for line in (folder / name).read_text().splitlines()]


@BOTH_WAYS
def test_what_a_job_requires_is_known_of_its_offer_after_an_import(
    stoa: App, settings: Settings, clock: VirtualClock, other: Settings, tmp_path: Path
) -> None:
    ada = stoa.agent("ada")
    for terms in (None, {"claimHours": 1}, {"requires": {"standing": 5, "reputation": 1}}):
        jobs.offer(ada, 1, terms=terms)
    exported(settings, clock, tmp_path / "one")
    imported(other, clock, tmp_path / "one")
    required = "SELECT requires FROM opportunity ORDER BY id"
    assert database.query(other, required) == stoa.sql(required)
    assert stoa.sql(required)[2][0] == '{"reputation":1,"standing":5}'


@pytest.mark.costly
@pytest.mark.promise("B2")
@BOTH_WAYS
def test_an_export_of_an_import_of_an_export_is_the_same(
    stoa: App, settings: Settings, clock: VirtualClock, other: Settings, tmp_path: Path
) -> None:
    agents = everything.fill(stoa)
    everything.talk(*agents[:2])
    told = {agent.id: stoa_balance(agent) for agent in agents}
    exported(settings, clock, tmp_path / "one")
    imported(other, clock, tmp_path / "one")
    exported(other, clock, tmp_path / "two")
    assert contents(tmp_path / "two") == contents(tmp_path / "one")
    for name in (file.name for file in public.ROWS):
        assert lines(tmp_path / "one", name), name
    first_posts = "SELECT id, first_post_id FROM agent WHERE first_post_id IS NOT NULL ORDER BY id"
    assert database.query(other, first_posts) == stoa.sql(first_posts) != []
    counted = "SELECT agent_id, kind, outcome, number, durations FROM record ORDER BY 1, 2, 3"
    assert database.query(other, counted) == stoa.sql(counted) != []
    with App(other, clock) as again:
        for agent in agents:
            agent.app = again
            agent.sign_in()
        assert {agent.id: stoa_balance(agent) for agent in agents} == told
        assert again.get("search?q=credits").ok()["threads"]
        log = again.get("moderation?limit=50").ok()["actions"]
        assert len(log) == len(lines(tmp_path / "one", "moderation.jsonl"))
        undo = {"command": "undo", "by": agents[0].id, "since": 0, "reason": "Stolen."}
        taken_back = operate(again, undo)
        assert {"restore", "unlock"} <= {one["action"] for one in taken_back["actions"]}
        assert {"adjust", "cancel"} == {one["action"] for one in taken_back["skipped"]}


def stoa_balance(agent: Agent) -> Any:
    """What an agent has and has promised."""
    return agent.get("credits/balance").ok()["balance"]


def test_every_column_is_public_or_said_to_be_left_out() -> None:
    connection = migrated()
    tables = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
    left_out = PRIVATE | FOLLOWS | KEPT_BACK
    shown = {file.table.name: set(file.columns) for file in public.ROWS}
    for (table,) in tables:
        if table.startswith("sqlite_") or table in left_out:
            assert table not in shown
            continue
        columns = {row[1] for row in connection.execute(f"PRAGMA table_info({table})")}
        hidden = columns - shown.pop(table)
        assert hidden == {column for column in columns if f"{table}.{column}" in left_out}
    assert not shown


@pytest.mark.promise("B1")
@BOTH
def test_an_export_has_no_secret_and_no_private_text(
    stoa: App, settings: Settings, clock: VirtualClock, tmp_path: Path
) -> None:
    ada, bob = stoa.agent("ada"), stoa.agent("bob")
    job = jobs.offer(ada, 5)
    jobs.done(bob, job, "claim")
    work = {"body": "Only for Ada.", "artifacts": [{"name": "plan", "text": "Hers alone."}]}
    bob.post(f"jobs/{job['id']}/submit", work).ok(201)
    turned_down = {"reasonCode": "other", "message": "Between us."}
    ada.post(f"jobs/{job['id']}/reject", turned_down).ok()
    exported(settings, clock, tmp_path / "out")
    everything_written = b"".join(contents(tmp_path / "out").values())
    assert ada.id.encode() in everything_written
    hidden = [b"Only for Ada", b"Hers alone", b"Between us", ada.token.encode(), b"127.0.0.1"]
    stored = [row[0] for row in stoa.sql("SELECT hash FROM token")]
    stored += [row[0] for row in stoa.sql("SELECT value FROM secret")]
    for value in (*hidden, *stored, *(value.hex().encode() for value in stored)):
        assert value not in everything_written
    [submission] = lines(tmp_path / "out", "submissions.jsonl")
    assert submission.keys() == {"id", "jobId", "agentId", "createdAt"}


CANARY = "canary"
IN_JOBS = ("requirements", "acceptanceCriteria")


def hidden_by_a_moderator(stoa: App) -> Callable[[], None]:
    """Texts in everything that can be hidden, each with a word of its own; what hides all of it."""
    mod, ada, bob = stoa.agent("mod"), stoa.agent("ada"), stoa.agent("bob")
    described = {"description": f"{CANARY} b", "capabilities": [f"{CANARY} c"]}
    named = stoa.agent(f"{CANARY} a", **described)
    thread = ada.thread(f"{CANARY} d", f"{CANARY} e", tags=[f"{CANARY} f"], bountyCredits=1)
    below = bob.reply(thread, f"{CANARY} g")
    ada.reply(thread, f"{CANARY} h", below)
    shown = named.thread("Stays", "It stays.")
    for _ in range(2 * SMALL):
        bob.reply(shown, "Stays.")
    reply = bob.reply(shown, f"{CANARY} i")
    texts = {"title": f"{CANARY} j", "description": f"{CANARY} k", "type": f"{CANARY} l"}
    lists = {name: [f"{CANARY} {letter}"] for name, letter in zip(IN_JOBS, "mn", strict=True)}
    more = {"tags": [f"{CANARY} o"], "effortEstimate": f"{CANARY} p"}
    checks = {"verification": {"requirements": [f"{CANARY} q"]}}
    job = jobs.offer(ada, 5, **texts, **lists, **more, **checks)
    ada.post(f"threads/{thread['id']}/append", {"body": f"{CANARY} r"}).ok()
    ada.post(f"jobs/{job['id']}/append", {"body": f"{CANARY} s"}).ok()

    def hide() -> None:
        for hidden in (thread, reply, job, named.id):
            moderate(mod, hidden, "hide").ok()

    return hide


def canaries(texts: Iterable[bytes]) -> set[str]:
    """Which of the words are in these."""
    found = (re.findall(rf"{CANARY} ([a-z])".encode(), text) for text in texts)
    return {one.decode() for each in found for one in each}


@MODERATED
@pytest.mark.promise("B14")
@BOTH_WAYS
def test_what_moderators_have_hidden_is_in_no_export_and_not_found_after_an_import(
    stoa: App, settings: Settings, clock: VirtualClock, other: Settings, tmp_path: Path
) -> None:
    hide = hidden_by_a_moderator(stoa)
    exported(settings, clock, tmp_path / "before")
    assert canaries(contents(tmp_path / "before").values()) == set("abcdefghijklmnopqrs")
    hide()
    exported(settings, clock, tmp_path / "one")
    for name, written in contents(tmp_path / "one").items():
        assert CANARY.encode() not in written, name
    assert b'"removedReason":"Advertising."' in contents(tmp_path / "one")["threads.jsonl"]
    assert len([line for line in lines(tmp_path / "one", "replies.jsonl") if line["body"]]) == 14
    imported(other, clock, tmp_path / "one")
    exported(other, clock, tmp_path / "two")
    assert contents(tmp_path / "two") == contents(tmp_path / "one")
    assert database.query(other, "SELECT id FROM opportunity") == []


@BOTH
def test_what_a_hidden_agent_said_of_a_reply_is_in_no_export(
    stoa: App, settings: Settings, clock: VirtualClock, tmp_path: Path
) -> None:
    carl, dora = citizens(stoa, "Carl", "Dora")
    reply = stoa.agent("bob").reply(stoa.agent("ada").thread())
    for agent, note in ((carl, "Note of Carl."), (dora, "Note of Dora.")):
        said = {"result": "worked", "note": note}
        agent.post(f"replies/{reply['id']}/outcomes", said).ok(201)
    act(stoa, carl.id, "hide")
    exported(settings, clock, tmp_path / "out")
    written = contents(tmp_path / "out")["outcomes.jsonl"]
    assert re.findall(b"Note of [A-Z]", written) == [b"Note of D"]


@MODERATED
@BOTH
def test_an_export_that_looks_at_the_mark_of_a_text_alone_shows_what_belongs_to_hidden_ones(
    stoa: App,
    settings: Settings,
    clock: VirtualClock,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The control of the test above."""

    async def none_hidden(*_: object) -> set[str]:
        return set()

    hidden_by_a_moderator(stoa)()
    monkeypatch.setattr(moderation, "hidden_between", none_hidden)
    exported(settings, clock, tmp_path / "out")
    assert canaries(contents(tmp_path / "out").values()) == {"g", "h", "r", "s"}


@BOTH
def test_few_rows_are_in_memory_and_all_are_of_one_moment(
    stoa: App, settings: Settings, clock: VirtualClock, tmp_path: Path
) -> None:
    ada = stoa.agent("ada")
    for number in range(3 * SMALL):
        ada.thread(f"Number {number}", "Text.")

    async def work() -> int:
        async with engine_of(settings).open_source(settings, clock) as source:
            in_parts = InParts(source)
            await asyncio.to_thread(ada.thread, "Later", "Not in the snapshot.")
            await export_files.write(cast(CopySource, in_parts), tmp_path / "out")
            return in_parts.most

    assert asyncio.run(work()) <= 2 * SMALL  # a transaction has two postings
    assert b"Not in the snapshot" not in b"".join(contents(tmp_path / "out").values())
    assert stoa.get("threads?limit=1").ok()["threads"][0]["title"] == "Later"


@pytest.fixture
def written(stoa: App, settings: Settings, clock: VirtualClock, tmp_path: Path) -> Path:
    """An export with everything in it."""
    everything.fill(stoa)
    exported(settings, clock, tmp_path / "out")
    return tmp_path / "out"


@pytest.mark.promise("B6")
@SQLITE
def test_a_damaged_export_is_refused_and_changes_nothing(
    written: Path, other: Settings, clock: VirtualClock
) -> None:
    asyncio.run(engine_of(other).migrate(other))
    for name in ("threads.jsonl", "threads.md"):
        whole = (written / name).read_bytes()
        (written / name).write_bytes(whole.replace(b"e", b"x", 1))
        with pytest.raises(StartRefused, match=f"{name} is damaged: .* or make a new one$"):
            imported(other, clock, written)
        (written / name).unlink()
        with pytest.raises(StartRefused, match=f"cannot read .*{name}"):
            imported(other, clock, written)
        (written / name).write_bytes(whole)
    sums = (written / "SHA256SUMS").read_text()
    (written / "SHA256SUMS").write_text(
        "".join(line for line in sums.splitlines(keepends=True) if "replies" not in line)
    )
    with pytest.raises(StartRefused, match="no checksum of replies"):
        imported(other, clock, written)
    (written / "SHA256SUMS").unlink()
    with pytest.raises(StartRefused, match="is no whole export"):
        imported(other, clock, written)
    assert database.query(other, "SELECT id FROM agent") == []
    (written / "SHA256SUMS").write_text(sums)
    assert imported(other, clock, written)["agents.jsonl"] > 1


def forge(folder: Path, name: str, change: bytes, into: bytes) -> None:
    """Change a file, and its checksum with it."""
    changed = (folder / name).read_bytes().replace(change, into, 1)
    old = sha256((folder / name).read_bytes()).hexdigest()
    assert changed != (folder / name).read_bytes()
    (folder / name).write_bytes(changed)
    sums = folder / "SHA256SUMS"
    sums.write_text(sums.read_text().replace(old, sha256(changed).hexdigest()))


@pytest.mark.promise("B7")
@SQLITE
def test_an_export_that_was_changed_with_its_checksums_is_never_served(
    written: Path, other: Settings, clock: VirtualClock, tmp_path: Path
) -> None:
    for number, (name, change, into, said) in enumerate(
        [
            ("agents.jsonl", b'{"id"', b'"id"', "line 1 cannot be read"),
            ("jobs.jsonl", b'"deadline":"2', b'"deadline":"x', "cannot be read"),
            ("agents.jsonl", b'"reputationScore":', b'"reputationScore":9', "contradicts itself"),
            ("settlements.jsonl", b'"payout"', b'"refund"', "contradicts itself"),
        ]
    ):
        forged = shutil.copytree(written, tmp_path / f"forged{number}")
        forge(forged, name, change, into)
        target = msgspec.structs.replace(other, database_url=f"sqlite:///{tmp_path}/{number}.db")
        with pytest.raises(StartRefused, match=said):
            imported(target, clock, forged)
        with pytest.raises(StartRefused, match=r"only a part of the export .*: import the"):
            asyncio.run(Service.open(target))
        with pytest.raises(StartRefused):
            imported(target, clock, forged)


@SQLITE
@pytest.mark.soak
def test_a_database_that_is_in_use_takes_no_import(
    written: Path, other: Settings, clock: VirtualClock
) -> None:
    with App(other, clock) as app:
        with pytest.raises(StartRefused):
            imported(other, clock, written)
        app.agent("new")
    with pytest.raises(StartRefused, match="has agents already: choose an empty database"):
        imported(other, clock, written)


@SQLITE
def test_an_agent_that_spent_more_than_the_grant_of_here_can_be_imported(
    stoa: App, settings: Settings, other: Settings, clock: VirtualClock, tmp_path: Path
) -> None:
    ada, bob = stoa.agent("ada"), stoa.agent("bob")
    paid = ada.thread("Paid for", "With credits.", bountyCredits=60)
    ada.accept(paid, bob.reply(paid, "So.")).ok()
    exported(settings, clock, tmp_path / "out")
    poor = msgspec.structs.replace(other, signup_grant=10)
    imported(poor, clock, tmp_path / "out")
    with App(poor, clock) as app:
        balances: dict[str, Any] = {}
        for agent in (ada, bob):
            agent.app = app
            agent.sign_in()
            balances[agent.id] = stoa_balance(agent)["available"]
    assert balances == {ada.id: 0, bob.id: 70}


@pytest.mark.parametrize("engine", ["sqlite"])
def test_a_text_cannot_look_like_a_part_of_the_markdown(
    stoa: App, settings: Settings, clock: VirtualClock, tmp_path: Path
) -> None:
    ada = stoa.agent("ada")
    thread = ada.thread("# Not [a](http://x) title", "# Not a title\n```\n# Nor this\n", tags=["a"])
    first = ada.reply(thread, "First.")
    ada.reply(thread, "Second.", first)
    exported(settings, clock, tmp_path / "out")
    text = (tmp_path / "out" / "threads.md").read_text()
    assert text.startswith("# \\# Not \\[a\\]\\(http\\://x\\) title\n\n- id: `th_")
    assert "````untrusted\n# Not a title\n```\n# Nor this\n\n````" in text
    assert [line for line in text.splitlines() if line.startswith("- to:")] == [
        f"- to: `{first['id']}`"
    ]


@pytest.mark.settings(hold_first=4)
@BOTH_WAYS
def test_what_is_reserved_for_a_held_post_is_in_no_export(
    stoa: App, settings: Settings, clock: VirtualClock, other: Settings, tmp_path: Path
) -> None:
    ada = stoa.agent("ada")
    ada.thread("Held", "Not yet.", bountyCredits=7)
    ada.post("jobs", {"title": "Held", "description": "Too.", "rewardCredits": 5}).ok(201)
    assert stoa_balance(ada)["available"] == 88
    exported(settings, clock, tmp_path / "out")
    assert lines(tmp_path / "out", "holds.jsonl") == []
    assert lines(tmp_path / "out", "movements.jsonl") == []
    imported(other, clock, tmp_path / "out")
    with App(other, clock) as again:
        ada.app = again
        ada.sign_in()
        assert stoa_balance(ada)["available"] == 100


@pytest.mark.settings(signups="approve")
@BOTH_WAYS
def test_who_waits_to_be_let_in_waits_in_the_import_too(
    stoa: App, settings: Settings, clock: VirtualClock, other: Settings, tmp_path: Path
) -> None:
    ada = stoa.agent("newcomer")  # no checksum can spell it
    exported(settings, clock, tmp_path / "out")
    assert b"newcomer" not in b"".join(contents(tmp_path / "out").values())
    imported(other, clock, tmp_path / "out")
    with App(other, clock) as again:
        ada.app = again
        ada.sign_in()
        assert stoa_balance(ada)["available"] == 0
        approve = {"command": "do", "action": "approve", "subject_id": ada.id, "reason": "Known."}
        assert operate(again, approve)["actions"]
        assert stoa_balance(ada)["available"] == 100


@BOTH_WAYS
def test_a_cursor_of_where_an_export_was_made_is_expired_in_the_import(
    stoa: App, settings: Settings, clock: VirtualClock, other: Settings, tmp_path: Path
) -> None:
    ada = stoa.agent("ada")
    cursor = ada.get("events").ok()["nextCursor"]
    exported(settings, clock, tmp_path / "out")
    imported(other, clock, tmp_path / "out")
    with App(other, clock) as again:
        ada.app = again
        clock.advance(SECOND)
        ada.sign_in()
        ada.thread()
        assert ada.get(f"events?cursor={cursor}").code == "cursor_expired"
        assert ada.get(f"inbox?cursor={cursor}").code == "cursor_expired"

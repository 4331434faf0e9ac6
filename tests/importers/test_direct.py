"""A direct import: the original dates, the rules of the service, one writer, never twice."""

import asyncio
import json
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from datetime import datetime
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import apsw
import httpx
import msgspec
import pytest

from stoa.cli import main
from stoa.clock import SystemClock
from stoa.importers import ImportStopped
from stoa.importers.attribution import Attribution
from stoa.importers.journal import StepAction
from stoa.importers.posts_xml import rows
from stoa.importers.stackexchange import LOST, ImportJob
from stoa.settings import Settings
from stoa.store.engines import engine_of
from stoa.store.transfer import audit
from stoa.store.tx import StartRefused
from tests.importers.conftest import SMALL, Import
from tests.importers.test_stackexchange import REAL, SMALL_SUMMARY
from tests.support.command import run_stoa_here
from tests.support.database import query as database_query
from tests.support.server import Server, environment
from tests.support.soaking import few

StartServer = Callable[..., Server]


@pytest.fixture
def database(tmp_path: Path, new_database: Callable[[], str], engine: str) -> Settings:
    """An empty database of the engine; the limits of its service are those of a public one."""
    assert engine
    settings = Settings(data_dir=str(tmp_path / "server0"), database_url=new_database())
    asyncio.run(engine_of(settings).migrate(settings))
    return settings


@pytest.fixture
def served(database: Settings, start_server: StartServer) -> Callable[[], Server]:
    """Serves the database from now on."""
    url = database.database_url
    return lambda: start_server(Path(database.data_dir), **({"database_url": url} if url else {}))


def _direct(database: Settings, folder: Path, source: Path = SMALL, **options: Any) -> Import:
    return Import(ImportJob(source, folder / "keys", database=database, **options))


def _seen(imported: Import, server: Server) -> list[dict[str, Any]]:
    """The threads of an import, as a server of its database shows them."""
    job = imported.job
    return Import(ImportJob(job.source, job.keys, server.url)).threads()


def _findings(database: Settings) -> list[audit.Finding]:
    return asyncio.run(engine_of(database).read_once(database, SystemClock(), audit.run_all))


def _ms(text: str) -> int:
    return round(datetime.fromisoformat(text).timestamp() * 1000)


@pytest.mark.costly
def test_posts_have_their_original_dates_their_source_and_ids_in_that_order(
    database: Settings, served: Callable[[], Server], tmp_path: Path
) -> None:
    imported = _direct(database, tmp_path, attribution=Attribution("tea.example.org"))
    imported.run()
    threads = _seen(imported, served())
    first, kettle, *_ = threads
    assert first["createdAt"] == first["lastActivityAt"] == "2015-02-28T09:00:00.000Z"
    assert kettle["createdAt"] == "2015-03-01T09:00:00.000Z"
    answers = ["2015-03-01T10:00:00.000Z", "2015-03-01T10:30:00.000Z"]
    assert [reply["createdAt"] for reply in kettle["replies"]] == answers
    assert kettle["lastActivityAt"] == kettle["updatedAt"] == answers[1]
    assert kettle["acceptedReplyId"] == kettle["replies"][1]["id"]
    assert kettle["author"]["createdAt"] == kettle["createdAt"]
    assert kettle["replies"][1]["author"]["reputationScore"] > 0
    posts = threads + [reply for thread in threads for reply in thread["replies"]]
    by_date = sorted(posts, key=lambda post: _ms(post["createdAt"]))
    ids = [post["id"].partition("_")[2] for post in by_date]
    assert ids == sorted(ids)
    licence = "[CC BY-SA 3.0](https://creativecommons.org/licenses/by-sa/3.0/)"
    assert kettle["body"]["body"].endswith(
        "\n\n---\n\n*Source: [tea.example.org/q/1](https://tea.example.org/q/1) by "
        f"[user10](https://tea.example.org/users/10), {licence}, here in Markdown.*"
    )
    assert "(https://tea.example.org/a/2) by [user11](" in kettle["replies"][0]["body"]["body"]


@pytest.mark.costly
@pytest.mark.promise("C94")
def test_an_imported_post_shows_the_score_of_its_site_and_it_counts_nowhere(
    database: Settings, served: Callable[[], Server], tmp_path: Path
) -> None:
    imported = _direct(database, tmp_path)
    imported.run()
    server = served()
    first, kettle, *_ = _seen(imported, server)
    assert "importedScore" not in first
    assert kettle["importedScore"] == 17
    assert [reply["importedScore"] for reply in kettle["replies"]] == [0, -3]
    assert [reply["score"] for reply in kettle["replies"]] == [0, 0]
    path = f"/api/v1/threads/{kettle['id']}"
    with httpx.Client(base_url=server.url, timeout=60) as http:
        best = http.get(f"{path}/replies?sort=score").json()["replies"]
        assert [reply["importedScore"] for reply in best] == [-3, 0]  # the accepted one first
        read = http.get(f"{path}?include=replies").json()
        lean = http.get(f"{path}?include=replies&view=lean").json()
        page = http.get(f"/forum/threads/{kettle['id']}").text
        text = http.get(f"/forum/threads/{kettle['id']}", headers={"Accept": "text/markdown"}).text
    assert read["thread"]["importedScore"] == lean["thread"]["importedScore"] == 17
    assert read["replies"] == kettle["replies"]
    assert lean["replies"][1]["importedScore"] == -3
    for score in (17, 0, -3):
        assert f"score <b>{score}</b> where it was imported from" in page
        assert f"score {score} where it was imported from" in text


def test_the_summary_is_that_of_an_import_over_http_but_for_the_dates(
    database: Settings, tmp_path: Path
) -> None:
    said = "\n".join(_direct(database, tmp_path).run().lines())
    assert said == f"{SMALL_SUMMARY.rpartition(chr(10))[0]}\nnot kept: {LOST}"
    findings = _findings(database)
    assert sum(finding.checked for finding in findings) > 10
    assert [finding for finding in findings if finding.differences] == []


@pytest.mark.costly
@pytest.mark.promise("D61")
def test_rows_with_characters_that_xml_does_not_allow_come_in_and_the_summary_says_so(
    database: Settings, served: Callable[[], Server], tmp_path: Path
) -> None:
    text = SMALL.read_bytes()
    for whole, spoilt in (
        (b"My kettle whistles", b"My ket&#x1F;t\x0ble whistles"),
        (b"You live high up", b"You live &#xD800;high up"),
        (b"Why does my kettle", b"Why does\xed\xb0\x80 my kettle"),
    ):
        assert text.count(whole) == 1
        text = text.replace(whole, spoilt)
    spoilt_file = tmp_path / "Spoilt.xml"
    spoilt_file.write_bytes(text)
    imported = _direct(database, tmp_path, spoilt_file)
    summary = imported.run()
    line = "changed 2: characters that XML does not allow left out (post 1, 2; 4 characters)"
    said = [*summary.lines()]
    assert [one for one in said if one != line] == [*SMALL_SUMMARY.splitlines()[:-1], said[-1]]
    told = summary.described()["changed"][0]
    assert (told["count"], told["posts"], told["characters"]) == (2, ["1", "2"], 4)
    again = imported.run()
    assert (again.created.total(), again.already_there.total()) == (0, 9)
    _, kettle, *_ = _seen(imported, served())
    assert kettle["title"] == "Why does my kettle whistle early?"
    assert kettle["body"]["body"].startswith("My kettle whistles at 90 °C.")
    assert kettle["replies"][0]["body"]["body"].startswith("- You live high up.")


@pytest.mark.costly
def test_a_second_run_writes_nothing_even_if_the_first_did_not_note_what_it_committed(
    database: Settings, served: Callable[[], Server], tmp_path: Path
) -> None:
    imported = _direct(database, tmp_path)
    imported.run()
    again = imported.run()
    assert again.created.total() == 0
    assert dict(again.already_there) == {
        StepAction.THREAD: 5,
        StepAction.REPLY: 3,
        StepAction.ACCEPT: 1,
    }
    for action in StepAction:
        with apsw.Connection(str(imported.job.journal)) as journal:
            journal.execute(f"UPDATE written SET remote = NULL WHERE action = '{action}'")
        journal.close()
        again = imported.run()
        assert again.created.total() == 0
        assert again.already_there.total() == 9
    assert [len(thread["replies"]) for thread in _seen(imported, served())] == [0, 2, 1, 0, 0]


@pytest.mark.costly
@pytest.mark.promise("D19")
@pytest.mark.parametrize(
    ("engine", "line"), few([("sqlite", 4), ("postgresql", 4), ("sqlite", 1)], 2)
)
def test_a_killed_import_goes_on_and_writes_nothing_twice(
    database: Settings, served: Callable[[], Server], tmp_path: Path, line: int
) -> None:
    imported = _direct(database, tmp_path, _long_thread(tmp_path, answers=300))
    command = [sys.executable, "-m", "stoa", "import", "stackexchange", str(imported.job.source)]
    command += ["--direct", "--keys", str(imported.job.keys), "--no-attribution"]
    place = {name: value for name, value in _place(database).items() if value}
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, env=environment(place)
    ) as killed:
        assert killed.stderr
        for _ in range(line):
            assert re.match(r"\d+ of 301\n", killed.stderr.readline())
        killed.kill()
    summary = imported.run()
    assert summary.already_there.total() > 0
    assert summary.created.total() + summary.already_there.total() == 301
    [thread] = _seen(imported, served())
    assert [reply["body"]["body"] for reply in thread["replies"]] == [
        f"Answer {n}." for n in range(300)
    ]


def _place(database: Settings) -> dict[str, str]:
    return {"data_dir": database.data_dir, "database_url": database.database_url}


def _long_thread(folder: Path, answers: int) -> Path:
    common = 'CreationDate="2015-03-01T09:00:00" OwnerUserId="{}" Body="{}"'
    posts = [f'<row Id="1" PostTypeId="1" Title="Count!" {common.format(1, "One by one.")}/>']
    for n in range(answers):
        answer = common.format(n % 9, f"Answer {n}.")
        posts.append(f'<row Id="{n + 2}" PostTypeId="2" ParentId="1" {answer}/>')
    path = folder / "Posts.xml"
    path.write_text(f"<posts>{''.join(posts)}</posts>")
    return path


@pytest.mark.costly
def test_a_date_to_come_becomes_that_of_the_import(
    database: Settings, served: Callable[[], Server], tmp_path: Path
) -> None:
    path = tmp_path / "Posts.xml"
    path.write_text(SMALL.read_text().replace("2015-02-28", "2915-02-28"))
    imported = _direct(database, tmp_path, path)
    imported.run()
    assert _ms(_seen(imported, served())[-1]["createdAt"]) <= SystemClock()()


@pytest.mark.costly
def test_a_served_database_is_refused_and_unchanged_and_known_again_at_its_server(
    database: Settings, served: Callable[[], Server], tmp_path: Path
) -> None:
    imported = _direct(database, tmp_path / "before")
    imported.job.keys.parent.mkdir()
    imported.run()
    server = served()
    with pytest.raises(StartRefused, match="stop it "):
        _direct(database, tmp_path).run()
    assert not (tmp_path / "keys").exists()
    over_http = Import(ImportJob(SMALL, imported.job.keys, server.url))
    with pytest.raises(ImportStopped, match="give --direct as then"):
        over_http.run()
    server.stop()
    assert _direct(database, tmp_path).run().created.total() == 9


def test_a_database_that_lost_its_data_is_noticed(
    database: Settings, new_database: Callable[[], str], tmp_path: Path
) -> None:
    imported = _direct(database, tmp_path)
    imported.run()
    other = Settings(data_dir=str(tmp_path / "other"), database_url=new_database())
    asyncio.run(engine_of(other).migrate(other))
    again = _direct(other, tmp_path)
    with apsw.Connection(str(imported.job.journal)) as journal:
        journal.execute("UPDATE written SET server = ?", (again.job.target,))
    journal.close()
    with pytest.raises(ImportStopped, match=r"does not have th_.*remove the journal"):
        again.run()


@pytest.mark.parametrize("signups", ["closed", "invite", "approve"])
def test_what_holds_for_strangers_does_not_hold_for_the_import(
    database: Settings, tmp_path: Path, signups: str
) -> None:
    strict = msgspec.structs.replace(database, signups=signups, signup_work=8, hold_first=2)
    summary = _direct(strict, tmp_path).run()
    assert summary.created[StepAction.THREAD] == 5
    query = "SELECT count(*) FROM thread WHERE removed_at IS NULL"
    assert database_query(database, query) == [(5,)]


@pytest.mark.parametrize("signups", few(["closed", "invite", "approve"]))
def test_what_the_operator_said_of_new_keys_does_not_hold_for_the_import(
    database: Settings, tmp_path: Path, signups: str
) -> None:
    url = database.database_url or f"sqlite:///{database.database_path}"
    done = run_stoa_here("admin", "signups", signups, "--database-url", url)
    assert done.code == 0, done.err
    assert _direct(database, tmp_path).run().created[StepAction.THREAD] == 5
    waiting = "SELECT count(*) FROM agent WHERE pending_at IS NOT NULL"
    assert database_query(database, waiting) == [(0,)]


@pytest.mark.costly
def test_no_limit_holds_for_the_import_and_every_limit_for_the_service(
    database: Settings, tmp_path: Path
) -> None:
    """60 authors, 61 accepts between two of them: far above what strangers may do in a day."""
    posts: list[str] = []
    for n in range(1, 122, 2):
        asked = f'CreationDate="2015-03-01T09:00:00" OwnerUserId="1" Body="Why {n}?"'
        answer = 'CreationDate="2015-03-01T09:01:00" OwnerUserId="2" Body="So."'
        title = f'Title="Question {n}" AcceptedAnswerId="{n + 1}"'
        posts.append(f'<row Id="{n}" PostTypeId="1" {title} {asked}/>')
        posts.append(f'<row Id="{n + 1}" PostTypeId="2" ParentId="{n}" {answer}/>')
    path = tmp_path / "Posts.xml"
    path.write_text(f"<posts>{''.join(posts)}</posts>")
    assert database.limit_pair_reputation > 0
    summary = _direct(database, tmp_path, path).run()
    assert dict(summary.created) == {
        StepAction.THREAD: 61,
        StepAction.REPLY: 61,
        StepAction.ACCEPT: 61,
    }
    assert summary.skipped == {}


def test_the_command_imports_into_the_data_folder(tmp_path: Path) -> None:
    folder = tmp_path / "tea.example.org"
    folder.mkdir()
    source = folder / "Posts.xml"
    source.write_bytes(SMALL.read_bytes())
    data = str(tmp_path / "data")
    assert run_stoa_here("migrate", "--data-dir", data).code == 0
    done = run_stoa_here("import", "stackexchange", str(source), "--direct", "--data-dir", data)
    assert (done.code, done.out.splitlines()[:2]) == (
        0,
        [
            f"database: sqlite:///{data}/stoa.db",
            "created: 5 questions, 3 answers, 1 accepted answers",
        ],
    )
    assert f"not kept: {LOST}\n" in done.out
    again = run_stoa_here(
        *("import", "stackexchange", str(source), "--direct", "--data-dir", data, "--json")
    )
    told = json.loads(again.out)
    assert told["database"] == f"sqlite:///{data}/stoa.db"
    assert told["created"] == {"questions": 0, "answers": 0, "acceptedAnswers": 0}
    assert told["alreadyThere"] == {"questions": 5, "answers": 3, "acceptedAnswers": 1}
    assert told["unknown"] == {"post type 5": 1}
    assert {"reason": "empty body", "count": 2, "posts": ["8", "10"]} in told["skipped"]
    assert told["notKept"] == LOST
    assert told["keys"] == f"{source}.keys"
    assert run_stoa_here("audit", "--data-dir", data).code == 0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "give either --url with the address of a server, or --direct"),
        (("--direct", "--url", "http://127.0.0.1:9"), "give either --url"),
        (("--url", "http://127.0.0.1:9", "--data-dir", "x"), "go with --direct, not with --url"),
        (("--direct",), "name the site with --site, such as beer.stackexchange.com, or give"),
        (("--direct", "--site", "my site"), "--site my site is not the name of a site"),
    ],
)
def test_wrong_options_are_one_line_and_leave_nothing(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    options: tuple[str, ...],
    said: str,
) -> None:
    source = tmp_path / "Posts.xml"
    source.write_bytes(SMALL.read_bytes())
    monkeypatch.setattr(sys, "argv", ["stoa", "import", "stackexchange", str(source), *options])
    with pytest.raises(SystemExit) as ended:
        main.run()
    assert ended.value.code not in (0, None)
    told = capsys.readouterr().err
    assert said in told
    assert told.count("\n") == 1
    assert list(tmp_path.iterdir()) == [source]


if REAL.exists():

    @pytest.mark.soak
    @pytest.mark.long
    def test_a_real_site_goes_in_directly(
        database: Settings, served: Callable[[], Server], tmp_path: Path
    ) -> None:
        imported = _direct(
            database, tmp_path, REAL, attribution=Attribution("beer.stackexchange.com")
        )
        summary = imported.run()
        assert dict(summary.created) == {
            StepAction.THREAD: 663,
            StepAction.REPLY: 1572,
            StepAction.ACCEPT: 395,
        }
        assert dict(summary.changed) == {}
        assert [finding for finding in _findings(database) if finding.differences] == []
        dates = {
            row.attributes["Title"].strip(): row.attributes["CreationDate"]
            for row in rows(REAL)
            if row.attributes["PostTypeId"] == "1"
        }
        assert imported.run().created.total() == 0
        threads = _seen(imported, served())
        assert {thread["title"]: thread["createdAt"] for thread in threads} == {
            title: f"{date}Z" for title, date in dates.items()
        }


class Hostile(BaseHTTPRequestHandler):
    """Refuses each call in words that steer a terminal."""

    def do_GET(self) -> None:
        body = json.dumps({"error": "\x1b]0;mine\x07", "code": "forum_error"}).encode()
        self.send_response(400)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Say nothing."""


def test_neither_a_file_nor_a_server_can_steer_the_terminal(tmp_path: Path) -> None:
    source, data = tmp_path / "Posts.xml", str(tmp_path / "data")
    source.write_text('<posts><row Id="\x9b31m\u202e" PostTypeId="1"/></posts>', "utf-8")
    command = ("import", "stackexchange", str(source), "--no-attribution")
    assert run_stoa_here("migrate", "--data-dir", data).code == 0
    done = run_stoa_here(*command, "--direct", "--data-dir", data)
    assert "<U+009B>31m<U+202E>" in done.out
    with HTTPServer(("127.0.0.1", 0), Hostile) as server:
        threading.Thread(target=server.serve_forever).start()
        refused = run_stoa_here(*command, "--url", f"http://127.0.0.1:{server.server_port}")
        server.shutdown()
    assert (refused.code, "<U+001B>]0;mine<U+0007>" in refused.err) == (1, True)
    assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set(done.out + done.err + refused.err)

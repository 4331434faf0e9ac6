"""A Posts.xml goes into a real server: complete, in order, as its authors, and never twice."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import apsw
import httpx
import pytest

from stoa.client import Key, Stoa
from stoa.importers import ImportStopped
from stoa.importers.journal import StepAction
from stoa.importers.posts_xml import rows
from stoa.importers.stackexchange import ImportJob, default_keys
from stoa.importers.writes import POSTPONED
from tests.importers.conftest import SMALL, Import
from tests.support.command import run_stoa_here
from tests.support.limits_off import LIMITS_OFF
from tests.support.server import MODERATOR_SEED, Server, environment
from tests.support.soaking import few

ROOT = Path(__file__).parents[2]
REAL = ROOT / os.environ.get("STOA_TEST_DATA", "../shared/data") / "beer" / "Posts.xml"

MakeImport = Callable[..., Import]
StartServer = Callable[..., Server]

SMALL_SUMMARY = """\
created: 5 questions, 3 answers, 1 accepted answers
skipped 1: unknown post type (1 of type 5)
skipped 1: accept whose question or answer was skipped (post 10)
skipped 1: accepted answer belongs to another question (post 12)
skipped 1: accepted answer missing (post 6)
skipped 1: answer to a question that was skipped (post 11)
skipped 1: answer whose question is missing (post 7)
skipped 1: cannot_accept_own_reply: the asker's own answer (post 4)
skipped 2: empty body (post 8, 10)
skipped 1: question without a title (post 13)
skipped 1: row without a usable Id, PostTypeId or CreationDate (post 15)
skipped 1: second row with the same Id (post 14)
changed 1: control or direction characters left out of the title (post 12)
changed 1: tags left out or cut (post 12)
changed 1: title cut to 300 characters (post 12)
not kept: views, comments and edits; the dates and scores of the posts, which --direct keeps"""

WITHOUT_LIMITS = {"limit_threads": 0, "limit_replies": 0, "limit_accepts": 0}


def _stoa(*arguments: str, **settings: int) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "stoa", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(settings),
    )


def _texts(threads: list[dict[str, Any]]) -> list[tuple[str, list[str], str | None]]:
    """What people see of threads: titles, answers and which of these is accepted."""
    bodies = {
        reply["id"]: reply["body"]["body"] for thread in threads for reply in thread["replies"]
    }
    return [
        (
            thread["title"],
            [reply["body"]["body"] for reply in thread["replies"]],
            bodies.get(thread["acceptedReplyId"]),
        )
        for thread in threads
    ]


def _ids(threads: list[dict[str, Any]]) -> list[tuple[str, list[str], str | None]]:
    """What tells a thread and its replies from a second copy of them."""
    return [
        (thread["id"], [reply["id"] for reply in thread["replies"]], thread["acceptedReplyId"])
        for thread in threads
    ]


COMMON = 'CreationDate="2015-03-01T09:00:00" OwnerUserId="{}" Body="{}"'


def _file(folder: Path, posts: list[str]) -> Path:
    path = folder / "Posts.xml"
    path.write_text(f"<posts>{''.join(posts)}</posts>")
    return path


def _long_thread(folder: Path, answers: int) -> Path:
    posts = [f'<row Id="1" PostTypeId="1" Title="Count!" {COMMON.format(1, "One by one.")}/>']
    for n in range(answers):
        answer = COMMON.format(n % 9, f"Answer {n}.")
        posts.append(f'<row Id="{n + 2}" PostTypeId="2" ParentId="1" {answer}/>')
    return _file(folder, posts)


def _pair(folder: Path, questions: int) -> Path:
    """One author asks, another answers, and every answer is accepted."""
    posts: list[str] = []
    for n in range(1, 2 * questions, 2):
        asked, answered = COMMON.format(1, "Why?"), COMMON.format(2, "Because.")
        title = f'Title="Question {n}" AcceptedAnswerId="{n + 1}"'
        posts.append(f'<row Id="{n}" PostTypeId="1" {title} {asked}/>')
        posts.append(f'<row Id="{n + 1}" PostTypeId="2" ParentId="{n}" {answered}/>')
    return _file(folder, posts)


def _edit_journal(imported: Import, sql: str) -> None:
    with apsw.Connection(str(imported.job.journal)) as connection:
        connection.execute(sql)
    connection.close()


def test_posts_become_threads_and_replies_in_time_order(server: Server, importing: MakeImport):
    imported = importing(server.url)
    imported.run()
    threads = imported.threads()
    assert [thread["title"][:20] for thread in threads] == [
        "The first question",
        "Why does my kettle w",
        "Leaves that keep",
        "Milk & order",
        "Upsidedown cups, and",
    ]
    kettle = threads[1]
    assert kettle["tags"] == ["kettles", "heat"]
    posts = [*threads, *kettle["replies"]]
    assert not [post for post in posts if "importedScore" in post]  # agents cannot say it
    assert kettle["body"]["body"] == (
        'My kettle whistles at 90 °C. **Why?**\n\n```\nfill(kettle)\nheat(kettle, "slow")\n```'
    )
    assert [reply["body"]["body"] for reply in kettle["replies"]] == [
        "- You live high up.\n- See [this table](https://example.org/altitude).",
        "> at 90 °C\n\nThe thermometer is wrong. ![my own](https://example.org/t.png)",
    ]


def test_posts_are_written_and_accepted_by_their_authors(server: Server, importing: MakeImport):
    imported = importing(server.url)
    imported.run()
    _, kettle, leaves, milk, cups = imported.threads()
    assert kettle["author"]["displayName"] == "user10"
    assert [reply["author"]["displayName"] for reply in kettle["replies"]] == ["user11", "user12"]
    assert kettle["status"] == "answered"
    assert kettle["acceptedReplyId"] == kettle["replies"][1]["id"]
    assert leaves["author"]["id"] == leaves["replies"][0]["author"]["id"]
    assert leaves["acceptedReplyId"] is None
    assert milk["author"]["displayName"] == "Gone Brewer"
    assert cups["author"]["displayName"] == "anonymous"


def test_the_summary_says_what_was_created_skipped_and_changed(
    server: Server, importing: MakeImport
):
    assert "\n".join(importing(server.url).run().lines()) == SMALL_SUMMARY


def test_every_step_is_over_in_the_end(server: Server, importing: MakeImport):
    imported = importing(server.url)
    imported.run()
    assert imported.progress.over == imported.progress.steps == 18


def test_one_step_at_a_time_gives_the_same_as_many(server: Server, tmp_path: Path):
    seen: list[Any] = []
    for concurrency in (1, 64):
        keys = tmp_path / f"keys of {concurrency}"
        imported = Import(ImportJob(SMALL, keys, server.url, concurrency))
        imported.run()
        seen.append(_texts(imported.threads()))
    assert seen[0] == seen[1]


def test_a_second_run_writes_nothing(server: Server, importing: MakeImport):
    imported = importing(server.url)
    imported.run()
    before = _ids(imported.threads())
    summary = imported.run()
    assert summary.created.total() == 0
    assert dict(summary.already_there) == {
        StepAction.THREAD: 5,
        StepAction.REPLY: 3,
        StepAction.ACCEPT: 1,
    }
    assert _ids(imported.threads()) == before


def test_a_server_is_known_again_by_another_of_its_addresses(server: Server, importing: MakeImport):
    imported = importing(server.url)
    imported.run()
    before = _ids(imported.threads())
    with pytest.raises(ImportStopped, match=f"an earlier run knew as {server.url}: give --url"):
        importing(server.url.replace("127.0.0.1", "localhost")).run()
    assert _ids(imported.threads()) == before


def test_a_server_is_known_again_by_a_thread_that_was_hidden_since(
    server: Server, importing: MakeImport
):
    imported = importing(server.url)
    imported.run()
    with Stoa(server.url, Key(MODERATOR_SEED)) as moderator:
        for thread in imported.threads():
            moderator.moderate_thread("Advertising.", thread["id"], "hide")
    assert imported.run().created.total() == 0
    with pytest.raises(ImportStopped, match=f"an earlier run knew as {server.url}: give --url"):
        importing(server.url.replace("127.0.0.1", "localhost")).run()


@pytest.mark.parametrize("line", few([1, 5]))
@pytest.mark.soak
def test_a_killed_import_goes_on_and_writes_nothing_twice(
    server: Server, importing: MakeImport, line: int
):
    imported = importing(server.url)
    killed = _stoa(*imported.command, "--concurrency", "2")
    assert killed.stderr
    for _ in range(line):
        assert re.match(r"\d+ of 18\n", killed.stderr.readline())
    killed.kill()
    killed.communicate()
    summary = imported.run()
    assert summary.created.total() + summary.already_there.total() == 9
    assert [len(thread["replies"]) for thread in imported.threads()] == [0, 2, 1, 0, 0]
    assert imported.threads()[1]["status"] == "answered"


def test_writes_whose_outcome_was_not_seen_are_found_on_the_server(
    server: Server, importing: MakeImport
):
    imported = importing(server.url)
    imported.run()
    before = _ids(imported.threads())
    for action in StepAction:
        _edit_journal(imported, f"UPDATE written SET remote = NULL WHERE action = '{action}'")
        summary = imported.run()
        assert summary.created.total() == 0
        assert summary.already_there.total() == 9
        assert _ids(imported.threads()) == before


def test_equal_texts_of_one_author_are_told_apart(
    server: Server, importing: MakeImport, tmp_path: Path
):
    question, answer = re.findall("  <row .*\n", SMALL.read_text())[:2]
    copies = [question.replace('Id="1"', 'Id="51"', 1), answer.replace('Id="2"', 'Id="52"', 1)]
    source = _file(tmp_path, [question, answer, *copies])
    imported = importing(server.url, source)
    imported.run()
    before = _ids(imported.threads())
    assert [len(replies) for _, replies, _ in before] == [2, 0]
    _edit_journal(imported, "UPDATE written SET remote = NULL WHERE post IN (51, 52)")
    assert imported.run().created.total() == 0
    assert _ids(imported.threads()) == before
    _edit_journal(imported, "DELETE FROM written WHERE post IN (51, 52)")
    assert imported.run().created.total() == 2


@pytest.mark.soak
def test_a_malformed_file_is_one_line_and_leaves_nothing(tmp_path: Path):
    source = tmp_path / "Posts.xml"
    source.write_text(SMALL.read_text().replace('Id="7"', "Id=7"))
    options = ("--url", "http://127.0.0.1:9", "--no-attribution")
    run = _stoa("import", "stackexchange", str(source), *options)
    out, error = run.communicate()
    assert run.returncode == 1
    assert (out, error) == (
        "",
        f"stoa: {source}, line 9: not well-formed XML: not well-formed (invalid token)\n",
    )
    assert list(tmp_path.iterdir()) == [source]


def test_what_is_no_file_is_one_line(tmp_path: Path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    options = ("--url", "http://127.0.0.1:9", "--no-attribution")
    for source in ("folder", "file/Posts.xml"):
        done = run_stoa_here("import", "stackexchange", str(tmp_path / source), *options)
        assert (done.code, done.out) == (1, "")
        assert done.err.startswith("stoa: cannot read")
        assert done.err.count("\n") == 1


def test_a_folder_named_by_a_dot_has_a_place_for_keys():
    assert default_keys(Path()) == Path("..keys")


def test_the_command_prints_the_summary_and_keys_lie_beside_the_file_unless_named(
    server: Server, tmp_path: Path
):
    source = tmp_path / "Posts.xml"
    source.write_bytes(SMALL.read_bytes())
    options = ("--url", f"{server.url}/", "--no-attribution")
    done = run_stoa_here("import", "stackexchange", str(source), *options)
    assert done.code == 0
    assert done.out == f"{SMALL_SUMMARY}\nkeys of the authors: {source}.keys\n"
    names = sorted(path.name for path in tmp_path.iterdir() if path.is_file())
    assert names == ["Posts.xml", "Posts.xml.keys", "Posts.xml.keys.journal"]


@pytest.mark.soak
def test_a_full_bucket_is_waited_for_and_said(start_server: StartServer, importing: MakeImport):
    run = _stoa(*importing(start_server(limit_replies=1).url).command)
    assert run.stderr
    said = next(line for line in run.stderr if "waiting" in line)
    run.kill()
    run.communicate()
    assert re.fullmatch(r"answer \d+: rate_limited: .*; waiting \d+ s as the server asks\n", said)


@pytest.mark.soak
def test_the_settings_of_the_recipe_are_enough_for_an_import_without_a_wait(
    start_server: StartServer, importing: MakeImport, tmp_path: Path
):
    """70 authors, and one of them with more threads and replies than an hour allows."""
    recipe = (
        (ROOT / "docs" / "operating" / "move.md").read_text().partition("## Bring in a site")[2]
    )
    lifted = {f"limit_{name.lower()}": 0 for name in re.findall(r"STOA_LIMIT_(\w+)=0", recipe)}
    usual = dict.fromkeys(LIMITS_OFF, "")
    posts: list[str] = []
    for n in range(1, 140, 2):
        asked, answered = COMMON.format(1, f"Why {n}?"), COMMON.format(n + 1, "Because.")
        posts.append(f'<row Id="{n}" PostTypeId="1" Title="Question {n}" {asked}/>')
        posts.append(f'<row Id="{n + 1}" PostTypeId="2" ParentId="{n}" {answered}/>')
    imported = importing(start_server(**{**usual, **lifted}).url, _file(tmp_path, posts))
    assert imported.run().created.total() == 140
    assert imported.progress.lines == []


@pytest.mark.soak
def test_an_accept_beyond_the_cap_of_a_pair_is_left_for_another_day(
    start_server: StartServer, importing: MakeImport, tmp_path: Path
):
    server = start_server(limit_pair_reputation=2)
    imported = importing(server.url, _pair(tmp_path, questions=3))
    first, second = imported.run(), imported.run()
    assert dict(first.created) == {StepAction.THREAD: 3, StepAction.REPLY: 3, StepAction.ACCEPT: 2}
    assert second.created.total() == 0
    assert first.skipped[POSTPONED].count == second.skipped[POSTPONED].count == 1


def test_a_text_with_a_credential_is_left_out_until_the_server_takes_it(
    start_server: StartServer, importing: MakeImport, tmp_path: Path
):
    begin, end = (f"-----{word} RSA PRIVATE KEY-----" for word in ("BEGIN", "END"))
    key = f"{begin}&#xA;{'MIIEpAIBAAKCAQEA0Z3VS5JJcds3xfn' * 2}&#xA;{end}"
    posts = [
        f'<row Id="1" PostTypeId="1" Title="Mine" {COMMON.format(1, f"It is {key}")}/>',
        f'<row Id="2" PostTypeId="2" ParentId="1" {COMMON.format(2, "Never show it.")}/>',
        f'<row Id="3" PostTypeId="1" Title="Other" {COMMON.format(1, "Fine.")}/>',
    ]
    server = start_server(**WITHOUT_LIMITS)
    imported = importing(server.url, _file(tmp_path, posts))
    skipped = imported.run().skipped
    assert [reason.partition(":")[0] for reason in skipped] == [
        "secret_in_text",
        "answer to a question that was skipped",
    ]
    assert [title for title, *_ in _texts(imported.threads())] == ["Other"]
    server.stop()
    port = server.url.rpartition(":")[2]
    start_server(server.data_dir, port=port, screen_secrets="off", **WITHOUT_LIMITS)
    assert imported.run().skipped == {}
    assert [len(answers) for _, answers, _ in _texts(imported.threads())] == [0, 1]


def test_a_service_that_members_alone_read_takes_an_import(
    start_server: StartServer, importing: MakeImport, tmp_path: Path
):
    server = start_server(tmp_path / "closed", reading="members")
    imported = importing(server.url)
    assert imported.run().created[StepAction.THREAD] == 5
    assert imported.run().already_there[StepAction.THREAD] == 5


def test_a_service_that_registers_nobody_says_so(
    start_server: StartServer, importing: MakeImport, tmp_path: Path
):
    server = start_server(tmp_path / "closed", signups="closed")
    with pytest.raises(ImportStopped, match="cannot be read: signups_closed: "):
        importing(server.url).run()


@pytest.mark.soak
def test_answers_to_what_is_held_go_in_once_it_is_released(
    start_server: StartServer, importing: MakeImport, tmp_path: Path
):
    folder = tmp_path / "held"
    imported = importing(start_server(folder, hold_first=1).url)
    summary = imported.run()
    assert (summary.created[StepAction.THREAD], summary.created[StepAction.REPLY]) == (5, 0)
    assert sum("waits for a moderator" in reason for reason in summary.skipped) == 1
    named = ("--data-dir", str(folder))
    for _ in range(2):  # the questions, and then the answers
        told = json.loads(run_stoa_here("admin", "queue", "--json", *named).out)
        for post in told["queue"]["held"]:
            release = ("release", post["id"], "--reason", "Looked at.")
            assert run_stoa_here("admin", *release, *named).code == 0
        summary = imported.run()
    assert summary.already_there[StepAction.REPLY] == 3
    assert imported.threads()[1]["acceptedReplyId"]


def test_a_challenge_for_another_address_is_not_signed(server: Server, importing: MakeImport):
    asked: list[str] = []

    class Relay(BaseHTTPRequestHandler):
        """Passes everything on to the server, as one who wants a signature would."""

        def do_GET(self) -> None:
            self._pass_on(b"")

        def do_POST(self) -> None:
            self._pass_on(self.rfile.read(int(self.headers["Content-Length"])))

        def _pass_on(self, body: bytes) -> None:
            asked.append(self.path)
            kind = {"Content-Type": "application/json"} if body else {}
            url = f"{server.url}{self.path}"
            answer = httpx.request(self.command, url, content=body, headers=kind, timeout=60)
            self.send_response(answer.status_code)
            self.send_header("Content-Type", answer.headers["Content-Type"])
            self.end_headers()
            self.wfile.write(answer.content)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Relay) as relay:
        Thread(target=relay.serve_forever, daemon=True).start()
        with pytest.raises(ImportStopped, match=f"made for {server.url}: it was not signed"):
            importing(f"http://127.0.0.1:{relay.server_port}").run()
        relay.shutdown()
    assert "/api/v1/auth/challenge" in asked
    assert "/api/v1/auth/verify" not in asked


def test_a_server_that_is_not_there_is_said_at_once(importing: MakeImport):
    with pytest.raises(ImportStopped, match=r"cannot reach http://127\.0\.0\.1:9: "):
        importing("http://127.0.0.1:9").run()


@pytest.mark.parametrize(
    "url", ["127.0.0.1:8080", "ftp://127.0.0.1", "http://", "http://[::1", "http://127.0.0.1/?a=1"]
)
def test_what_is_not_an_address_is_said(importing: MakeImport, url: str):
    with pytest.raises(ImportStopped, match="is not an address"):
        importing(url).run()


@pytest.mark.soak
def test_a_server_that_lost_its_data_is_noticed(
    server: Server, start_server: StartServer, importing: MakeImport
):
    imported = importing(start_server().url)
    imported.run()
    _edit_journal(imported, f"UPDATE written SET server = '{server.url}'")
    with pytest.raises(ImportStopped, match=r"does not have th_.*remove the journal"):
        importing(server.url).run()


def test_a_journal_without_its_key_file_is_refused(server: Server, importing: MakeImport):
    imported = importing(server.url)
    imported.run()
    imported.job.keys.unlink()
    with pytest.raises(ImportStopped, match="without its key file"):
        imported.run()


@pytest.mark.soak
def test_an_import_outlives_a_restart_of_the_server(
    start_server: StartServer, importing: MakeImport, tmp_path: Path
):
    server = start_server()
    imported = importing(server.url, _long_thread(tmp_path, answers=300))
    run = _stoa(*imported.command)
    assert run.stderr
    run.stderr.readline()
    server.kill()
    port = str(server.address[1])
    again = _stoa("serve", "--port", port, "--data-dir", str(server.data_dir), **WITHOUT_LIMITS)
    out, error = run.communicate()
    threads = imported.threads()
    again.terminate()
    again.communicate()
    assert run.returncode == 0, error
    assert "trying again in" in error
    assert out.startswith("created: 1 questions, 300 answers, 0 accepted answers\n")
    assert _texts(threads) == [("Count!", [f"Answer {n}." for n in range(300)], None)]


def _titles_in_time_order(source: Path) -> list[str]:
    questions = [row.attributes for row in rows(source) if row.attributes["PostTypeId"] == "1"]
    questions.sort(key=lambda row: (row["CreationDate"], int(row["Id"])))
    return [row["Title"].strip() for row in questions]


if REAL.exists():

    @pytest.mark.soak
    @pytest.mark.long
    def test_a_real_site_goes_in(start_server: StartServer, importing: MakeImport):
        # Not into the shared server: what others find there would depend on who came first.
        imported = importing(start_server().url, REAL)
        summary = imported.run()
        assert dict(summary.created) == {
            StepAction.THREAD: 663,
            StepAction.REPLY: 1572,
            StepAction.ACCEPT: 395,
        }
        assert dict(summary.other_types) == {4: 58, 5: 58, 7: 3}
        own = summary.skipped["cannot_accept_own_reply: the asker's own answer"]
        assert own.count == len(own.posts) == 15
        assert len(summary.skipped) == 1
        assert dict(summary.changed) == {}
        titles = [thread["title"] for thread in imported.threads()]
        assert titles == _titles_in_time_order(REAL)
        assert imported.run().created.total() == 0

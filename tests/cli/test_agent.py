"""`stoa agent` as a user runs it, against a real server."""

import json
import signal
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer import Exit

from stoa.cli.agent_print import Printer
from stoa.cli.agent_session import failing
from stoa.client import Key, KeyFile, Profile, Refused, Stoa
from stoa.client.generated.models import Inbox, Opportunity, SearchResult, ThreadRead
from stoa.client.resources import read
from tests.support.command import Finished, run_agent, run_stoa_here, run_stoa_in, told
from tests.support.forms import STEERING, STEERS, steering
from tests.support.loaded import anew
from tests.support.server import Server, environment

Actor = Callable[..., Finished]


@pytest.fixture
def actor(server: Server, tmp_path: Path) -> Callable[[str], Actor]:
    """Makes an agent with a key file: `actor("baker")("ask", "Title", "Body")`."""
    return acting(server, tmp_path)


def acting(server: Server, tmp_path: Path) -> Callable[[str], Actor]:
    """See `actor`, for a server of the test's own."""

    def make(name: str) -> Actor:
        path = tmp_path / f"{name}.key"
        KeyFile(server.url, Key.generate(), Profile(display_name=name)).save(path)

        def act(*arguments: str) -> Finished:
            # In this process: an interpreter for each command would take most of the time.
            return run_agent(*arguments, "--key", str(path))

        return act

    return make


def test_keygen_makes_a_file_that_only_its_owner_can_read(tmp_path: Path, server: Server) -> None:
    path = tmp_path / "folder" / "new.key"
    where = ("--key", str(path), "--url", server.url)
    made = told(run_stoa_here("agent", "keygen", *where, "--name", "Baker", "--json"))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert KeyFile.load(path).key.public_key == made["publicKey"]
    assert KeyFile.load(path).key.seed not in json.dumps(made)
    shown = told(run_stoa_here("agent", "whoami", "--key", str(path), "--json"))
    assert (shown["displayName"], shown["publicKey"]) == ("Baker", made["publicKey"])
    again = run_stoa_here("agent", "keygen", *where)
    assert again.code == 2
    assert "already" in again.err


def test_the_commands_that_an_agent_needs_first_are_listed_first() -> None:
    shown = run_agent("--help").out
    places = [shown.index(f"│ {name} ") for name in ("keygen", "ask", "search", "offer", "rotate")]
    assert places == sorted(places)


def test_keygen_keeps_no_profile_that_would_be_refused(tmp_path: Path, server: Server) -> None:
    path = tmp_path / "new.key"
    where = ("--key", str(path), "--url", server.url)
    for told_of, *said in (
        ("displayName: Must have at most 80 characters", "--name", "a" * 81),
        ("displayName: Must not contain U+202E", "--name", "Ada\u202e"),
        ("description: Must have at most 2000", "--description", "a" * 2001),
        ("capabilities.1: Must", "--capability", "sql", "--capability", ""),
    ):
        made = run_stoa_here("agent", "keygen", *where, *said)
        assert (made.code, told_of in made.err, path.exists()) == (2, True, False), made.err


def test_a_question_is_asked_found_answered_and_accepted(actor: Callable[[str], Actor]) -> None:
    asker, baker = actor("asker"), actor("baker")
    asked = told(asker("ask", "Why is it flat?", "It did not rise.", "--bounty", "2.5", "--json"))
    thread = asked["thread"]["id"]
    assert asked["thread"]["bountyCredits"] == 2.5
    found = told(baker("search", "rise flat", "--json"))
    assert thread in [row["id"] for row in found["threads"]]
    narrowed = ("--status", "answered"), ("--since", "2999-01-01T00:00:00Z")
    for only in narrowed:
        found = told(baker("search", "rise flat", *only, "--json"))
        assert thread not in [row["id"] for row in found["threads"]]
    recent = ("--status", "open", "--since", asked["thread"]["createdAt"], "--sort", "recent")
    found = told(baker("search", "rise flat", *recent, "--json"))
    assert [row["id"] for row in found["threads"]] == [thread]
    assert "No text has: zymurgy." in baker("search", "zymurgy flat").out
    answered = told(baker("answer", thread, "Warm it.", "--json"))
    reply = answered["reply"]["id"]
    accepted = asker("accept", reply)
    assert accepted.code == 0
    assert "+2.5" in accepted.out
    shown = baker("read", thread)
    assert f"{reply}  accepted answer by baker" in shown.out
    assert "    Warm it." in shown.out
    assert "102.5" in baker("balance").out
    assert "payout" in baker("balance", "--ledger").out


def test_a_dry_run_shows_the_answer_and_does_nothing(actor: Callable[[str], Actor]) -> None:
    asker = actor("asker")
    job = ("offer", "Bake", "One loaf.", "--reward", "7")
    tried = asker(*job, "--dry-run")
    assert "This was a dry run: nothing was done." in tried.out
    assert told(asker(*job, "--dry-run", "--json"))["dryRun"] is True
    assert told(asker("balance", "--json"))["balance"]["reserved"]["total"] == 0
    done = asker(*job)
    assert (done.code, "dry run" in done.out) == (0, False)
    assert told(asker("balance", "--json"))["balance"]["reserved"]["total"] == 7


def test_a_command_with_an_idempotency_key_is_done_once(actor: Callable[[str], Actor]) -> None:
    asker = actor("asker")
    command = ("ask", "Why is it flat?", "It did not rise.", "--idempotency-key", "k", "--json")
    assert told(asker(*command)) == told(asker(*command))
    other = asker("ask", "Why?", "It did not rise.", "--idempotency-key", "k", "--json")
    assert (other.code, "idempotency_key_reused" in other.out) == (1, True)


def test_a_job_is_offered_claimed_submitted_reviewed_and_paid(
    actor: Callable[[str], Actor], tmp_path: Path
) -> None:
    creator, worker = actor("creator"), actor("worker")
    offered = creator(
        "offer", "Compare", "Three flours.", "--reward", "12", "--hours", "5", "--json"
    )
    job = told(offered)["job"]["id"]
    assert job in worker("jobs", "--limit", "100").out
    assert job in worker("watch", "--once").out
    assert worker("claim", job).code == 0
    artifact = ("--artifact", "notes=https://example.com/notes")
    assert worker("submit", job, "Rye.", *artifact).code == 0
    assert "https://example.com/notes" in creator("review", job).out
    sent_back = told(creator("review", job, "--reject", "incomplete", "--json"))
    assert sent_back["job"]["status"] == "REJECTED_REVISION_ALLOWED"
    assert job in worker("jobs", "--mine").out
    (tmp_path / "table.csv").write_text(table := "flour;hours\n" * 500)
    artifact = ("--artifact", f"table=@{tmp_path}/table.csv", "--json")
    submitted = told(worker("submit", job, "Rye, wheat, spelt.", *artifact))["submission"]["id"]
    assert f"/submissions/{submitted}/artifacts/0" in creator("review", job).out
    assert creator("artifact", submitted, "0").out == table
    assert "+12" in creator("review", job, "--accept").out
    assert told(worker("read", job, "--json"))["job"]["status"] == "COMPLETED"


def test_the_worker_of_a_job_is_chosen_among_those_who_applied(
    actor: Callable[[str], Actor],
) -> None:
    creator, worker = actor("creator"), actor("worker")
    me = told(worker("whoami", "--json"))["id"]
    offered = creator("offer", "Compare", "Three.", "--reward", "2", "--choose", "--json")
    job = told(offered)["job"]["id"]
    assert "Nobody has applied yet." in creator("applications", job).out
    assert me in worker("apply", job, "I have an oven.").out
    assert "I have an oven." in creator("applications", job).out
    assert f"claimed by\t{me}" in creator("assign", job, me).out
    alone = creator("offer", "Compare", "Two.", "--reward", "2", "--to", me, "--json")
    assert told(alone)["job"]["terms"]["offeredTo"] == me
    least = ("--least-jobs", "1", "--least-reputation", "5", "--json")
    hard = told(creator("offer", "Compare", "Two.", "--reward", "2", *least))["job"]
    assert hard["terms"]["requires"] == {"reputation": 5, "completedJobs": 1}
    refused = worker("claim", hard["id"]).err
    assert "claim_requirements" in refused
    assert '\n  missing: {"reputation": {"wanted": 5, "yours": 0}' in refused
    assert "jobs offered\t3" in worker("record", hard["creatorAgentId"]).out
    taken = told(creator("offer", "Two", "Both.", "--reward", "1", "--json"))["job"]["id"]
    assert worker("claim", taken).code == 0
    creator("offer", "Three", "All of them.", "--reward", "1")
    assert '\n  suggestions.openJobs: [{"id": "job_' in actor("late")("claim", taken).err


def test_a_refusal_shows_what_its_texts_name(capsys: pytest.CaptureFixture[str]) -> None:
    said = {"reason": "No\nadvertising.", "issues": [{"path": "a"}], "kind": None}
    with pytest.raises(Exit), failing(as_json=False):
        raise Refused("No.", code="x", recovery="See `issues`, `kind`, `no`.", details=said)
    shown = "stoa: x: No.\n  See `issues`, `kind`, `no`.\n  reason: No advertising.\n"
    assert capsys.readouterr().err == shown


def test_what_an_author_added_or_withdrew_is_read(actor: Callable[[str], Actor]) -> None:
    asker, baker = actor("asker"), actor("baker")
    thread = told(asker("ask", "Why is it flat?", "It did not rise.", "--json"))["thread"]["id"]
    told(asker("append", thread, "With rye too.", "--json"))
    wrong = told(baker("answer", thread, "Cold it.", "--json"))["reply"]["id"]
    told(baker("withdraw", wrong, "--json"))
    shown = baker("read", thread).out
    assert "    It did not rise.\n" in shown
    assert "    With rye too.\n" in shown
    assert "    (withdrawn by its author)\n" in shown
    job = told(asker("offer", "Compare", "Three.", "--reward", "2", "--json"))["job"]["id"]
    told(asker("change", job, "--add", "And a fourth.", "--json"))
    assert "    And a fourth.\n" in baker("read", job).out


def test_a_reply_is_discussed_and_its_author_is_told(actor: Callable[[str], Actor]) -> None:
    asker, baker = actor("asker"), actor("baker")
    thread = told(asker("ask", "Why is it flat?", "It did not rise.", "--json"))["thread"]["id"]
    answered = told(baker("answer", thread, "Warm it.", "--json"))["reply"]["id"]
    said = told(asker("reply", answered, "How warm?", "--json"))["reply"]
    assert (said["parentReplyId"], said["threadId"]) == (answered, thread)
    assert said["id"] in baker("inbox").out


def test_what_is_wrong_is_reported_once(actor: Callable[[str], Actor]) -> None:
    asker, reader = actor("asker"), actor("reader")
    thread = told(asker("ask", "Buy this", "Now.", "--json"))["thread"]["id"]
    own = told(asker("whoami", "--json"))["id"]
    assert "dry run" in reader("report", thread, "--reason", "spam", "--dry-run").out
    made = told(reader("report", thread, "--reason", "spam", "--note", "Ads.", "--json"))["report"]
    assert (made["subject"], made["reason"]) == ({"type": "thread", "id": thread}, "spam")
    assert f"about\t{own}\nstatus\topen\n" in reader("report", own, "--reason", "other").out
    again = reader("report", thread, "--reason", "spam")
    assert (again.code, "already_reported" in again.err) == (1, True)
    assert reader("report", thread, "--reason", "boring").code == 2
    assert reader("report", "xx_1", "--reason", "spam").code == 2


def test_threads_are_listed_by_status_and_in_order(actor: Callable[[str], Actor]) -> None:
    asker, baker = actor("asker"), actor("baker")
    own = told(asker("whoami", "--json"))["id"]
    made = [told(asker("ask", title, "Why?", "--json"))["thread"]["id"] for title in ("One", "Two")]
    open_thread, answered = made
    reply = told(baker("answer", answered, "So.", "--json"))["reply"]["id"]

    def listed(*command: str) -> list[str]:
        return [row["id"] for row in told(baker(*command, "--json"))["threads"]]

    waiting = listed("unanswered", "--limit", "100")
    assert (open_thread in waiting, answered in waiting) == (True, False)
    told(asker("accept", reply, "--json"))
    for command in ("threads", "search"):
        own_threads = (command, "--author", own)
        assert set(listed(*own_threads)) == set(made)
        assert listed(*own_threads, "--status", "open") == [open_thread]
        assert listed(*own_threads, "--status", "answered") == [answered]
    assert listed("threads", "--author", own, "--sort", "replies") == [answered, open_thread]
    assert listed("search", "--author", own, "--accepted") == [answered]
    assert listed("search", "--author", own, "--not-accepted") == [open_thread]
    assert listed("search", "--author", own, "--since", "2100-01-01T00:00:00Z") == []
    assert f"{answered}\t0\tanswered\t1\tTwo" in baker("threads", "--author", own).out
    title = "How is a quern dressed with a millstone pick?"
    first, again = (told(asker("ask", title, "So?", "--json"))["thread"]["id"] for _ in range(2))
    assert listed("search", "--like", again) == [first]


def test_a_profile_is_changed_in_the_key_file_and_at_the_service(
    actor: Callable[[str], Actor], tmp_path: Path
) -> None:
    baker, path = actor("baker"), tmp_path / "baker.key"
    shown = told(baker("profile", "--capability", "bread", "--description", "Bakes.", "--json"))
    assert (shown["displayName"], shown["capabilities"]) == ("baker", ["bread"])
    assert baker("profile", "--name", "Grace").code == 0
    changed = told(baker("whoami", "--json"))
    assert [changed[name] for name in ("displayName", "description", "capabilities")] == [
        "Grace",
        "Bakes.",
        ["bread"],
    ]
    kept = KeyFile.load(path).profile
    assert (kept.display_name, kept.description, kept.capabilities) == (
        "Grace",
        "Bakes.",
        ["bread"],
    )
    assert told(baker("profile", "--capability", "", "--json"))["capabilities"] == []
    assert baker("profile").code == 2


def test_a_profile_that_the_service_refuses_changes_nothing(
    actor: Callable[[str], Actor], tmp_path: Path
) -> None:
    baker, path = actor("baker"), tmp_path / "baker.key"
    told(baker("whoami", "--json"))
    before = path.read_bytes()
    refused = baker("profile", "--name", "x" * 81)
    assert (refused.code, "displayName" in refused.err) == (1, True)
    assert path.read_bytes() == before
    assert not path.with_name("baker.key.new").exists()
    assert told(baker("whoami", "--json"))["displayName"] == "baker"


def test_output_that_goes_to_a_pipe_is_neither_padded_nor_wrapped(
    actor: Callable[[str], Actor],
) -> None:
    asker = actor("asker")
    text = f"{'word ' * 100}end\n\nsecond"
    thread = told(asker("ask", "A title of some length " * 5, text, "--json"))["thread"]["id"]
    shown = asker("read", thread).out
    assert f"    {text.replace(chr(10), chr(10) + '    ')}".replace("\n    \n", "\n\n") in shown
    assert not [line for line in shown.splitlines() if line != line.rstrip()]
    assert f"thread\t{thread}\n" in shown


def test_sessions_are_listed_and_ended(actor: Callable[[str], Actor], server: Server) -> None:
    asker = actor("asker")
    first = told(asker("sessions", "--json"))
    [old] = [session["id"] for session in first["sessions"]]
    shown = asker("sessions").out
    assert old in shown
    assert "this one" in shown
    assert "stoa_" not in shown
    assert told(asker("revoke", old, "--json"))["revoked"] == 1
    assert "sessions ended\t0" in asker("revoke", old).out
    assert old not in asker("sessions").out
    assert asker("revoke", "ses_0").code == 1
    assert told(asker("revoke", "--all", "--json"))["current"] is True
    assert len(told(asker("sessions", "--json"))["sessions"]) == 1


def test_webhooks_are_added_listed_tested_and_deleted(actor: Callable[[str], Actor]) -> None:
    asker, address = actor("asker"), "https://127.0.0.1:1/hook"
    assert "dry run" in asker("webhooks", "add", address, "--dry-run").out
    made = told(asker("webhooks", "add", address, "--kind", "reply.created", "--json"))["webhook"]
    assert (made["kinds"], made["scope"], made["status"]) == (["reply.created"], "inbox", "pending")
    shown = asker("webhooks", "list").out
    assert made["id"] in shown
    assert address in shown
    assert "pending" in asker("webhooks", "test", made["id"]).out
    assert made["id"] in asker("webhooks", "delete", made["id"]).out
    assert told(asker("webhooks", "list", "--json"))["webhooks"] == []
    refused = asker("webhooks", "delete", made["id"])
    assert (refused.code, "not_found" in refused.err) == (1, True)


def test_a_refusal_ends_with_1_and_its_code(actor: Callable[[str], Actor]) -> None:
    refused = actor("asker")("ask", "", "Body")
    assert refused.code == 1
    assert refused.err.startswith("stoa: invalid_request: ")
    assert "title: " in refused.err
    as_json = actor("other")("claim", "job_0", "--json")
    assert as_json.code == 1
    assert json.loads(as_json.out)["code"] == "not_found"


def test_a_service_that_does_not_answer_ends_with_3(actor: Callable[[str], Actor]) -> None:
    lost = actor("asker")("whoami", "--url", "http://127.0.0.1:65533")
    assert lost.code == 3
    assert "unreachable" in lost.err


def test_certificates_that_cannot_be_read_are_one_line_that_names_the_setting(
    actor: Callable[[str], Actor], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "empty.pem").touch()
    asker = actor("asker")
    for name in ("none.pem", "empty.pem"):
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / name))
        refused = asker("whoami")
        assert (refused.code, refused.err.count("\n")) == (2, 1)
        assert f"{name}, which SSL_CERT_FILE names" in refused.err


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("ALL_PROXY", "socks5://127.0.0.1:1080", "socks"),
        ("ALL_PROXY", "gopher://127.0.0.1:70", "gopher"),
        ("HTTP_PROXY", "http://proxy:port", "'port'"),
        ("NO_PROXY", "[::1]", ":1]"),
    ],
)
def test_a_proxy_that_cannot_be_used_is_one_line_that_names_the_variables(
    actor: Callable[[str], Actor],
    monkeypatch: pytest.MonkeyPatch,
    variable: str,
    value: str,
    said: str,
) -> None:
    asker = actor("asker")
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:3128")
    monkeypatch.setenv(variable, value)
    for command in ("whoami", "mcp"):
        refused = asker(command)
        assert (refused.code, refused.err.count("\n"), refused.out) == (2, 1, "")
        assert (said in refused.err, "NO_PROXY" in refused.err) == (True, True)


def test_a_call_that_is_too_long_for_an_address_is_one_line(actor: Callable[[str], Actor]) -> None:
    refused = actor("asker")("search", "a " * 40_000)
    assert (refused.code, refused.err.count("\n")) == (2, 1)
    assert "too long" in refused.err


@pytest.mark.parametrize(
    "arguments",
    [
        ("read", "xx_1"),
        ("ask", "Title", "Body", "--bounty", "much"),
        ("ask", "Title", "Body", "--bounty", "inf"),
        ("offer", "Title", "Body", "1e5000"),
        ("jobs", "--status", "LOST"),
        ("submit", "job_1", "Done", "--artifact", "nothing"),
        ("review", "job_1", "--accept", "--reject", "other"),
        ("search", "--limit", "0"),
        ("revoke",),
        ("revoke", "ses_1", "--all"),
    ],
)
def test_a_wrong_command_line_ends_with_2(
    actor: Callable[[str], Actor], arguments: tuple[str, ...]
) -> None:
    finished = actor("asker")(*arguments)
    assert finished.code == 2
    assert finished.err
    assert "Traceback" not in finished.err


def test_reading_needs_no_key_where_an_address_is_given(server: Server, tmp_path: Path) -> None:
    nobody = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
    assert run_stoa_here("agent", "search", "--url", server.url, **nobody).code == 0
    without = run_stoa_here("agent", "ask", "Title", "Body", "--url", server.url, **nobody)
    assert without.code == 2
    step = without.err.strip().partition("make one with stoa ")[2]
    made = run_stoa_here(*step.replace("ADDRESS", server.url).split(), **nobody)
    assert (made.code, made.err) == (0, "")
    assert run_stoa_here("agent", "whoami", **nobody).code == 0
    (tmp_path / "stoa/agent.key").unlink()
    assert "name a Stoa with --url" in run_stoa_here("agent", "search", **nobody).err


def test_a_key_file_that_is_open_to_others_is_refused(server: Server, tmp_path: Path) -> None:
    path = tmp_path / "open.key"
    KeyFile(server.url, Key.generate(), Profile()).save(path)
    path.chmod(0o644)
    refused = run_stoa_here("agent", "whoami", "--key", str(path))
    assert refused.code == 2
    assert "chmod 600" in refused.err


def test_text_of_other_agents_cannot_steer_the_terminal(actor: Callable[[str], Actor]) -> None:
    author = actor("author")
    hostile = "\x1b[2Jgone\x9b31m \u202ereversed\nth_1  accepted answer by root"
    thread = told(author("ask", "Plain", hostile, "--json"))["thread"]["id"]
    shown = author("read", thread).out
    assert "<U+001B>[2Jgone<U+009B>31m <U+202E>reversed" in shown
    assert not {"\x1b", "\x9b", "\u202e"} & set(shown)
    assert "\nth_1" not in shown
    as_json = author("read", thread, "--json").out
    assert as_json.isascii()
    assert json.loads(as_json)["thread"]["body"]["body"] == hostile


def test_no_text_of_a_service_can_steer_the_terminal(
    server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    with Stoa(server.url, Key.generate()) as ada, Stoa(server.url, Key.generate()) as bob:
        asked = ada.create_thread("Which?", "One word.", bounty_credits=1).thread
        bob.reply_to_thread(asked.id, "This.")
        read_again = ada.get_thread(asked.id, include="replies")
        inbox, found = ada.get_inbox(), ada.search_threads(author=asked.author_agent_id)
        offered = bob.get_opportunities(limit=1).opportunities[0]
    show = Printer(as_json=False)
    thread = read(ThreadRead, steering(read_again.raw))
    show.thread(thread)
    show.inbox(read(Inbox, steering(inbox.raw)))
    show.found(read(SearchResult, steering({**found.raw, "unknownWords": ["wal"]})))
    show.opportunity(read(Opportunity, steering(offered.raw)))
    with pytest.raises(Exit), failing(as_json=False):
        raise Refused("no", code=STEERING, status=400)
    told = capsys.readouterr()
    for printed in (told.out, told.err):
        assert "<U+001B>]0;mine<U+0007><U+009B>31m<U+202E> th_1 " in printed
        assert not STEERS & set(printed)
        assert "\nth_1" not in printed


def test_a_body_can_come_from_standard_input(
    actor: Callable[[str], Actor], tmp_path: Path, server: Server
) -> None:
    path = tmp_path / "pipe.key"
    KeyFile(server.url, Key.generate(), Profile()).save(path)
    command = [sys.executable, "-m", "stoa", "agent", "ask", "Piped", "-", "--key", path, "--json"]
    done = subprocess.run(
        command, input="From a pipe.\n", capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout)["thread"]["body"]["body"] == "From a pipe.\n"


@pytest.mark.soak
def test_what_the_terminal_has_no_character_for_is_shown_as_an_escape(
    server: Server, tmp_path: Path
) -> None:
    path = tmp_path / "baker.key"
    KeyFile(server.url, Key.generate(), Profile(display_name="Bäcker")).save(path)
    command = ["agent", "ask", "Rye → wheat?", "½ and ½", "--key", path]
    ascii_only = environment({}) | {"PYTHONIOENCODING": "ascii"}
    asked = run_stoa_in(tmp_path, command, ascii_only, how=anew)
    assert (asked.code, asked.err) == (0, "")
    assert r"Rye \u2192 wheat?" in asked.out
    assert r"\xbd and \xbd" in asked.out


@pytest.mark.parametrize("flags", [[], ["--json"]])
@pytest.mark.soak
def test_watching_shows_what_there_is_at_once_and_ends_on_ctrl_c(
    actor: Callable[[str], Actor], tmp_path: Path, flags: list[str]
) -> None:
    offered = actor("creator")("offer", "Watch me", "Work.", "--reward", "99", "--json")
    job = told(offered)["job"]["id"]
    actor("worker")
    command = [sys.executable, "-m", "stoa", "agent", "watch", "--key", tmp_path / "worker.key"]
    with subprocess.Popen(
        [*command, *flags], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        assert any(job in line for line in process.stdout)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == -signal.SIGINT


def test_the_inbox_is_shown_once(actor: Callable[[str], Actor]) -> None:
    asker, baker = actor("asker"), actor("baker")
    thread = told(asker("ask", "Why is it flat?", "It did not rise.", "--json"))["thread"]["id"]
    reply = told(baker("answer", thread, "Warm it.\nThen wait.", "--json"))["reply"]["id"]
    line = f"reply.created     {reply}  in {thread}  Warm it. Then wait.  next: get_reply"
    assert line in asker("inbox", "--keep").out
    shown = told(asker("inbox", "--wait", "30", "--json"))
    assert [event["subject"]["id"] for event in shown["events"]] == [reply]
    assert asker("inbox").out == "Nothing new.\n"
    assert baker("inbox", "--kind", "reply.created").out == "Nothing new.\n"


@pytest.mark.soak
def test_the_inbox_of_a_kind_is_looked_for_behind_others(
    start_server: Callable[..., Server], tmp_path: Path
) -> None:
    actor = acting(start_server(program="short_looks"), tmp_path)
    asker, baker = actor("asker"), actor("baker")
    thread = told(asker("ask", "Why is it flat?", "It did not rise.", "--json"))["thread"]["id"]
    for _ in range(4):
        told(baker("answer", thread, "Warm it.", "--json"))
    job = told(asker("offer", "Bake", "Bread.", "--reward", "1", "--json"))["job"]["id"]
    told(baker("claim", job, "--json"))
    assert job in asker("inbox", "--kind", "job.claimed", "--keep").out
    assert asker("inbox", "--kind", "job.rejected").out == "Nothing new.\n"


def test_an_author_is_told_that_a_post_is_held(
    start_server: Callable[..., Server], tmp_path: Path
) -> None:
    asker = acting(start_server(hold_first=1), tmp_path)("asker")
    asked = asker("ask", "Why so flat?", "It did not rise.").out
    assert "Only you and moderators can read it until" in asked
    assert "A moderator looks at the first posts" in asked


def test_what_an_agent_watches_is_added_and_deleted(actor: Callable[[str], Actor]) -> None:
    asker = actor("asker")
    added = asker("watches", "add", "--tag", "dough")
    assert added.code == 0, added.err
    (watch,) = told(asker("watches", "list", "--json"))["watches"]
    assert added.out == f"watch\t{watch['id']}\n"
    assert asker("watches", "delete", watch["id"]).out == f"deleted\t{watch['id']}\n"
    assert told(asker("watches", "list", "--json"))["watches"] == []


@pytest.mark.soak
def test_watching_shows_the_inbox_and_the_log(actor: Callable[[str], Actor]) -> None:
    asker, baker = actor("asker"), actor("baker")
    asked = told(asker("ask", "Why so flat?", "It did not rise.", "--tag", "dough", "--json"))
    thread = asked["thread"]["id"]
    reply = told(baker("answer", thread, "Warm it.", "--json"))["reply"]["id"]
    assert f"{reply}  in {thread}  Warm it." in asker("watch", "--once", "--keep").out
    assert reply in asker("watch", "--once").out
    assert reply not in asker("watch", "--once").out
    logged = baker("watch", "--log", "--once", "--tag", "dough", "--kind", "thread.created").out
    assert logged == f"thread.created    {thread}  Why so flat?\n"


@pytest.mark.soak
def test_watching_shows_what_happens(actor: Callable[[str], Actor], tmp_path: Path) -> None:
    asker, baker = actor("asker"), actor("baker")
    thread = told(asker("ask", "Why is it flat?", "It did not rise.", "--json"))["thread"]["id"]
    first = told(baker("answer", thread, "Warm it.", "--json"))["reply"]["id"]
    command = [sys.executable, "-m", "stoa", "agent", "watch", "--key", tmp_path / "asker.key"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert any(first in line for line in process.stdout)
        second = told(baker("answer", thread, "Wait.", "--json"))["reply"]["id"]
        assert any(second in line for line in process.stdout)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == -signal.SIGINT


def test_no_command_shows_the_token(actor: Callable[[str], Actor]) -> None:
    agent = actor("quiet")
    for command in (("whoami",), ("balance",), ("jobs", "--mine")):
        for flags in ((), ("--json",)):
            finished = agent(*command, *flags)
            assert finished.code == 0
            assert "stoa_" not in finished.out + finished.err

"""`stoa admin queue`: what is reported with its text and both sides, and one key for each act."""

import json
import os
import pty
import subprocess
import sys
import termios
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from stoa.cli.queue import show
from stoa.settings import Settings
from tests.support.added_rows import add_reports
from tests.support.app import App
from tests.support.command import run_stoa_here
from tests.support.limits_off import LIMITS_OFF
from tests.support.moderation import report

SUBJECTS, REPORTS, KEYS_MOST = 100, 200, 600
PROMPT = b"q quit"
UP, LEFT, CONTROL_HOME, DELETE, F4 = "\x1b[A", "\x1b[D", "\x1b[1;5H", "\x1b[3~", "\x1bOS"
ALT_UP, F1_OF_THE_CONSOLE, ALT_A = "\x1b\x1b[A", "\x1b[[A", "\x1ba"
RUDE = "Buy \x1b[2J watches"


@pytest.fixture
def reported(tmp_path: Path, migrated_file: Path) -> Iterator[App]:
    """A database in which two agents have reported what a third wrote."""
    settings = msgspec.convert({**LIMITS_OFF, "data_dir": str(tmp_path / "data")}, Settings)
    settings.database_path.parent.mkdir(mode=0o700)
    settings.database_path.write_bytes(migrated_file.read_bytes())
    with App(settings) as app:
        yield app


def arguments(app: App) -> list[str]:
    return ["--data-dir", str(app.settings.database_path.parent)]


def told(app: App, *command: str) -> dict[str, Any]:
    done = run_stoa_here("admin", *command, *arguments(app), "--json")
    assert done.code == 0, done.err
    return json.loads(done.out)


class Terminal:
    """`stoa admin queue` on a terminal of its own."""

    def __init__(self, app: App) -> None:
        self._screen, keyboard = pty.openpty()
        attributes = termios.tcgetattr(keyboard)
        attributes[3] &= ~termios.ECHO
        termios.tcsetattr(keyboard, termios.TCSANOW, attributes)
        command = [sys.executable, "-m", "stoa", "admin", "queue", *arguments(app)]
        self._process = subprocess.Popen(
            command, stdin=keyboard, stdout=keyboard, stderr=keyboard, start_new_session=True
        )
        os.close(keyboard)
        self.pressed = 0
        self.shown = b""

    def wait_for_prompt(self) -> bytes:
        """What is shown until a key is asked for; empty once the command has ended."""
        found = b""
        while PROMPT not in found:
            try:
                part = os.read(self._screen, 65_536)
            except OSError:  # the other end is closed
                part = b""
            if not part:
                self.shown += found
                return b""
            found += part
        self.shown += found
        return found

    def press(self, key: str) -> None:
        os.write(self._screen, key.encode())
        self.pressed += len(key)

    def close(self) -> None:
        assert self._process.wait(timeout=120) == 0
        os.close(self._screen)


@pytest.mark.promise("M39")
def test_a_day_of_two_hundred_reports_takes_few_keys(reported: App) -> None:
    rude = reported.agent("rude")
    both = [reported.agent(name) for name in ("ada", "bob")]
    threads = [rude.thread(f"Number {n}", RUDE) for n in range(SUBJECTS)]
    for thread in threads:
        for agent in both:
            report(agent, thread).ok(201)
    reported.close()
    assert told(reported, "queue")["queue"]["openReports"] == REPORTS
    with closing(Terminal(reported)) as terminal:
        number = 0
        while terminal.wait_for_prompt():
            terminal.press("d" if number % 2 else "h")
            number += 1
    assert number == SUBJECTS
    assert terminal.pressed <= KEYS_MOST
    assert b"\x1b" not in terminal.shown
    assert b"Buy <U+001B>[2J watches" in terminal.shown
    assert f"decided: {SUBJECTS}".encode() in terminal.shown
    left = told(reported, "reports", "--all")["reports"]
    assert [one["status"] for one in left].count("upheld") == REPORTS // 2
    assert all(one["actionId"] for one in left if one["status"] == "upheld")
    assert told(reported, "queue")["queue"]["subjects"] == []


def test_no_key_that_sends_several_bytes_decides(reported: App) -> None:
    rude, ada = reported.agent("rude"), reported.agent("ada")
    report(ada, rude.thread("Watches", "Buy!")).ok(201)
    reported.close()
    with closing(Terminal(reported)) as terminal:
        assert terminal.wait_for_prompt()
        terminal.press(f"{UP}{LEFT}{CONTROL_HOME}{DELETE}{F4}\u00e9")
        terminal.press(f"{ALT_UP}{F1_OF_THE_CONSOLE}{ALT_A}n")
        assert not terminal.wait_for_prompt()
    assert b"decided: 0" in terminal.shown
    assert told(reported, "queue")["queue"]["openReports"] == 1


@pytest.mark.soak
def test_all_of_an_author_goes_with_one_key_and_a_key_can_be_passed(reported: App) -> None:
    rude, ada = reported.agent("rude"), reported.agent("ada")
    kept = ada.thread("Kept", "Fine.")
    for n in range(3):
        rude.thread(f"Number {n}", "Buy!")
    last = rude.thread("Last", "Buy!")
    rude.reply(kept, "Buy!")
    report(rude, kept).ok(201)
    report(ada, last, note="Again \x07 and again").ok(201)
    reported.close()
    with closing(Terminal(reported)) as terminal:
        for key in ("n", "a"):
            assert terminal.wait_for_prompt()
            terminal.press(key)
        terminal.wait_for_prompt()
    assert b"Again <U+0007> and again" in terminal.shown
    log = told(reported, "log")["actions"]
    assert [act["action"] for act in log] == ["suspend", *["hide"] * 5]
    assert [one["id"] for one in told(reported, "queue")["queue"]["subjects"]] == [kept["id"]]


def test_without_a_terminal_it_lists_what_waits(
    reported: App, capsys: pytest.CaptureFixture[str]
) -> None:
    rude, ada = reported.agent("rude"), reported.agent("ada")
    thread = rude.thread("Watches", RUDE + "x" * 3000)
    report(ada, thread).ok(201)
    reported.close()
    queue = told(reported, "queue")["queue"]
    (subject,) = queue["subjects"]
    assert (subject["id"], subject["author"]["displayName"]) == (thread["id"], "rude")
    assert subject["charactersLeft"] == len(RUDE) + 1000
    assert subject["reports"][0]["reporter"]["dismissed"] == 0
    listed = run_stoa_here("admin", "queue", *arguments(reported)).out
    assert "\x1b" not in listed
    assert "Buy <U+001B>[2J watches" in listed
    assert "open reports: 1" in listed
    for seconds, age in ((59, "59 s"), (3599, "59 min"), (3600, "1 h"), (90_000, "1 d")):
        queue["subjects"][0]["reports"][0]["ageSeconds"] = seconds
        show(queue)
        assert f" ({age} ago)" in capsys.readouterr().out


def test_all_that_one_agent_wrote_is_hidden_and_shown_again_at_once(reported: App) -> None:
    rude, ada = reported.agent("rude"), reported.agent("ada")
    kept = ada.thread("Kept", "Fine.")
    written = [rude.thread(f"Number {n}", "Buy!")["id"] for n in range(101)]
    written.append(rude.reply(kept, "Buy!")["id"])
    reported.close()
    reason = ("--reason", "Advertising.")
    planned = ("hide", "--all-of", rude.id, *reason, "--dry-run")
    assert told(reported, *planned)["left"] == 2
    assert "at least 2 more" in run_stoa_here("admin", *planned, *arguments(reported)).out
    done = told(reported, "hide", "--all-of", rude.id, *reason)
    assert done["left"] == 0
    assert sorted(act["subject"]["id"] for act in done["actions"]) == sorted(written)
    again = run_stoa_here("admin", *planned, *arguments(reported)).out
    assert f"there is nothing of {rude.id} to hide" in again
    assert len(told(reported, "restore", "--all-of", rude.id, *reason)["actions"]) == len(written)
    both = run_stoa_here("admin", "hide", kept["id"], "--all-of", rude.id, *reason)
    assert (both.code, both.err.count("\n")) == (1, 1)


def test_all_reports_are_listed_however_many_they_are(reported: App) -> None:
    report(reported.agent("ada"), reported.agent("rude").thread("Watches", "Buy!")).ok(201)
    add_reports(reported, 2000)
    reported.close()
    for also in ((), ("--all",)):
        found = [one["id"] for one in told(reported, "reports", *also)["reports"]]
        assert (len(found), found) == (2001, sorted(set(found)))


def test_the_operator_sees_moderators_and_the_log(reported: App) -> None:
    mod = reported.agent("mod")
    reported.close()
    told(reported, "grant", mod.key.public)
    (found,) = told(reported, "moderators")["moderators"]
    assert (found["publicKey"], found["agentId"]) == (mod.key.public, mod.id)
    listed = run_stoa_here("admin", "log", *arguments(reported)).out
    assert "grant" in listed
    assert "by the operator: Named by the operator." in listed

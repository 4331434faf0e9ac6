"""`stoa admin queue`: the open reports one after the other, with one key for each decision."""

import os
import sys
import termios
import tty
from collections.abc import Callable
from typing import Any, Self

import typer

from stoa.domain.text import escape_invisible, one_line

CarryOut = Callable[[dict[str, Any]], dict[str, Any]]

_KEYS = (
    "h hide  d dismiss  s hide, suspend the author  a hide all that the author wrote, suspend  "
    "n next  r give a reason  q quit"
)
_DECIDE = "hdsa"
_LINES = 30
_MINUTE_S, _HOUR_S, _DAY_S = 60, 3600, 86_400


def show(queue: dict[str, Any]) -> None:
    """List what waits, for a reader without a keyboard."""
    for subject in queue["subjects"]:
        _show(subject)
    typer.echo(_count(queue))


class _Keyboard:
    """Reads one key at a time, also those that were pressed before they were asked for."""

    def __enter__(self) -> Self:
        self._file = sys.stdin.fileno()
        self._usual = termios.tcgetattr(self._file)
        tty.setcbreak(self._file, termios.TCSADRAIN)
        return self

    def __exit__(self, *_: object) -> None:
        termios.tcsetattr(self._file, termios.TCSADRAIN, self._usual)

    def key(self) -> str:
        """The next key; empty at the end of the input."""
        return os.read(self._file, 1).decode(errors="ignore").lower()

    def line(self, asked: str, usual: str) -> str:
        """A line of text."""
        termios.tcsetattr(self._file, termios.TCSADRAIN, self._usual)
        try:
            return typer.prompt(asked, default=usual)
        finally:
            tty.setcbreak(self._file, termios.TCSADRAIN)


def work_off(queue: dict[str, Any], operate: CarryOut) -> None:
    """Show each subject, and do what the key says that is pressed."""
    typer.echo(_count(queue))
    with _Keyboard() as keyboard:
        decided = _work_off(queue, operate, keyboard)
    typer.echo(f"decided: {decided}")


def _work_off(queue: dict[str, Any], operate: CarryOut, keyboard: _Keyboard) -> int:
    """How many subjects were decided."""
    decided = 0
    for place, subject in enumerate(queue["subjects"], 1):
        typer.echo(f"\n{place} of {len(queue['subjects'])}")
        _show(subject)
        asked = _asked(subject, keyboard)
        if asked is None:
            break
        key, reason = asked
        for command in _commands(subject, key):
            told = operate({**command, "reason": reason})
            restored = "restore" in told.get("next", ())  # reports had hidden it
            typer.echo(one_line(told.get("error") or f"done: {_name(command)}"))
            if command.get("outcome") == "dismissed" and restored:
                operate({**_do("restore", subject["id"]), "reason": reason})
        decided += key in _DECIDE
    return decided


def _asked(subject: dict[str, Any], keyboard: _Keyboard) -> tuple[str, str] | None:
    """The key that was pressed and the reason of what it does; None to quit."""
    reasons = sorted({report["reason"] for report in subject["reports"]})
    reason = f"Reported: {', '.join(reasons)}."
    typer.echo(_KEYS)
    while True:
        key = keyboard.key()
        if key and key in f"{_DECIDE}n":
            return key, reason
        if key in ("q", "\x04", ""):
            return None
        if key == "r":
            reason = keyboard.line("reason, which is public", reason)


def _commands(subject: dict[str, Any], key: str) -> list[dict[str, Any]]:
    """What a key does, in its order. The first settles all reports on the subject."""
    report_id, author_id = subject["reports"][0]["id"], subject["author"]["id"]
    resolve = {"command": "resolve", "report_id": report_id}
    if key == "n":
        return []
    if key == "d":
        return [{**resolve, "outcome": "dismissed"}]
    hide = _do("hide", subject["id"], [report_id])
    found = [{**resolve, "outcome": "upheld"} if subject["hidden"] else hide]
    if key == "a":
        found.append({"command": "do-all", "action": "hide", "agent_id": author_id})
    if key in "as":
        found.append(_do("suspend", author_id))
    return found


def _do(action: str, subject_id: str, report_ids: list[str] | None = None) -> dict[str, Any]:
    asked = {"command": "do", "action": action, "subject_id": subject_id}
    return {**asked, "report_ids": report_ids or []}


def _name(command: dict[str, Any]) -> str:
    return command.get("action") or command["outcome"]


def _count(queue: dict[str, Any]) -> str:
    shown = sum(len(subject["reports"]) for subject in queue["subjects"])
    more = queue["openReports"] - shown
    return f"open reports: {queue['openReports']}{f'; {more} more come later' if more else ''}"


def _show(subject: dict[str, Any]) -> None:
    typer.echo(f"{subject['type']} {subject['id']}{' (hidden)' if subject['hidden'] else ''}")
    if subject["title"]:
        typer.echo(f"  {one_line(subject['title'])}")
    lines = subject["body"].splitlines()
    for line in lines[:_LINES]:
        typer.echo(f"  | {one_line(line)}")
    left = [f"{len(lines) - _LINES} lines"] if len(lines) > _LINES else []
    left += [f"{subject['charactersLeft']} characters"] if subject["charactersLeft"] else []
    if left:
        typer.echo(f"  and {', '.join(left)} more")
    typer.echo(f"  by {_side(subject['author'])}")
    for report in subject["reports"]:
        note = f": {one_line(report['note'])}" if report["note"] else ""
        typer.echo(f"  {report['reason']} ({_age(report['ageSeconds'])} ago){note}")
        typer.echo(f"    {_side(report['reporter'])}")


def _side(side: dict[str, Any]) -> str:
    name = one_line(escape_invisible(side["displayName"])) or "hidden agent"
    facts = [
        f"{side['status']} since {side['since'][:10]}",
        f"reputation {side['reputation']}",
        f"standing {side['standing']}",
        f"its reports upheld {side['upheld']}, dismissed {side['dismissed']}",
        f"acts on it {side['acts']}",
    ]
    return f"{side['id']} {name}: {'; '.join(facts)}"


def _age(seconds: int) -> str:
    for unit, name in ((_DAY_S, "d"), (_HOUR_S, "h"), (_MINUTE_S, "min")):
        if seconds >= unit:
            return f"{seconds // unit} {name}"
    return f"{seconds} s"

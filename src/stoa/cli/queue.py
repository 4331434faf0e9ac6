"""`stoa admin queue`: reported texts, then held ones, with one key for each decision."""

import os
import re
import sys
import termios
import tty
from collections.abc import Callable, Iterator
from select import select
from typing import Any, Self

import typer

from stoa.domain import limits
from stoa.domain.text import escape_invisible, one_line

CarryOut = Callable[[dict[str, Any]], dict[str, Any]]

_KEYS = (
    "h hide  d dismiss  s hide, suspend the author  a hide all that the author wrote, suspend  "
    "n next  r give a reason  q quit"
)
_DECIDE = "hdsa"
_HELD_KEYS = "l release  h hide  s hide, suspend the author  n next  r give a reason  q quit"
_DECIDE_HELD = "lhs"
_NEXT = "n"
_LINES = 30
_ESCAPE = b"\x1b"
_SEQUENCE = re.compile(rb"\x1b*([^\x1b[O]|(O|\[\[?)[ -?]*[^ -?[])")
"""All that a key sends after an escape (ECMA-48, 5.4): it may begin with more escapes, when Alt is
held, or with two brackets, as the first keys of the Linux console do."""
_SEQUENCE_S = 0.1
"""How long to wait for the rest of a sequence: a terminal sends it at once."""
_UNITS = {"d": limits.DAY_MS, "h": limits.HOUR_MS, "min": limits.MINUTE_MS}


def show(queue: dict[str, Any]) -> None:
    """List the queue, for a reader without a keyboard."""
    for _, one in _each(queue):
        _show(one)
    typer.echo(_count(queue))


def _each(queue: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each subject and then each held post, which has no reports, with its place."""
    subjects, posts = queue["subjects"], queue["held"]
    for place, subject in enumerate(subjects, 1):
        yield f"{place} of {len(subjects)}", subject
    for place, post in enumerate(posts, 1):
        yield f"held {place} of {len(posts)}", {**post, "hidden": False, "reports": []}


class _Keyboard:
    """Reads one key at a time, also keys pressed earlier."""

    def __enter__(self) -> Self:
        self._file = sys.stdin.fileno()
        self._usual = termios.tcgetattr(self._file)
        tty.setcbreak(self._file, termios.TCSADRAIN)
        return self

    def __exit__(self, *_: object) -> None:
        termios.tcsetattr(self._file, termios.TCSADRAIN, self._usual)

    def key(self) -> str:
        """The next key; empty at the end of the input. Keys such as the arrows send an escape, and
        then letters that must not count as keys of their own."""
        pressed = os.read(self._file, 1)
        if pressed == _ESCAPE:
            self._pass_sequence()
        return pressed.decode(errors="replace").lower()

    def _pass_sequence(self) -> None:
        """Read the rest of a sequence after an escape, up to the byte that ends it, if any."""
        found = b""
        while select([self._file], [], [], _SEQUENCE_S)[0]:
            byte = os.read(self._file, 1)
            found += byte
            if not byte or _SEQUENCE.fullmatch(found):
                return

    def line(self, asked: str, usual: str) -> str:
        """A line of text."""
        termios.tcsetattr(self._file, termios.TCSADRAIN, self._usual)
        try:
            return typer.prompt(asked, default=usual)
        finally:
            tty.setcbreak(self._file, termios.TCSADRAIN)


def work_off(queue: dict[str, Any], operate: CarryOut) -> None:
    """Show each subject and each held post, and carry out the key that is pressed."""
    typer.echo(_count(queue))
    decided = 0
    with _Keyboard() as keyboard:
        for place, one in _each(queue):
            typer.echo(f"\n{place}")
            _show(one)
            asked = _asked(one, keyboard)
            if asked is None:
                break
            key, reason = asked
            for command in _commands(one, key):
                told = operate({**command, "reason": reason})
                typer.echo(one_line(told.get("error") or f"done: {_name(command)}"))
                restored = "restore" in told.get("next", ())  # reports had hidden it
                if command.get("outcome") == "dismissed" and restored:
                    operate({**_do("restore", one["id"]), "reason": reason})
            decided += key != _NEXT
    typer.echo(f"decided: {decided}")


def _asked(one: dict[str, Any], keyboard: _Keyboard) -> tuple[str, str] | None:
    """The pressed key and the reason for its act; None to quit."""
    keys, decide, reason = _HELD_KEYS, _DECIDE_HELD, "Looked at by a moderator."
    if reasons := sorted({report["reason"] for report in one["reports"]}):
        keys, decide, reason = _KEYS, _DECIDE, f"Reported: {', '.join(reasons)}."
    typer.echo(keys)
    while True:
        key = keyboard.key()
        if key and key in f"{decide}{_NEXT}":
            return key, reason
        if key in ("q", "\x04", ""):
            return None
        if key == "r":
            reason = keyboard.line("reason, which is public", reason)


def _commands(one: dict[str, Any], key: str) -> list[dict[str, Any]]:
    """The commands of a key, in order. The first settles all reports on the subject."""
    author_id, report_ids = one["author"]["id"], [report["id"] for report in one["reports"][:1]]
    if key == _NEXT:
        return []
    if key == "l":
        return [_do("release", one["id"])]
    if key == "d":
        return [_resolve(report_ids, "dismissed")]
    hide = _do("hide", one["id"], report_ids)
    found = [_resolve(report_ids, "upheld") if one["hidden"] else hide]
    if key == "a":
        found.append({"command": "do-all", "action": "hide", "agent_id": author_id})
    if key in "as":
        found.append(_do("suspend", author_id))
    return found


def _resolve(report_ids: list[str], outcome: str) -> dict[str, Any]:
    return {"command": "resolve", "report_id": report_ids[0], "outcome": outcome}


def _do(action: str, subject_id: str, report_ids: list[str] | None = None) -> dict[str, Any]:
    asked = {"command": "do", "action": action, "subject_id": subject_id}
    return {**asked, "report_ids": report_ids or []}


def _name(command: dict[str, Any]) -> str:
    return command.get("action") or command["outcome"]


def _count(queue: dict[str, Any]) -> str:
    shown = sum(len(subject["reports"]) for subject in queue["subjects"])
    more = queue["openReports"] - shown
    later = f"; {more} more come later" if more else ""
    held = f"; held posts: {queue['heldPosts']}" if queue["heldPosts"] else ""
    return f"open reports: {queue['openReports']}{later}{held}"


def _show(one: dict[str, Any]) -> None:
    held = f" (held for {_age(one['secondsLeft'])} more)" if "why" in one else ""
    typer.echo(f"{one['type']} {one['id']}{held}{' (hidden)' if one['hidden'] else ''}")
    _show_text(one)
    if "why" in one:
        typer.echo(f"  {one_line(one['why'])}")
    for report in one["reports"]:
        note = f": {one_line(report['note'])}" if report["note"] else ""
        typer.echo(f"  {report['reason']} ({_age(report['ageSeconds'])} ago){note}")
        typer.echo(f"    {_side(report['reporter'])}")


def _show_text(one: dict[str, Any]) -> None:
    if one["title"]:
        typer.echo(f"  {one_line(one['title'])}")
    lines = one["body"].splitlines()
    for line in lines[:_LINES]:
        typer.echo(f"  | {one_line(line)}")
    left = [f"{len(lines) - _LINES} lines"] if len(lines) > _LINES else []
    left += [f"{one['charactersLeft']} characters"] if one["charactersLeft"] else []
    if left:
        typer.echo(f"  and {', '.join(left)} more")
    typer.echo(f"  by {_side(one['author'])}")


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
    for name, unit in _UNITS.items():
        if count := seconds * limits.SECOND_MS // unit:
            return f"{count} {name}"
    return f"{seconds} s"

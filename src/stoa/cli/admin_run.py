"""What every command of `stoa admin` shares: the options that name its database, the way it is
carried out there, and its output."""

import asyncio
import json
from collections.abc import Callable
from functools import partial
from typing import Any, Concatenate, ParamSpec

import typer

from stoa.cli import purging
from stoa.cli.database import OPTIONS, DatabaseRun, NamedDatabase
from stoa.cli.options import with_shared
from stoa.clock import SystemClock, elapsed_ms
from stoa.domain.moderation import FOR_GOOD
from stoa.domain.text import one_line
from stoa.settings import Settings, SettingsError
from stoa.store.tx import DatabaseHeld

P = ParamSpec("P")

_PATIENCE_MS = 20_000
"""So long a server that starts, ends or replaces its worker may hold the file without answering."""


class AdminRun(DatabaseRun):
    """One run of a command."""

    def do(self, asked: dict[str, Any]) -> dict[str, Any]:
        """The result. Raises StartRefused when there is no database, SettingsError when refused."""
        named, command = self.named, json.dumps(asked).encode()
        with named.refusing():
            asyncio.run(named.engine.refuse_absent(named.settings))
            told, served = _carried_out(named, command)
            answer: dict[str, Any] = json.loads(told)
            if "error" in answer:
                raise SettingsError(named.hint(answer["error"]))
            if asked.get("action") in FOR_GOOD and not asked["dry_run"]:
                _erase(named.settings, served=served)
        return {"database": named.address, **answer}

    def do_all(self, asked: dict[str, Any]) -> dict[str, Any]:
        """The result of a command that works in parts, until nothing is left."""
        told = self.do(asked)
        while told["actions"] and not told["dryRun"]:
            more = self.do(asked)
            if not more["actions"]:
                break
            told = {**more, "actions": told["actions"] + more["actions"]}
        return told

    def do_parts(self, asked: dict[str, Any], place: str, *lists: str) -> dict[str, Any]:
        """The result of a command that works in parts and tells the `place` of the next one, with
        the `lists` of all parts."""
        told = self.do(asked)
        while (at := told.get(place)) is not None:  # a server of before tells none
            more = self.do({**asked, place: at})
            told = {**more, **{name: told[name] + more[name] for name in lists}}
        return told

    def show(self, asked: dict[str, Any]) -> dict[str, Any]:
        """The result, after printing it."""
        done = self.do(asked)
        self.print(done)
        return done

    def print(self, done: dict[str, Any]) -> None:
        """Print the result."""
        if self.as_json:
            self.tell(**done)
        else:
            _print(done)
            if done["settledCount"] is not None:
                self._say_next(done)

    def _say_next(self, done: dict[str, Any]) -> None:
        """Say which subjects resolving has left unchanged, and which command changes them."""
        (report,) = done["reports"]
        subject_id, upheld = report["subject"]["id"], report["status"] == "upheld"
        state = "hidden" if done["subjectHidden"] else "shown"
        typer.echo(f"reports settled: {done['settledCount']}; {subject_id} is {state}, as before")
        for action in done["next"]:
            named = f" --report {report['id']}" if upheld else ""
            self.say_next(f"next: stoa admin {action} {subject_id} --reason TEXT{named}")


def operating(command: Callable[Concatenate[AdminRun, P], None]) -> Callable[..., None]:
    """Give a command the options of its database, as an AdminRun."""
    return with_shared(command, AdminRun.opened, OPTIONS)


def _carried_out(named: NamedDatabase, command: bytes) -> tuple[bytes, bool]:
    """The answer to a command, and whether a server gave it: the one that uses the database, also
    if it is about to, or this process where none does."""
    deadline = elapsed_ms() + _PATIENCE_MS
    while (answer := _answered_by_server(named.settings, command)) is None:
        try:
            return _done_here(named, command), False
        except DatabaseHeld:  # after a second of waiting for the lock
            if elapsed_ms() > deadline:
                raise
    return answer, True


def _answered_by_server(settings: Settings, command: bytes) -> bytes | None:
    """The answer of the server that uses the embedded database; None without a server."""
    from stoa.server import control

    if settings.engine != "sqlite":
        return None
    answer = control.ask(settings.database_path, command)
    if answer == b"":
        raise SettingsError("the server did not say what it did: its log and the public log do")
    return answer


def _done_here(named: NamedDatabase, command: bytes) -> bytes:
    """The answer of this process, which carries the command out itself."""
    from stoa.app import new_services
    from stoa.domain.errors import Refusal
    from stoa.operations.parts import operator

    work = partial(operator.run, services=new_services(named.settings), command=command)
    once = named.engine.read_once if operator.reads(command) else named.engine.write_once
    try:
        return asyncio.run(once(named.settings, SystemClock(), work))
    except Refusal as refusal:
        return operator.refused(refusal)


def _erase(settings: Settings, *, served: bool) -> None:
    """List the new purges, and erase them unless a server does."""
    try:
        purging.list_beside_backups(settings)
    finally:
        if not served:
            purging.finish(settings)


def _print(done: dict[str, Any]) -> None:
    typer.echo(f"database: {done['database']}")
    would = "would do" if done["dryRun"] else "done"
    for act in done["actions"]:
        typer.echo(f"{would}: {act['action']} {act['subject']['id']} ({act['id']})")
    if left := done.get("left"):  # a server of before tells none
        typer.echo(f"{would} the same to at least {left} more")
    for act in done["skipped"]:
        typer.echo(f"not taken back: {act['action']} {act['subject']['id']} ({act['id']})")
    for report in done["reports"]:
        subject = report["subject"]
        typer.echo(f"{report['id']} {report['status']}: {report['reason']}, {subject['id']}")
    for one in done["moderators"]:
        since = one["grantedAt"] or "the settings"
        name = one_line(one["displayName"] or "no agent has this key")
        typer.echo(f"{one['publicKey']} since {since}: {one['agentId'] or ''} {name}")
    for agent in done["endorsed"]:
        typer.echo(f"{agent['id']} {one_line(agent['displayName'])}, since {agent['since']}")

"""`stoa admin`: what the operator moderates, beside a running server or without one."""

import asyncio
import json
import sys
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from stoa.cli import database, purging
from stoa.cli.options import ConfigFile, DatabaseUrl, DataDir, DryRunOption, JsonOption
from stoa.clock import SystemClock
from stoa.domain import ids
from stoa.domain.moderation import FOR_GOOD
from stoa.domain.signups import Admission
from stoa.domain.text import one_line
from stoa.settings import Settings, SettingsError
from stoa.store.tx import StartRefused

app = typer.Typer(
    no_args_is_help=True,
    help="Moderate from the machine: also beside a running server, in force in two seconds. What "
    "is done stands in the public log.",
)

SubjectId = Annotated[str, typer.Argument(metavar="ID", help="Such as th_… or ag_….")]
ReasonOption = Annotated[
    str, typer.Option(help="Why; it is public, so it must not repeat what is hidden.")
]
UntilOption = Annotated[
    str | None, typer.Option(help="When it ends, such as 2026-11-27T10:00:00Z; never if left out.")
]
ReportIdsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--report", metavar="ID", help="A report that this upholds, with all on the same; rpt_…."
    ),
]
PublicKeyArgument = Annotated[
    str, typer.Argument(metavar="KEY", help="A public key, 64 hex digits.")
]


AllOfOption = Annotated[
    str | None,
    typer.Option("--all-of", metavar="AGENT", help="All that one agent wrote; instead of ID."),
]


def _order_of_many(action: str, text: str) -> None:
    """Declare the command of an action on something, or on all that an agent wrote."""

    def command(
        reason: ReasonOption,
        subject_id: Annotated[
            str | None, typer.Argument(metavar="[ID]", help="Such as th_… or ag_….")
        ] = None,
        all_of: AllOfOption = None,
        report_ids: ReportIdsOption = None,
        dry_run: DryRunOption = False,
        data_dir: DataDir = None,
        database_url: DatabaseUrl = None,
        config: ConfigFile = None,
        as_json: JsonOption = False,
    ) -> None:
        if (subject_id is None) is (all_of is None) or (all_of and report_ids):
            raise SettingsError(f"{action}: give an ID, or --all-of AGENT alone")
        if all_of:
            asked = {"command": "do-all", "action": action, "agent_id": all_of, "reason": reason}
            done = _operate_all({**asked, "dry_run": dry_run}, data_dir, database_url, config)
        else:
            asked = _do(action, subject_id or "", reason, report_ids, dry_run=dry_run)
            done = _operate(asked, data_dir, database_url, config)
        _tell(done, as_json=as_json)

    app.command(action, help=text)(command)


def _order(action: str, text: str) -> None:
    """Declare the command of an action that takes an id and a reason."""

    def command(
        subject_id: SubjectId,
        reason: ReasonOption,
        report_ids: ReportIdsOption = None,
        dry_run: DryRunOption = False,
        data_dir: DataDir = None,
        database_url: DatabaseUrl = None,
        config: ConfigFile = None,
        as_json: JsonOption = False,
    ) -> None:
        asked = _do(action, subject_id, reason, report_ids, dry_run=dry_run)
        _tell(_operate(asked, data_dir, database_url, config), as_json=as_json)

    app.command(action, help=text)(command)


_order_of_many("hide", "Hide a thread, a reply, a job, an agent's profile, or all of an agent.")
_order_of_many("restore", "Show again what is hidden, or all of an agent.")
for _action, _text in {
    "lock": "Let a thread take no more replies.",
    "unlock": "Let a thread take replies again.",
    "reinstate": "End the suspension of an agent.",
    "revoke-sessions": "End all sessions of an agent.",
    "cancel": "End an open job; its reward goes back.",
    "approve": "Let an agent in that waits for you.",
    "reject": "Do not let an agent in that waits for you: it is retired, with its key.",
    "purge": "Erase a text for good, with what quotes it; ids, amounts and times stay.",
    "forget": "Erase for good all that an agent wrote, and its profile.",
}.items():
    _order(_action, _text)


def _do(
    action: str, subject_id: str, reason: str, report_ids: list[str] | None = None, **more: Any
) -> dict[str, Any]:
    asked = {"command": "do", "action": action, "subject_id": subject_id, "reason": reason}
    return {**asked, "report_ids": report_ids or [], **more}


@app.command("suspend")
def suspend(
    subject_id: SubjectId,
    reason: ReasonOption,
    until: UntilOption = None,
    report_ids: ReportIdsOption = None,
    dry_run: DryRunOption = False,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
    config: ConfigFile = None,
    as_json: JsonOption = False,
) -> None:
    """Suspend an agent: it reads, and decides about work that was submitted to it."""
    end = None if until is None else _time(until)
    asked = _do("suspend", subject_id, reason, report_ids, dry_run=dry_run, until=end)
    _tell(_operate(asked, data_dir, database_url, config), as_json=as_json)


@app.command("adjust", context_settings={"ignore_unknown_options": True})  # -5 is no option
def adjust(
    subject_id: SubjectId,
    points: Annotated[
        int, typer.Argument(metavar="POINTS", help="What is added, from -1000 to 1000.")
    ],
    reason: ReasonOption,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
    config: ConfigFile = None,
    as_json: JsonOption = False,
) -> None:
    """Add points to an agent's reputation, or take some."""
    asked = _do("adjust", subject_id, reason, points=points)
    _tell(_operate(asked, data_dir, database_url, config), as_json=as_json)


@app.command("endorse")
def endorse(
    agent_id: Annotated[str, typer.Argument(metavar="AGENT", help="Such as ag_….")],
    withdraw: Annotated[bool, typer.Option("--withdraw", help="Endorse it no longer.")] = False,
    reason: ReasonOption = "Decided by the operator.",
    dry_run: DryRunOption = False,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
    config: ConfigFile = None,
    as_json: JsonOption = False,
) -> None:
    """Let standing begin at an agent: whom it pays, accepts or confirms gets some, and so on."""
    if not ids.is_id("ag", agent_id):
        raise StartRefused("AGENT is not the id of an agent: its page shows it, ag_…")
    action = "withdraw-endorsement" if withdraw else "endorse"
    asked = _do(action, agent_id, reason, dry_run=dry_run)
    _tell(_operate(asked, data_dir, database_url, config), as_json=as_json)


@app.command("endorsed")
def endorsed(
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
    config: ConfigFile = None,
    as_json: JsonOption = False,
) -> None:
    """List the agents that are endorsed."""
    done = _operate({"command": "endorsed"}, data_dir, database_url, config)
    _tell(done, as_json=as_json)
    if not (done["endorsed"] or as_json):
        typer.echo("nobody is endorsed: standing begins at agents that have been there for long")


@app.command("grant")
def grant(
    key: PublicKeyArgument,
    reason: ReasonOption = "Named by the operator.",
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
    config: ConfigFile = None,
    as_json: JsonOption = False,
) -> None:
    """Let the agent of a public key be a moderator, until its key changes."""
    asked = {"command": "grant", "key": key.lower(), "reason": reason}
    _tell(_operate(asked, data_dir, database_url, config), as_json=as_json)


@app.command("revoke")
def revoke(
    key: PublicKeyArgument,
    reason: ReasonOption = "Ended by the operator.",
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
    config: ConfigFile = None,
    as_json: JsonOption = False,
) -> None:
    """Take the role from the agent of a public key that was granted it."""
    asked = {"command": "revoke", "key": key.lower(), "reason": reason}
    _tell(_operate(asked, data_dir, database_url, config), as_json=as_json)


@app.command("undo")
def undo(
    by: Annotated[str, typer.Option(help="The moderator, ag_….")],
    since: Annotated[str, typer.Option(help="A time such as 2026-11-27T10:00:00Z.")],
    reason: ReasonOption = "Taken back by the operator.",
    dry_run: DryRunOption = False,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
    config: ConfigFile = None,
    as_json: JsonOption = False,
) -> None:
    """Take back what a moderator did since a time, as far as it can be."""
    asked = {"command": "undo", "by": by, "since": _time(since), "reason": reason}
    told = _operate({**asked, "dry_run": dry_run}, data_dir, database_url, config)
    _tell(told, as_json=as_json)
    if not (told["actions"] or told["skipped"] or as_json):
        typer.echo("there is nothing to take back")


@app.command("signups")
def signups(
    state: Annotated[
        Admission | None,
        typer.Argument(metavar="[open|invite|approve|closed]", help="Who may register a new key."),
    ] = None,
    reason: ReasonOption = "Set by the operator.",
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
    config: ConfigFile = None,
    as_json: JsonOption = False,
) -> None:
    """Let new keys register: any, with an invite, once you approve, or none. Without a word, show
    what is so and who waits."""
    asked = {"command": "signups", "state": state, "reason": reason}
    told = _operate(asked, data_dir, database_url, config)
    _tell(told, as_json=as_json)
    if state is None and not as_json:
        _tell_signups(told)


@app.command("invite")
def invite(
    uses: Annotated[int, typer.Option(min=1, max=10_000, help="How many keys it lets in.")] = 1,
    days: Annotated[int, typer.Option(min=1, max=365, help="How long it holds.")] = 7,
    reason: ReasonOption = "Made by the operator.",
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
    config: ConfigFile = None,
    as_json: JsonOption = False,
) -> None:
    """Make an invite for new keys, which is shown once."""
    asked = {"command": "invite", "uses": uses, "days": days, "reason": reason}
    told = _operate(asked, data_dir, database_url, config)
    _tell(told, as_json=as_json)
    if not as_json:
        typer.echo(
            f"{told['invite']}\nsend it as `invite` when you verify; until {told['expiresAt']}"
        )


@app.command("reports")
def reports(
    everything: Annotated[bool, typer.Option("--all", help="Also the resolved ones.")] = False,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
    config: ConfigFile = None,
    as_json: JsonOption = False,
) -> None:
    """List the reports that wait for a decision."""
    asked = {"command": "reports", "everything": everything}
    done = _operate(asked, data_dir, database_url, config)
    _tell(done, as_json=as_json)
    if not (done["reports"] or as_json):
        typer.echo("there are no reports" if everything else "no report waits")


@app.command("queue")
def queue(
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
    config: ConfigFile = None,
    as_json: JsonOption = False,
) -> None:
    """Show what is reported, with its text and both sides, and decide with one key each.

    Without a terminal it only lists what waits.
    """
    from stoa.cli import queue as queues

    told = _operate({"command": "queue"}, data_dir, database_url, config)
    if as_json:
        return _tell(told, as_json=True)
    typer.echo(f"database: {told['database']}")
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return queues.show(told["queue"])

    def operate(asked: dict[str, Any]) -> dict[str, Any]:
        try:
            work = _operate_all if asked["command"] == "do-all" else _operate
            return work(asked, data_dir, database_url, config)
        except SettingsError as error:
            return {"error": str(error)}

    return queues.work_off(told["queue"], operate)


@app.command("log")
def log(
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many acts.")] = 50,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
    config: ConfigFile = None,
    as_json: JsonOption = False,
) -> None:
    """Show the newest acts, as the public log has them."""
    told = _operate({"command": "log", "limit": limit}, data_dir, database_url, config)
    if as_json:
        return _tell(told, as_json=True)
    typer.echo(f"database: {told['database']}")
    for act in told["actions"]:
        by = act["moderatorAgentId"] or "the operator"
        subject, reason = act["subject"], one_line(act["reason"])
        typer.echo(f"{act['createdAt']} {act['action']} {subject['id']} by {by}: {reason}")
    return None


@app.command("moderators")
def moderators(
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
    config: ConfigFile = None,
    as_json: JsonOption = False,
) -> None:
    """Show whose keys are those of moderators."""
    told = _operate({"command": "moderators"}, data_dir, database_url, config)
    _tell(told, as_json=as_json)
    if not (told["moderators"] or as_json):
        typer.echo("nobody is a moderator: stoa admin grant KEY names one")


@app.command("resolve")
def resolve(
    report_id: Annotated[str, typer.Argument(metavar="ID", help="A report, rpt_….")],
    outcome: Annotated[str, typer.Argument(metavar="upheld|dismissed", help="Was it right?")],
    reason: ReasonOption,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
    config: ConfigFile = None,
    as_json: JsonOption = False,
) -> None:
    """Uphold or dismiss a report, and with it all open reports on the same subject."""
    if outcome not in ("upheld", "dismissed"):
        raise SettingsError("resolve: give upheld or dismissed")
    asked = {"command": "resolve", "report_id": report_id, "outcome": outcome, "reason": reason}
    _tell(_operate(asked, data_dir, database_url, config), as_json=as_json)


def _time(text: str) -> int:
    """A time in ms. Raises SettingsError."""
    from stoa.schemas.base import read_time

    at = read_time(text)
    if at is None:
        raise SettingsError(f"{text} is no time: give one such as 2026-11-27T10:00:00Z")
    return at


def _operate(
    asked: dict[str, Any],
    data_dir: str | None,
    database_url: str | None,
    config: Path | None,
) -> dict[str, Any]:
    """What was done. Raises StartRefused when there is no database, SettingsError when refused."""
    from stoa.store.engines import engine_of

    named = database.chosen(config, data_dir, database_url)
    command, engine = json.dumps(asked).encode(), engine_of(named.settings)
    with named.refusing():
        asyncio.run(engine.refuse_absent(named.settings))
        answer: dict[str, Any] = json.loads(_answered(named.settings, command))
        if "error" in answer:
            raise SettingsError(answer["error"])
        if asked.get("action") in FOR_GOOD and not asked["dry_run"]:
            purging.list_beside_backups(named.settings)
    return {"database": named.address, **answer}


def _operate_all(asked: dict[str, Any], *database_of: Any) -> dict[str, Any]:
    """What was done by a command that does a part at a time, until nothing is left."""
    told = _operate(asked, *database_of)
    while told["actions"] and not told["dryRun"]:
        more = _operate(asked, *database_of)["actions"]
        if not more:
            break
        told["actions"] += more
    return told


def _answered(settings: Settings, command: bytes) -> bytes:
    """The answer of the server that uses the embedded database, or else what is done here."""
    from stoa.app import new_services
    from stoa.domain.errors import Refusal
    from stoa.operations.parts import operator
    from stoa.server import control
    from stoa.store.engines import engine_of

    if settings.engine == "sqlite":
        answer = control.ask(settings.database_path, command)
        if answer == b"":
            raise SettingsError("the server did not say what it did: its log and the public log do")
        if answer is not None:
            return answer
    work = partial(operator.run, services=new_services(settings), command=command)
    try:
        answer = asyncio.run(engine_of(settings).write_once(settings, SystemClock(), work))
    except Refusal as refusal:
        return operator.refused(refusal)
    purging.finish(settings)
    return answer


def _tell(done: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(done, indent=2))
        return
    typer.echo(f"database: {done['database']}")
    would = "would do" if done["dryRun"] else "done"
    for act in done["actions"]:
        typer.echo(f"{would}: {act['action']} {act['subject']['id']} ({act['id']})")
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
    if done["settledCount"] is not None:
        _tell_next(done)


def _tell_signups(told: dict[str, Any]) -> None:
    """Say who may register, and who waits."""
    invites, waiting = told["openInvites"], told["pendingCount"]
    typer.echo(f"new keys: {told['signups']}; open invites: {invites}; waiting: {waiting}")
    for agent in told["pending"]:
        typer.echo(f"{agent['id']} {one_line(agent['displayName'])}, since {agent['since']}")
        said = [agent["description"], ", ".join(agent["capabilities"])]
        said += [f"looks like {agent['looksLike']}"] if agent["looksLike"] else []
        for line in filter(None, said):
            typer.echo(f"  {one_line(line)}")
    if waiting:
        typer.echo("next: stoa admin approve ID --reason TEXT, or reject")


def _tell_next(done: dict[str, Any]) -> None:
    """Say what resolving has left as it was, and which command changes it."""
    (report,) = done["reports"]
    subject_id, upheld = report["subject"]["id"], report["status"] == "upheld"
    state = "hidden" if done["subjectHidden"] else "shown"
    typer.echo(f"reports settled: {done['settledCount']}; {subject_id} is {state}, as before")
    for action in done["next"]:
        named = f" --report {report['id']}" if upheld else ""
        typer.echo(f"next: stoa admin {action} {subject_id} --reason TEXT{named}")

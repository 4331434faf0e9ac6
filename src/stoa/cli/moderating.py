"""`stoa admin`: moderation by the operator, with or without a running server."""

import sys
from typing import Annotated, Any

import typer

from stoa.cli.admin_run import AdminRun, operating
from stoa.cli.options import DryRunOption
from stoa.domain import ids
from stoa.domain.signups import Admission
from stoa.domain.text import one_line
from stoa.settings import SettingsError
from stoa.store.tx import StartRefused

app = typer.Typer(
    no_args_is_help=True,
    help="Moderate on this machine, also while the server runs: in force in two seconds. All "
    "acts are in the public log.",
)

SubjectId = Annotated[str, typer.Argument(metavar="ID", help="Such as th_… or ag_….")]
ReasonOption = Annotated[
    str, typer.Option(help="Why; it is public, so it must not repeat what is hidden.")
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


def _order_of_many(action: str, text: str) -> None:
    """Declare the command of an action on a subject, or on all texts of an agent."""

    @operating
    def command(
        run: AdminRun,
        reason: ReasonOption,
        subject_id: Annotated[
            str | None, typer.Argument(metavar="[ID]", help="Such as th_… or ag_….")
        ] = None,
        all_of: Annotated[
            str | None,
            typer.Option(
                "--all-of", metavar="AGENT", help="All texts of one agent; instead of ID."
            ),
        ] = None,
        report_ids: ReportIdsOption = None,
        dry_run: DryRunOption = False,
    ) -> None:
        if (subject_id is None) is (all_of is None) or (all_of and report_ids):
            raise SettingsError(f"{action}: give an ID, or --all-of AGENT alone")
        if all_of:
            asked = {"command": "do-all", "action": action, "agent_id": all_of, "reason": reason}
            told = run.do_all({**asked, "dry_run": dry_run})
            run.print(told)
            if not (told["actions"] or run.as_json):
                typer.echo(f"there is nothing of {all_of} to {action}")
        else:
            run.show(_act(action, subject_id or "", reason, report_ids, dry_run=dry_run))

    app.command(action, help=text)(command)


def _order(action: str, text: str) -> None:
    """Declare the command of an action that takes an id and a reason."""

    @operating
    def command(
        run: AdminRun,
        subject_id: SubjectId,
        reason: ReasonOption,
        report_ids: ReportIdsOption = None,
        dry_run: DryRunOption = False,
    ) -> None:
        run.show(_act(action, subject_id, reason, report_ids, dry_run=dry_run))

    app.command(action, help=text)(command)


_order_of_many("hide", "Hide a thread, reply, job or agent's profile, or all texts of an agent.")
_order_of_many("restore", "Show a hidden text again, or all of an agent.")
for _action, _text in {
    "lock": "Close a thread to new replies.",
    "unlock": "Open a thread to replies again.",
    "reinstate": "End the suspension of an agent.",
    "revoke-sessions": "End all sessions of an agent.",
    "cancel": "End an open job; its reward goes back.",
    "release": "Publish a held post; `hide` refuses it.",
    "approve": "Approve an agent that waits.",
    "reject": "Reject an agent that waits: it is retired, with its key.",
    "purge": "Erase a text for good, with what quotes it; ids, amounts and times stay.",
    "forget": "Erase for good all that an agent wrote, and its profile.",
}.items():
    _order(_action, _text)


def _act(
    action: str, subject_id: str, reason: str, report_ids: list[str] | None = None, **more: Any
) -> dict[str, Any]:
    asked = {"command": "do", "action": action, "subject_id": subject_id, "reason": reason}
    return {**asked, "report_ids": report_ids or [], **more}


@app.command()
@operating
def suspend(
    run: AdminRun,
    subject_id: SubjectId,
    reason: ReasonOption,
    until: Annotated[
        str | None,
        typer.Option(help="The end, such as 2026-11-27T10:00:00Z; none if left out."),
    ] = None,
    report_ids: ReportIdsOption = None,
    dry_run: DryRunOption = False,
) -> None:
    """Suspend an agent: it reads, and decides about work that was submitted to it."""
    end = None if until is None else _time(until)
    run.show(_act("suspend", subject_id, reason, report_ids, dry_run=dry_run, until=end))


@app.command("adjust", context_settings={"ignore_unknown_options": True})  # -5 is no option
@operating
def adjust(
    run: AdminRun,
    subject_id: SubjectId,
    points: Annotated[
        int, typer.Argument(metavar="POINTS", help="The points, from -1000 to 1000.")
    ],
    reason: ReasonOption,
) -> None:
    """Add points to an agent's reputation, or subtract some."""
    run.show(_act("adjust", subject_id, reason, points=points))


@app.command()
@operating
def endorse(
    run: AdminRun,
    agent_id: Annotated[str, typer.Argument(metavar="AGENT", help="Such as ag_….")],
    withdraw: Annotated[bool, typer.Option("--withdraw", help="End the endorsement.")] = False,
    reason: ReasonOption = "Decided by the operator.",
    dry_run: DryRunOption = False,
) -> None:
    """Endorse an agent: standing starts there and passes on to agents that it pays, accepts or
    confirms."""
    if not ids.is_id("ag", agent_id):
        raise StartRefused("AGENT is not the id of an agent: its page shows it, ag_…")
    action = "withdraw-endorsement" if withdraw else "endorse"
    run.show(_act(action, agent_id, reason, dry_run=dry_run))


@app.command()
@operating
def endorsed(run: AdminRun) -> None:
    """List the agents that are endorsed."""
    told = run.show({"command": "endorsed"})
    if not (told["endorsed"] or run.as_json):
        typer.echo("nobody is endorsed: standing begins at agents that have been there for long")


@app.command()
@operating
def grant(
    run: AdminRun,
    key: PublicKeyArgument,
    reason: ReasonOption = "Named by the operator.",
) -> None:
    """Make the agent of a public key a moderator, until its key changes."""
    run.show({"command": "grant", "key": key.lower(), "reason": reason})


@app.command()
@operating
def revoke(
    run: AdminRun,
    key: PublicKeyArgument,
    reason: ReasonOption = "Ended by the operator.",
) -> None:
    """Revoke the granted role of the agent of a public key."""
    told = run.show({"command": "revoke", "key": key.lower(), "reason": reason})
    if told["moderators"] and not run.as_json:
        typer.echo(
            "next: take the key out of STOA_ADMIN_KEYS too, and run stoa reload, or start the "
            "server again if it is in a variable"
        )


@app.command()
@operating
def undo(
    run: AdminRun,
    by: Annotated[str, typer.Option(help="The moderator, ag_….")],
    since: Annotated[str, typer.Option(help="A time such as 2026-11-27T10:00:00Z.")],
    reason: ReasonOption = "Taken back by the operator.",
    dry_run: DryRunOption = False,
) -> None:
    """Reverse what a moderator did since a time, as far as possible."""
    asked = {"command": "undo", "by": by, "since": _time(since), "reason": reason}
    told = run.do_parts({**asked, "dry_run": dry_run}, "before", "actions", "skipped")
    run.print(told)
    if not (told["actions"] or told["skipped"] or run.as_json):
        typer.echo("there is nothing to take back")


@app.command()
@operating
def signups(
    run: AdminRun,
    state: Annotated[
        Admission | None,
        typer.Argument(metavar="[open|invite|approve|closed]", help="Who may register a new key."),
    ] = None,
    reason: ReasonOption = "Set by the operator.",
) -> None:
    """Set who may register: any new key, with an invite, after your approval, or none. Without an
    argument, show the setting and who waits."""
    told = run.show({"command": "signups", "state": state, "reason": reason})
    if state is None and not run.as_json:
        _tell_signups(run, told)


@app.command()
@operating
def invite(
    run: AdminRun,
    uses: Annotated[int, typer.Option(min=1, max=10_000, help="How many keys may use it.")] = 1,
    days: Annotated[int, typer.Option(min=1, max=365, help="For how many days.")] = 7,
    reason: ReasonOption = "Made by the operator.",
) -> None:
    """Make an invite for new keys, which is shown once."""
    told = run.show({"command": "invite", "uses": uses, "days": days, "reason": reason})
    if not run.as_json:
        typer.echo(
            f"{told['invite']}\nsend it as `invite` when you verify; until {told['expiresAt']}"
        )
        if told["signups"] not in (None, "invite"):  # a server of before tells none
            run.say_next(
                f"new keys: {told['signups']}; to ask for invites: stoa admin signups invite"
            )


@app.command()
@operating
def reports(
    run: AdminRun,
    everything: Annotated[bool, typer.Option("--all", help="Resolved ones too.")] = False,
) -> None:
    """List the reports that wait for a decision."""
    done = run.do_parts({"command": "reports", "everything": everything}, "after", "reports")
    run.print(done)
    if not (done["reports"] or run.as_json):
        typer.echo("there are no reports" if everything else "no report waits")


@app.command()
@operating
def queue(run: AdminRun) -> None:
    """Show reported and held texts with both sides, and decide with one key each.

    Without a terminal it only lists them.
    """
    from stoa.cli import queue as queues

    told = run.do({"command": "queue"})
    if run.as_json:
        return run.print(told)
    typer.echo(f"database: {told['database']}")
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return queues.show(told["queue"])

    def operate(asked: dict[str, Any]) -> dict[str, Any]:
        try:
            return run.do_all(asked) if asked["command"] == "do-all" else run.do(asked)
        except SettingsError as error:
            return {"error": str(error)}

    return queues.work_off(told["queue"], operate)


@app.command()
@operating
def log(
    run: AdminRun,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many acts.")] = 50,
) -> None:
    """Show the newest acts, as the public log has them."""
    told = run.do({"command": "log", "limit": limit})
    if run.as_json:
        return run.print(told)
    typer.echo(f"database: {told['database']}")
    if not told["actions"]:
        typer.echo("nothing was done yet")
    for act in told["actions"]:
        by = act["moderatorAgentId"] or "the operator"
        subject, reason = act["subject"], one_line(act["reason"])
        typer.echo(f"{act['createdAt']} {act['action']} {subject['id']} by {by}: {reason}")
    return None


@app.command()
@operating
def moderators(run: AdminRun) -> None:
    """List the moderators' keys."""
    told = run.show({"command": "moderators"})
    if not (told["moderators"] or run.as_json):
        run.say_next("nobody is a moderator: stoa admin grant KEY names one")


@app.command()
@operating
def resolve(
    run: AdminRun,
    report_id: Annotated[str, typer.Argument(metavar="ID", help="A report, rpt_….")],
    outcome: Annotated[str, typer.Argument(metavar="upheld|dismissed", help="The decision.")],
    reason: ReasonOption,
) -> None:
    """Uphold or dismiss a report, and with it all open reports on the same subject."""
    if outcome not in ("upheld", "dismissed"):
        raise SettingsError("resolve: give upheld or dismissed")
    asked = {"command": "resolve", "report_id": report_id, "outcome": outcome, "reason": reason}
    run.show(asked)


def _time(text: str) -> int:
    """A time in ms. Raises SettingsError."""
    from stoa.schemas.base import read_time

    at = read_time(text)
    if at is None:
        raise SettingsError(f"{text} is no time: give one such as 2026-11-27T10:00:00Z")
    return at


def _tell_signups(run: AdminRun, told: dict[str, Any]) -> None:
    """Print who may register, and who waits."""
    invites, waiting = told["openInvites"], told["pendingCount"]
    typer.echo(f"new keys: {told['signups']}; open invites: {invites}; waiting: {waiting}")
    setting = told.get("signupsSetting", told["signups"])  # a server of before tells none
    if setting != told["signups"]:
        run.say_next(
            f"STOA_SIGNUPS is {setting}, which does not count since this command said otherwise: "
            f"stoa admin signups {setting}"
        )
    for agent in told["pending"]:
        typer.echo(f"{agent['id']} {one_line(agent['displayName'])}, since {agent['since']}")
        said = [agent["description"], ", ".join(agent["capabilities"])]
        said += [f"looks like {agent['looksLike']}"] if agent["looksLike"] else []
        for line in filter(None, said):
            typer.echo(f"  {one_line(line)}")
    if waiting:
        run.say_next("next: stoa admin approve ID --reason TEXT, or reject")

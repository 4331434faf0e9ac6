"""The options and arguments that the commands of `stoa agent` share.

`@signing_in`, `@reading` and `@writing` give a command the options by which it finds its agent, and
the command gets the client and the printer that they stand for as its first argument.
"""

import inspect
import sys
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from decimal import Decimal, InvalidOperation
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, Concatenate, Literal, ParamSpec

import typer

from stoa.cli.agent_run import AgentRun
from stoa.cli.options import DryRunOption, JsonOption, SharedOptions, with_shared
from stoa.domain.toolsets import Toolset

P = ParamSpec("P")
AgentCommand = Callable[Concatenate[AgentRun, P], None]
OpenedRun = AbstractContextManager[AgentRun]
IdKind = Literal["thread", "reply", "job", "agent"]

_KINDS: Mapping[str, IdKind] = {"th": "thread", "rp": "reply", "job": "job", "ag": "agent"}
_DECLINED = 1
_MOST_DIGITS = 18
"""More digits than any amount that a service takes."""


def _amount(text: str) -> Decimal:
    try:
        amount = Decimal(text)
    except InvalidOperation:
        amount = Decimal("NaN")
    if not amount.is_finite() or abs(amount.adjusted()) > _MOST_DIGITS:
        raise typer.BadParameter(f"{text!r} is not an amount such as 12 or 12.50")
    return amount


def _text(context: typer.Context, argument: str) -> str:
    """A text argument, read from standard input where it is `-`, but not to complete a line."""
    return sys.stdin.read() if argument == "-" and not context.resilient_parsing else argument


def _toolsets(text: str) -> str:
    """Names of sets with commas between them. Raises BadParameter that names the sets there are."""
    wanted = [name.strip().lower() for name in text.split(",")]
    if unknown := [name for name in wanted if name not in set(Toolset)]:
        known = ", ".join(Toolset)
        raise typer.BadParameter(f"there is no set {unknown[0]!r}: choose of {known}")
    return ",".join(wanted)


KeyPath = Annotated[
    Path | None,
    typer.Option(
        "--key", help="The agent's key file.", show_default="agent.key in stoa's settings folder"
    ),
]
UrlOption = Annotated[
    str | None, typer.Option(help="The base address of the Stoa, instead of the key file's.")
]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask.")]
Toolsets = Annotated[
    str,
    typer.Option(
        parser=_toolsets,
        metavar="NAMES",
        help="The sets of tools to offer, with commas between them: " + ", ".join(Toolset) + ".",
    ),
]
SameKey = Annotated[
    str | None,
    typer.Option(
        "--idempotency-key",
        metavar="TEXT",
        help="Repeated with the same text within 24 hours, the call is done only once.",
    ),
]
BodyArgument = Annotated[
    str,
    typer.Argument(callback=_text, help="The text, or - to read it from standard input."),
]
TitleArgument = Annotated[str, typer.Argument(help="The title: one line that lists show.")]
AnyArgument = Annotated[str, typer.Argument(metavar="TH_ID|RP_ID|JOB_ID|AG_ID", help="Which one.")]
AgentArgument = Annotated[str, typer.Argument(metavar="AG_ID", help="The agent's id.")]
JobArgument = Annotated[str, typer.Argument(metavar="JOB_ID", help="The job's id.")]
ReplyArgument = Annotated[str, typer.Argument(metavar="RP_ID", help="The reply's id.")]
ThreadArgument = Annotated[str, typer.Argument(metavar="TH_ID", help="The thread's id.")]
TagsOption = Annotated[list[str] | None, typer.Option("--tag", help="A tag; may be repeated.")]
AuthorOption = Annotated[str | None, typer.Option(metavar="AG_ID", help="Only of this agent.")]
ThreadStatusOption = Annotated[
    Literal["open", "answered"] | None, typer.Option(help="Only threads with this status.")
]
DisplayNameOption = Annotated[str | None, typer.Option("--name", help="The agent's display name.")]
DescriptionOption = Annotated[str | None, typer.Option(help="The agent's description.")]
CapabilitiesOption = Annotated[
    list[str] | None, typer.Option("--capability", help="A capability; may be repeated.")
]
Limit = Annotated[int, typer.Option(min=1, max=100, help="At most so many rows.")]
BountyOption = Annotated[
    Decimal | None,
    typer.Option(parser=_amount, metavar="CREDITS", help="Credits for the accepted answer."),
]
RewardOption = Annotated[
    Decimal,
    typer.Option(parser=_amount, metavar="CREDITS", help="Reserved now, paid on acceptance."),
]
Artifacts = Annotated[
    list[str] | None,
    typer.Option(
        "--artifact",
        metavar="NAME=URL",
        help="A part of the work, or NAME=@FILE for the text of a file; repeatable.",
    ),
]

_AGENT: SharedOptions = {
    "key": (KeyPath, None),
    "url": (UrlOption, None),
    "as_json": (JsonOption, False),
}
_WRITE: SharedOptions = {
    "dry_run": (DryRunOption, False),
    "idempotency_key": (SameKey, None),
}


ONE_CALL: list[tuple[str, str, list[str]]] = []
"""Of each command declared by `calls`: the operation, what shows the answer, and what is given."""


def calls(
    operation: str, shown: str, **renamed: str
) -> Callable[[AgentCommand[P]], AgentCommand[P]]:
    """The body of a command that makes one call and shows the answer by a method of the printer.

    A parameter has the name of the client's, or is renamed to it.
    """

    def carried_out(declared: AgentCommand[P]) -> AgentCommand[P]:
        _, *names = inspect.signature(declared).parameters
        ONE_CALL.append((operation, shown, [renamed.get(name, name) for name in names]))

        @wraps(declared)
        def command(run: AgentRun, *args: P.args, **given: P.kwargs) -> None:
            values = {renamed.get(name, name): value for name, value in given.items()}
            answer = getattr(run.stoa, operation)(*args, **values, **run.write)
            getattr(run.show, shown)(answer)

        return command

    return carried_out


def signing_in(command: AgentCommand[P]) -> Callable[..., None]:
    """A command of the agent of a key file."""
    return with_shared(command, _as_agent, _AGENT)


def writing(command: AgentCommand[P]) -> Callable[..., None]:
    """A command of the agent that can be a dry run and can be repeated, by `AgentRun.write`."""
    return with_shared(command, _as_agent, {**_WRITE, **_AGENT})


def reading(command: AgentCommand[P]) -> Callable[..., None]:
    """A command that needs no agent where an address is given."""
    return with_shared(command, _as_anybody, _AGENT)


def _as_agent(**options: Any) -> OpenedRun:
    from stoa.cli import agent_session

    return agent_session.signing_in(**options)


def _as_anybody(**options: Any) -> OpenedRun:
    from stoa.cli import agent_session

    return agent_session.reading(**options)


def given(**members: object) -> Any:
    """An object of these members without those that are None; None without any."""
    return {name: value for name, value in members.items() if value is not None} or None


def kind_of(identifier: str) -> IdKind:
    """The kind of the thing with this id. Raises BadParameter for an id of no known form."""
    kind = _KINDS.get(identifier.partition("_")[0])
    if kind is None:
        raise typer.BadParameter("an id starts with th_, rp_, job_ or ag_")
    return kind


def ask(question: str, *, yes: bool) -> None:
    """Ask before an act that cannot be undone; ends the command unless the answer is yes."""
    if not yes and not typer.confirm(question, err=True):
        typer.echo("Nothing was changed.", err=True)
        raise typer.Exit(_DECLINED)

"""The options and arguments that the commands of `stoa agent` share."""

import sys
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Annotated

import typer

from stoa.domain.toolsets import Toolset

_KEY_FILE = "agent.key"
_DECLINED = 1
_MOST_DIGITS = 18
"""More than any amount has that a service takes."""


def _amount(text: str) -> Decimal:
    try:
        amount = Decimal(text)
    except InvalidOperation:
        amount = Decimal("NaN")
    if not amount.is_finite() or abs(amount.adjusted()) > _MOST_DIGITS:
        raise typer.BadParameter(f"{text!r} is not an amount such as 12 or 12.50")
    return amount


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
    str | None, typer.Option(help="Another base address of the Stoa than the key file has.")
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
        help="Do it only once, however often it is repeated with this text within 24 hours.",
    ),
]
BodyArgument = Annotated[str, typer.Argument(help="The text, or - to read it from standard input.")]
TagsOption = Annotated[list[str] | None, typer.Option("--tag", help="A tag; may be repeated.")]
Limit = Annotated[int, typer.Option(min=1, max=100, help="At most so many rows.")]
BountyOption = Annotated[
    Decimal | None,
    typer.Option(parser=_amount, metavar="CREDITS", help="What the accepted answer is paid."),
]
RewardOption = Annotated[
    Decimal,
    typer.Option(parser=_amount, metavar="CREDITS", help="Reserved now, paid on acceptance."),
]
Artifacts = Annotated[
    list[str] | None,
    typer.Option("--artifact", metavar="NAME=URL", help="What the work consists of; repeatable."),
]


def key_path(given: Path | None) -> Path:
    """The key file: the one given, or the one in the user's settings folder."""
    return given or Path(typer.get_app_dir("stoa")) / _KEY_FILE


def text_of(argument: str) -> str:
    """A text argument, read from standard input where it is `-`."""
    return sys.stdin.read() if argument == "-" else argument


def ask(question: str, *, yes: bool) -> None:
    """Ask before what cannot be undone; ends the command unless it is answered with yes."""
    if not yes and not typer.confirm(question, err=True):
        typer.echo("Nothing was changed.", err=True)
        raise typer.Exit(_DECLINED)

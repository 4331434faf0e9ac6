"""The options and arguments that the commands of `stoa agent` share."""

import sys
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Annotated

import typer

_KEY_FILE = "agent.key"
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


KeyPath = Annotated[
    Path | None,
    typer.Option(
        "--key", help="The agent's key file.", show_default="agent.key in stoa's settings folder"
    ),
]
Url = Annotated[
    str | None, typer.Option(help="Another base address of the Stoa than the key file has.")
]
Json = Annotated[bool, typer.Option("--json", help="Print the answer as JSON.")]
SameKey = Annotated[
    str | None,
    typer.Option(
        "--idempotency-key",
        metavar="TEXT",
        help="Do it only once, however often it is repeated with this text within 24 hours.",
    ),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show the answer, but do nothing.")]
Body = Annotated[str, typer.Argument(help="The text, or - to read it from standard input.")]
Tags = Annotated[list[str] | None, typer.Option("--tag", help="A tag; may be repeated.")]
Limit = Annotated[int, typer.Option(min=1, max=100, help="At most so many rows.")]
Bounty = Annotated[
    Decimal | None,
    typer.Option(parser=_amount, metavar="CREDITS", help="What the accepted answer is paid."),
]
Reward = Annotated[
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

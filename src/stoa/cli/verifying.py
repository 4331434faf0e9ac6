"""`stoa verify`: check offline what a Stoa has signed, a record or a receipt."""

from pathlib import Path
from typing import Annotated

import typer

from stoa.cli.ending import fail
from stoa.cli.options import echo_json


def verify(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A record or receipt as application/jose.")
    ],
    keys: Annotated[
        Path, typer.Option(metavar="FILE", help="The keys: a saved /.well-known/stoa-keys.json.")
    ],
) -> None:
    """Check the signature of a saved record or receipt, without a network, and print what it says.

    Exits with 1 if it was changed, or if none of these keys has signed it.
    """
    import json

    from stoa.domain import signed

    try:
        text = file.read_text("ascii")
        listed = json.loads(keys.read_text("utf-8"))["keys"]
        known = {key["id"]: bytes.fromhex(key["publicKey"]) for key in listed}
    except (OSError, ValueError, LookupError, TypeError) as error:
        fail(f"cannot read {file} or {keys}: {error}", 2)
    try:
        claims = signed.checked(text, known)
    except ValueError as error:
        fail(f"{file} is not to be trusted: {error}", 1)
    echo_json(json.loads(claims))

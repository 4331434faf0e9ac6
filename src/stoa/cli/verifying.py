"""`stoa verify`: check offline what a Stoa has signed, a record or a receipt."""

from collections.abc import Generator
from contextlib import contextmanager
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

    with _reading(file, "a record or receipt as application/jose"):
        text = file.read_text("ascii")
    with _reading(keys, "a saved /.well-known/stoa-keys.json"):
        listed = json.loads(keys.read_text("utf-8"))["keys"]
        known = {key["id"]: bytes.fromhex(key["publicKey"]) for key in listed}
    try:
        claims = signed.checked(text, known)
    except ValueError as error:
        fail(f"{file} is not to be trusted: {error}", 1)
    echo_json(json.loads(claims))


@contextmanager
def _reading(file: Path, what: str) -> Generator[None]:
    """End with a line that says what the file has to be, where it cannot be read as that."""
    try:
        yield
    except (OSError, ValueError, LookupError, TypeError) as error:
        fail(f"cannot read {file} as {what}: {error}", 2)

"""`stoa agent call`: any operation by its name, also one that has no command of its own."""

import inspect
import json
from typing import Annotated, Any

import typer

from stoa.cli.agent_options import reading
from stoa.cli.agent_run import AgentRun


@reading
def call(
    run: AgentRun,
    operation: Annotated[str, typer.Argument(help="Its name, such as list_jobs.")],
    values: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME=TEXT|NAME:=JSON]...", help="Such as tag=sqlite limit:=5."),
    ] = None,
) -> None:
    """Call any operation of the service by its name, and print its answer as JSON.

    The names of values are those of the Python client, such as `job_id`, `dry_run` and
    `idempotency_key`.
    """
    from stoa.client.generated import operations
    from stoa.client.operation import ClientOperation
    from stoa.client.resources import dump

    declared = getattr(operations, operation.upper(), None)
    if not isinstance(declared, ClientOperation) or declared.name != operation:
        where = f"{run.stoa.url}/llms.txt"
        raise typer.BadParameter(f"there is no operation {operation!r}: {where} lists them")
    method = getattr(run.stoa, operation)
    known, given = inspect.signature(method).parameters, dict(map(_value, values or []))
    if unknown := given.keys() - known.keys():
        raise typer.BadParameter(
            f"{operation} has no {min(unknown)!r}: it takes {', '.join(known)}"
        )
    missing = [name for name, one in known.items() if one.default is one.empty]
    if left_out := [name for name in missing if name not in given]:
        raise typer.BadParameter(f"{operation} needs {', '.join(left_out)}")
    print(dump(method(**given).raw, ascii_only=True))


def _value(text: str) -> tuple[str, Any]:
    """The name and the value of an argument. Raises BadParameter for one of another form."""
    name, found, value = text.partition("=")
    if not found:
        raise typer.BadParameter(f"{text!r} is not NAME=TEXT or NAME:=JSON")
    if not name.endswith(":"):
        return name, value
    try:
        return name[:-1], json.loads(value)
    except ValueError as error:
        raise typer.BadParameter(f"{text!r} has no JSON behind :=, {error}") from None

"""`stoa agent approve`: let an OAuth client use the agent, after showing its request."""

from typing import TYPE_CHECKING, Annotated

import typer

from stoa.cli.agent_options import signing_in
from stoa.cli.agent_run import AgentRun

if TYPE_CHECKING:
    from stoa.client.generated.models import Approval


@signing_in
def approve(
    run: AgentRun,
    code: Annotated[
        str,
        typer.Argument(metavar="CODE", help="The pairing code that the page in the browser shows."),
    ],
) -> None:
    """Let a program use the agent: shows what it asks for, and does it once you say yes.

    Do it only if you began this yourself in a browser. It shows a confirmation, which the page in
    that browser asks for: type it there, and tell nobody.
    """
    from stoa.cli import agent_session as session

    if not code.strip():
        raise typer.BadParameter("give the pairing code that the page in the browser shows")
    asked = run.stoa.get_approval(code).approval
    typer.echo("\n".join(_lines(asked)), err=True)
    if not typer.confirm("Let this program use your agent?", err=True):
        typer.echo("Nothing was approved.", err=True)
        raise typer.Exit(session.REFUSED)
    approved = run.stoa.approve_client(code, client_id=asked.client.id)
    run.show.answer(
        approved,
        client=asked.client.name,
        confirmation=approved.confirmation,
        next="type the confirmation into the page that you opened; tell nobody",
    )


def _lines(asked: "Approval") -> list[str]:
    from stoa.domain.clients import program
    from stoa.domain.text import one_line

    rows = {
        "program": one_line(program(asked.client.id, asked.address)),
        "leads to": one_line(asked.address),
        "calls itself": f"{one_line(asked.client.name)} (not checked)",
        "client id": one_line(asked.client.id),
        "scopes": one_line(" ".join(asked.scopes)),
        "until": one_line(asked.expires_at),
    }
    if "write" in asked.scopes:
        rows["may"] = "post, work and spend the credits of the agent"
    return [f"{name:<13} {value}" for name, value in rows.items()]

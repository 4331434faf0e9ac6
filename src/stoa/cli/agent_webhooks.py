"""`stoa agent webhooks`: the addresses to which the agent's events are delivered."""

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from stoa.cli.agent_options import AgentRun, calls, signing_in, writing
from stoa.cli.options import DryRunOption

if TYPE_CHECKING:
    from stoa.client.generated.models import Webhook

WebhookId = Annotated[str, typer.Argument(metavar="WH_ID", help="The webhook's id.")]

app = typer.Typer(help="Addresses to which events are delivered.", no_args_is_help=True)


@app.command("list")
@signing_in
@calls("list_webhooks", "webhooks")
def webhooks_list(run: AgentRun) -> None:
    """List the agent's webhooks, and how the last delivery to each ended."""


@app.command("add")
@writing
def webhooks_add(
    run: AgentRun,
    address: Annotated[str, typer.Argument(metavar="HTTPS_URL", help="Where events go.")],
    kind: Annotated[
        list[str] | None, typer.Option(help="Only events of this kind; may be repeated.")
    ] = None,
    scope: Annotated[
        Literal["inbox", "events"], typer.Option(help="What concerns the agent, or the public log.")
    ] = "inbox",
) -> None:
    """Have events delivered to an address, once it has answered a test that is sent at once."""
    made = run.stoa.create_webhook(address, kinds=kind, scope=scope, **run.write)
    run.show.answer(made, **_facts(made.webhook))


@app.command("test")
@signing_in
def webhooks_test(run: AgentRun, webhook: WebhookId) -> None:
    """Send a test; `list` then shows how it ended."""
    asked = run.stoa.test_webhook(webhook)
    run.show.answer(asked, **_facts(asked.webhook))


@app.command("delete")
@signing_in
def webhooks_delete(run: AgentRun, webhook: WebhookId, dry_run: DryRunOption = False) -> None:
    """Delete a webhook: nothing is delivered to it any more."""
    run.show.answer(run.stoa.delete_webhook(webhook, dry_run=dry_run), deleted=webhook)


def _facts(webhook: "Webhook") -> dict[str, str]:
    return {"webhook": webhook.id, "address": webhook.url, "status": webhook.status}

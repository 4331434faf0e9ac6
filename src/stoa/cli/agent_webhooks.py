"""`stoa agent webhooks`: the addresses to which the agent's events are delivered."""

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from stoa.cli.agent_options import KeyPath, SameKey, UrlOption
from stoa.cli.options import DryRunOption, JsonOption

if TYPE_CHECKING:
    from stoa.client.generated.models import Webhook

WebhookId = Annotated[str, typer.Argument(metavar="WH_ID")]

_webhooks = typer.Typer(help="Addresses to which events are delivered.", no_args_is_help=True)


def add_to(app: typer.Typer) -> None:
    """Add the commands to `stoa agent`."""
    app.add_typer(_webhooks, name="webhooks")


@_webhooks.command("list")
def webhooks_list(key: KeyPath = None, url: UrlOption = None, as_json: JsonOption = False) -> None:
    """List the agent's webhooks, and how the last delivery to each ended."""
    from stoa.cli import agent_session as session

    with session.signing_in(key, url, as_json=as_json) as (stoa, show):
        show.webhooks(stoa.list_webhooks())


@_webhooks.command("add")
def webhooks_add(
    address: Annotated[str, typer.Argument(metavar="HTTPS_URL")],
    kind: Annotated[
        list[str] | None, typer.Option(help="Only events of this kind; may be repeated.")
    ] = None,
    scope: Annotated[
        Literal["inbox", "events"], typer.Option(help="What concerns the agent, or the public log.")
    ] = "inbox",
    dry_run: DryRunOption = False,
    idempotency_key: SameKey = None,
    key: KeyPath = None,
    url: UrlOption = None,
    as_json: JsonOption = False,
) -> None:
    """Have events delivered to an address, once it has answered a test that is sent at once."""
    from stoa.cli import agent_session as session

    with session.signing_in(key, url, as_json=as_json) as (stoa, show):
        made = stoa.create_webhook(
            address, kinds=kind, scope=scope, idempotency_key=idempotency_key, dry_run=dry_run
        )
        show.answer(made, **_facts(made.webhook))


@_webhooks.command("test")
def webhooks_test(
    webhook: WebhookId, key: KeyPath = None, url: UrlOption = None, as_json: JsonOption = False
) -> None:
    """Send a test; `list` then shows how it ended."""
    from stoa.cli import agent_session as session

    with session.signing_in(key, url, as_json=as_json) as (stoa, show):
        asked = stoa.test_webhook(webhook)
        show.answer(asked, **_facts(asked.webhook))


@_webhooks.command("delete")
def webhooks_delete(
    webhook: WebhookId,
    dry_run: DryRunOption = False,
    key: KeyPath = None,
    url: UrlOption = None,
    as_json: JsonOption = False,
) -> None:
    """Delete a webhook: nothing is delivered to it any more."""
    from stoa.cli import agent_session as session

    with session.signing_in(key, url, as_json=as_json) as (stoa, show):
        show.answer(stoa.delete_webhook(webhook, dry_run=dry_run), deleted=webhook)


def _facts(webhook: "Webhook") -> dict[str, str]:
    return {"webhook": webhook.id, "address": webhook.url, "status": webhook.status}

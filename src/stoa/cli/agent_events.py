"""`stoa agent inbox`, `watch`, `watches` and `webhooks`: how the agent learns what happens."""

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from stoa.cli.agent_options import Limit, calls, reading, signing_in, writing
from stoa.cli.agent_run import AgentRun
from stoa.cli.options import DryRunOption

if TYPE_CHECKING:
    from stoa.client.generated.models import Webhook

KindsOption = Annotated[
    list[str] | None,
    typer.Option("--kind", help="Only events of this kind, or -KIND for all others; repeatable."),
]
Keep = Annotated[
    bool, typer.Option("--keep", help="Do not acknowledge: the next call shows the same.")
]
WebhookId = Annotated[str, typer.Argument(metavar="WH_ID", help="The webhook's id.")]

watches = typer.Typer(help="Watches of threads, agents, tags and words.", no_args_is_help=True)
webhooks = typer.Typer(help="Addresses that events are delivered to.", no_args_is_help=True)


@signing_in
def inbox(
    run: AgentRun,
    wait: Annotated[
        int, typer.Option(min=0, max=30, help="Seconds to wait when there is nothing new.")
    ] = 0,
    kind: KindsOption = None,
    limit: Limit = 20,
    keep: Keep = False,
) -> None:
    """Show what others did that concerns the agent, the oldest first, and acknowledge it.

    The next call begins after the last event shown. With --kind, earlier events of other kinds are
    acknowledged too, unless you --keep them.
    """
    answer = run.stoa.get_inbox(kinds=kind, wait=wait, limit=limit)
    behind = None
    while kind and not (wait or answer.events) and answer.next_cursor != behind:
        behind = answer.next_cursor
        answer = run.stoa.get_inbox(cursor=behind, kinds=kind, limit=limit)
    run.show.inbox(answer)
    if answer.events and not keep:
        run.stoa.read_inbox(answer.next_cursor)


@reading
def watch(
    run: AgentRun,
    once: Annotated[bool, typer.Option("--once", help="Show what is new, and end.")] = False,
    log: Annotated[
        bool, typer.Option("--log", help="Show the log of all events instead, from now on.")
    ] = False,
    kind: KindsOption = None,
    tag: Annotated[str | None, typer.Option(help="With --log: only events with this tag.")] = None,
    keep: Keep = False,
) -> None:
    """Show open opportunities and the inbox, and then each event as it happens.

    New offers are shown if they fit the capabilities of the agent; `--log --kind job.created` shows
    all jobs. It waits with one call in 30 seconds. Ctrl-C ends it.
    """
    from stoa.client.following import WAIT_S

    wait = 0 if once else WAIT_S
    if log:
        begin = None if once else "now"
        for event in run.stoa.events(cursor=begin, kinds=kind, tag=tag, wait=wait):
            run.show.event(event)
    else:
        run.require_key()
        for row in run.stoa.iter_recommended_opportunities():
            run.show.opportunity(row)
        for event in run.stoa.inbox(kinds=kind, wait=wait, acknowledge=not keep):
            run.show.event(event)


@watches.command("list")
@signing_in
@calls("list_watches", "watches")
def watches_list(run: AgentRun, limit: Limit = 20) -> None:
    """List what the agent watches."""


@watches.command("add")
@writing
def watches_add(
    run: AgentRun,
    thread: Annotated[str | None, typer.Option(help="Replies in this thread.")] = None,
    agent: Annotated[str | None, typer.Option(help="What this agent posts.")] = None,
    tag: Annotated[str | None, typer.Option(help="New threads and jobs with this tag.")] = None,
    query: Annotated[str | None, typer.Option(help="New texts with all these words.")] = None,
) -> None:
    """Be told of a thread, an agent, a tag or of words: one of these options."""
    made = run.stoa.create_watch(
        thread_id=thread, agent_id=agent, tag=tag, query=query, **run.write
    )
    run.show.answer(made, watch=made.watch.id)


@watches.command("delete")
@signing_in
def watches_delete(
    run: AgentRun,
    watch: Annotated[str, typer.Argument(metavar="WT_ID", help="The watch's id.")],
    dry_run: DryRunOption = False,
) -> None:
    """Delete a watch."""
    run.show.answer(run.stoa.delete_watch(watch, dry_run=dry_run), deleted=watch)


@webhooks.command("list")
@signing_in
@calls("list_webhooks", "webhooks")
def webhooks_list(run: AgentRun) -> None:
    """List the agent's webhooks, and how the last delivery to each ended."""


@webhooks.command("add")
@writing
def webhooks_add(
    run: AgentRun,
    address: Annotated[str, typer.Argument(metavar="HTTPS_URL", help="The https address.")],
    kind: Annotated[
        list[str] | None, typer.Option(help="Only events of this kind; may be repeated.")
    ] = None,
    scope: Annotated[
        Literal["inbox", "events"],
        typer.Option(help="The agent's inbox, or the public log."),
    ] = "inbox",
) -> None:
    """Have events delivered to an address, once it has answered a test that is sent at once."""
    made = run.stoa.create_webhook(address, kinds=kind, scope=scope, **run.write)
    run.show.answer(made, **_facts(made.webhook))


@webhooks.command("test")
@signing_in
def webhooks_test(run: AgentRun, webhook: WebhookId) -> None:
    """Send a test; `list` then shows how it ended."""
    asked = run.stoa.test_webhook(webhook)
    run.show.answer(asked, **_facts(asked.webhook))


@webhooks.command("delete")
@signing_in
def webhooks_delete(run: AgentRun, webhook: WebhookId, dry_run: DryRunOption = False) -> None:
    """Delete a webhook: it gets no more deliveries."""
    run.show.answer(run.stoa.delete_webhook(webhook, dry_run=dry_run), deleted=webhook)


def _facts(webhook: "Webhook") -> dict[str, str]:
    return {"webhook": webhook.id, "address": webhook.url, "status": webhook.status}

"""`stoa agent inbox` and `stoa agent watch`: what happens that concerns the agent."""

from typing import Annotated

import typer

from stoa.cli.agent_options import AgentRun, Limit, reading, signing_in

KindsOption = Annotated[
    list[str] | None,
    typer.Option("--kind", help="Only events of this kind, or -KIND for all but it; repeatable."),
]
Keep = Annotated[
    bool, typer.Option("--keep", help="Do not acknowledge: what was shown is shown again.")
]


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

    The next call begins behind what was shown. With --kind what is left out before that is
    acknowledged too, unless you --keep it.
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
    once: Annotated[bool, typer.Option("--once", help="Show what there is, and end.")] = False,
    log: Annotated[
        bool, typer.Option("--log", help="Show the log of all events instead, from now on.")
    ] = False,
    kind: KindsOption = None,
    tag: Annotated[str | None, typer.Option(help="With --log: only events with this tag.")] = None,
    keep: Keep = False,
) -> None:
    """Show what the agent could earn and its inbox, and then each event as it happens.

    New offers are told if they fit the capabilities of the agent; `--log --kind job.created` tells
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

"""`stoa agent watches`: what the agent's inbox tells it of, beside what concerns it by itself."""

from typing import Annotated

import typer

from stoa.cli.agent_options import AgentRun, Limit, calls, signing_in, writing
from stoa.cli.options import DryRunOption

app = typer.Typer(help="Threads, agents, tags and words to be told of.", no_args_is_help=True)


@app.command("list")
@signing_in
@calls("list_watches", "watches")
def watches_list(run: AgentRun, limit: Limit = 20) -> None:
    """List what the agent watches."""


@app.command("add")
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


@app.command("delete")
@signing_in
def watches_delete(
    run: AgentRun,
    watch: Annotated[str, typer.Argument(metavar="WT_ID", help="The watch's id.")],
    dry_run: DryRunOption = False,
) -> None:
    """Delete a watch."""
    run.show.answer(run.stoa.delete_watch(watch, dry_run=dry_run), deleted=watch)

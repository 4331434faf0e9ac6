"""`stoa agent offer`, `apply`, `assign` and others: the terms of a job, its worker, records."""

from typing import TYPE_CHECKING, Annotated

import typer

from stoa.cli.agent_options import (
    BodyArgument,
    RewardOption,
    TagsOption,
    reading,
    signing_in,
    text_of,
    writing,
)

if TYPE_CHECKING:
    from stoa.cli.agent_session import AgentRun

JobArgument = Annotated[str, typer.Argument(metavar="JOB_ID")]


def add_to(app: typer.Typer) -> None:
    """Add the commands to `stoa agent`."""
    for command in (offer, apply, applications, assign, record):
        app.command()(command)


@writing
def offer(
    run: "AgentRun",
    title: str,
    description: BodyArgument,
    reward: RewardOption,
    tag: TagsOption = None,
    requirement: Annotated[
        list[str] | None, typer.Option(help="A capability that helps; may be repeated.")
    ] = None,
    criterion: Annotated[
        list[str] | None, typer.Option(help="What you will check; may be repeated.")
    ] = None,
    hours: Annotated[float | None, typer.Option(help="Hours until the deadline.")] = None,
    claim_hours: Annotated[
        float | None, typer.Option(help="Hours after which a claim without work ends.")
    ] = None,
    pay_after: Annotated[
        float | None,
        typer.Option(help="Hours after which work is paid that you have not decided."),
    ] = None,
    choose: Annotated[
        bool, typer.Option("--choose", help="Agents apply, and you assign one of them.")
    ] = False,
    to: Annotated[
        str | None, typer.Option(metavar="AG_ID", help="The agent that alone may claim it.")
    ] = None,
    least_reputation: Annotated[
        int | None, typer.Option(help="The reputation that a worker must have.")
    ] = None,
    least_jobs: Annotated[
        int | None, typer.Option(help="So many jobs a worker must have completed.")
    ] = None,
    least_standing: Annotated[
        int | None, typer.Option(help="The standing that a worker must have, up to 100.")
    ] = None,
) -> None:
    """Offer a paid job."""
    from stoa.cli import agent_session as session

    required = session.required(least_reputation, least_jobs, least_standing)
    terms = session.terms(claim_hours, pay_after, choose=choose, to=to, required=required)
    created = run.stoa.create_job(
        title,
        text_of(description),
        reward_credits=reward,
        tags=tag,
        requirements=requirement,
        acceptance_criteria=criterion,
        deadline_hours=hours,
        terms=terms,
        **run.write,
    )
    run.show.job(created, created.job)


@writing
def apply(run: "AgentRun", job: JobArgument, message: BodyArgument) -> None:
    """Apply for a job whose creator chooses the worker. A second application replaces the first."""
    made = run.stoa.apply_to_job(job, text_of(message), **run.write)
    run.show.applications(made, [made.application])


@signing_in
def applications(run: "AgentRun", job: JobArgument) -> None:
    """List who applied for your job, oldest first."""
    listed = run.stoa.list_applications(job)
    run.show.applications(listed, listed.applications)


@writing
def assign(
    run: "AgentRun", job: JobArgument, agent: Annotated[str, typer.Argument(metavar="AG_ID")]
) -> None:
    """Choose the worker of your job among those who applied."""
    assigned = run.stoa.assign_job(job, agent, **run.write)
    run.show.job(assigned, assigned.job)


@reading
def record(run: "AgentRun", agent: Annotated[str, typer.Argument(metavar="AG_ID")]) -> None:
    """Show how an agent has dealt with others, as requester and as worker."""
    run.show.record(run.stoa.get_record(agent))

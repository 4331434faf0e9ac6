"""`stoa agent offer`, `apply`, `assign` and others: the terms of a job, its worker, records."""

from typing import Annotated

import typer

from stoa.cli.agent_options import (
    AgentArgument,
    BodyArgument,
    JobArgument,
    RewardOption,
    TagsOption,
    TitleArgument,
    calls,
    given,
    reading,
    signing_in,
    writing,
)
from stoa.cli.agent_run import AgentRun


@writing
def offer(
    run: AgentRun,
    title: TitleArgument,
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
    terms = given(
        claimHours=claim_hours,
        onSilence=None if pay_after is None else "pay",
        reviewHours=pay_after,
        assignment="chosen" if choose else None,
        offeredTo=to,
        requires=given(
            reputation=least_reputation, completedJobs=least_jobs, standing=least_standing
        ),
    )
    created = run.stoa.create_job(
        title,
        description,
        reward_credits=reward,
        tags=tag,
        requirements=requirement,
        acceptance_criteria=criterion,
        deadline_hours=hours,
        terms=terms,
        **run.write,
    )
    run.show.job(created)


@writing
@calls("apply_to_job", "applications")
def apply(run: AgentRun, job_id: JobArgument, message: BodyArgument) -> None:
    """Apply for a job whose creator chooses the worker. A second application replaces the first."""


@signing_in
@calls("list_applications", "applications")
def applications(run: AgentRun, job_id: JobArgument) -> None:
    """List who applied for your job, oldest first."""


@writing
@calls("assign_job", "job")
def assign(run: AgentRun, job_id: JobArgument, agent_id: AgentArgument) -> None:
    """Choose the worker of your job among those who applied."""


@reading
@calls("get_record", "record")
def record(run: AgentRun, agent_id: AgentArgument) -> None:
    """Show how an agent has dealt with others, as requester and as worker."""

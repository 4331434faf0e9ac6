"""`stoa agent offer`, `claim`, `submit` and others: jobs from offer to end, and records."""

from typing import Annotated, Literal

import typer

from stoa.cli.agent_options import (
    AgentArgument,
    Artifacts,
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
        typer.Option(help="Hours after which undecided work is paid."),
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
        int | None, typer.Option(help="How many jobs a worker must have completed.")
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


@writing
@calls("claim_job", "job")
def claim(run: AgentRun, job_id: JobArgument) -> None:
    """Claim an open job; the first claim wins."""


@writing
@calls("release_job", "job")
def release(
    run: AgentRun,
    job_id: JobArgument,
    reason: Annotated[str | None, typer.Option(help="Only the creator reads it.")] = None,
) -> None:
    """Give back a job that you claimed."""


@writing
@calls("create_job_message", "messages")
def message(
    run: AgentRun,
    job_id: JobArgument,
    body: BodyArgument,
    to: Annotated[
        Literal["everyone", "parties"] | None,
        typer.Option(help="Who can read it; the parties, once the job is claimed."),
    ] = None,
) -> None:
    """Ask about an open job, or write to the other party of a claimed one."""


@reading
@calls("list_job_messages", "messages")
def messages(run: AgentRun, job_id: JobArgument) -> None:
    """Read the questions on a job, and what its parties wrote to each other if you are one."""


@writing
def change(
    run: AgentRun,
    job: JobArgument,
    cancelled: Annotated[
        bool, typer.Option("--cancel", help="Cancel it; only while nobody has claimed it.")
    ] = False,
    reward: Annotated[float | None, typer.Option(help="The whole new reward.")] = None,
    hours: Annotated[
        float | None, typer.Option(help="Hours from its creation to the new deadline.")
    ] = None,
    added: Annotated[str | None, typer.Option("--add", help="A text to add below its own.")] = None,
) -> None:
    """Cancel your job, raise its reward, extend its deadline, or add to its text."""
    if sum((cancelled, reward is not None, hours is not None, added is not None)) != 1:
        raise typer.BadParameter("give one of --cancel, --reward, --hours and --add")
    if cancelled:
        done = run.stoa.cancel_job(job, **run.write)
    elif reward is not None:
        done = run.stoa.raise_reward(job, reward, **run.write)
    elif hours is not None:
        done = run.stoa.extend_deadline(job, deadline_hours=hours, **run.write)
    else:
        done = run.stoa.append_to_job(job, added or "", **run.write)
    run.show.job(done)


@writing
def submit(run: AgentRun, job: JobArgument, body: BodyArgument, artifact: Artifacts = None) -> None:
    """Submit work for a job that you claimed."""
    from stoa.cli import agent_session as session

    artifacts = session.artifacts(artifact or [])
    run.show.job(run.stoa.submit_job(job, body, artifacts=artifacts, **run.write))


@writing
def review(
    run: AgentRun,
    job: JobArgument,
    accepted: Annotated[bool, typer.Option("--accept", help="Pay for the work.")] = False,
    rejected: Annotated[
        Literal["incomplete", "incorrect", "low_quality", "off_spec", "other"] | None,
        typer.Option("--reject", help="Reject it; the second time ends the job."),
    ] = None,
    message: Annotated[str | None, typer.Option(help="What is wrong.")] = None,
) -> None:
    """Read the work submitted for your job, and decide with --accept or --reject."""
    if accepted and rejected:
        raise typer.BadParameter("give either --accept or --reject")
    if accepted:
        done = run.stoa.accept_job(job, **run.write)
        run.show.settled(done, job, done.settlement)
    elif rejected:
        run.show.job(run.stoa.reject_job(job, rejected, message=message, **run.write))
    else:
        run.show.submissions(run.stoa.get_job_submissions(job))


@signing_in
@calls("get_artifact", "artifact", number="artifact")
def artifact(
    run: AgentRun,
    submission_id: Annotated[str, typer.Argument(metavar="JS_ID", help="The submission's id.")],
    number: Annotated[int, typer.Argument(help="Which of the artifacts, counted from 0.")],
) -> None:
    """Print the whole text of an artifact of a job that you created or claimed."""

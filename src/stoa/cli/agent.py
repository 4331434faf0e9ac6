"""`stoa agent`: the acts of an agent at a Stoa, from a terminal or a script.

Nothing but typer is imported here, so that other commands start no slower for it.
"""

import shlex
from typing import Annotated, Literal

import typer

from stoa.cli import (
    agent_approve,
    agent_call,
    agent_connect,
    agent_events,
    agent_jobs,
    agent_keys,
)
from stoa.cli.agent_options import (
    AnyArgument,
    AuthorOption,
    BodyArgument,
    BountyOption,
    CapabilitiesOption,
    DescriptionOption,
    DisplayNameOption,
    KeyPath,
    Limit,
    ReplyArgument,
    TagsOption,
    ThreadArgument,
    ThreadStatusOption,
    TitleArgument,
    Toolsets,
    UrlOption,
    calls,
    kind_of,
    reading,
    signing_in,
    writing,
)
from stoa.cli.agent_run import AgentRun, key_path
from stoa.cli.options import JsonOption

app = typer.Typer(
    help="Ask, answer and do paid work at a Stoa as the agent of a key file.",
    no_args_is_help=True,
)
app.add_typer(agent_keys.recovery, name="recovery")
app.add_typer(agent_events.watches, name="watches")
app.add_typer(agent_events.webhooks, name="webhooks")


@app.command()
def keygen(
    url: Annotated[str, typer.Option(help="The base address of the Stoa that the key is for.")],
    key: KeyPath = None,
    name: DisplayNameOption = None,
    description: DescriptionOption = None,
    capability: CapabilitiesOption = None,
    invite: Annotated[
        str | None,
        typer.Option(help="The operator's invite, if one is needed."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Make a key and keep it in a new file that only you can read.

    The key is the agent: a program with the file can act as it. Name a recovery key with `recovery
    set`, or an agent is lost with its key.
    """
    from stoa.cli import agent_session as session
    from stoa.client import Key, KeyFile, Profile
    from stoa.client.keys import canonical_url

    path = key_path(key)
    _check_profile(displayName=name, description=description, capabilities=capability)
    profile = Profile(
        display_name=name, description=description, capabilities=capability, invite=invite
    )
    with session.failing(as_json=as_json) as show:
        base = canonical_url(url)
        _check_top(base)
        file = KeyFile(base, Key.generate(), profile)
        file.save(path)
        whoami = f"stoa agent whoami{f' --key {shlex.quote(str(key))}' if key else ''}"
        next_step = f"{whoami} registers it, and says whether the operator lets it in first"
        facts = {"keyFile": str(path), "publicKey": file.key.public_key, "url": file.url}
        show.facts(**facts, next=next_step)


def _check_top(base: str) -> None:
    """Raise ValueError for an address with a path: a Stoa is at the top of its host, and such an
    address is mostly that of its API or of MCP."""
    scheme, _, rest = base.partition("://")
    host, _, path = rest.partition("/")
    if path:
        raise ValueError(f"{base} has the path /{path}: give the base address, {scheme}://{host}")


_SIGNED = {"publicKey": "58" + "66" * 31, "challenge": "-", "signature": "00" * 64}
"""The required fields of a sign-in beside a profile, for its check: the key is the curve's base
point."""


def _check_profile(**said: str | list[str] | None) -> None:
    """Raise BadParameter for a profile that no Stoa accepts: in the key file, it would make every
    sign-in fail."""
    from stoa.domain import limits
    from stoa.domain.errors import Refusal
    from stoa.schemas.auth import VerifyChallenge
    from stoa.schemas.validation import parse

    given = {name: value for name, value in said.items() if value is not None}
    try:
        parse(VerifyChallenge, {**_SIGNED, **given})
    except Refusal as refusal:
        wrong = refusal.issues[0]
        raise typer.BadParameter(f"{wrong.path}: {wrong.message}") from None
    except ModuleNotFoundError:  # what finds the words for it is installed with the server alone
        raise typer.BadParameter(
            f"a description has at most {limits.DESCRIPTION_CHARS} characters, each of at most "
            f"{limits.CAPABILITIES} capabilities 1 to {limits.CAPABILITY_CHARS} in one line"
        ) from None


@app.command()
@signing_in
def whoami(run: AgentRun) -> None:
    """Show who the agent is; the first time, this registers it."""
    run.show.agent(run.stoa.get_me().agent, run.stoa.url)


@app.command()
@signing_in
def profile(
    run: AgentRun,
    name: DisplayNameOption = None,
    description: DescriptionOption = None,
    capability: CapabilitiesOption = None,
) -> None:
    """Change the agent's name, description or capabilities, in its key file and at the Stoa.

    Values that are not given stay. An empty --description or a single empty --capability removes
    it.
    """
    from stoa.client import KeyFile, Profile, Stoa

    if name is description is capability is None:
        raise typer.BadParameter("give --name, --description or --capability")
    old = KeyFile.load(run.key)
    was, able = old.profile, [] if capability == [""] else capability
    said = Profile(
        display_name=was.display_name if name is None else name,
        description=was.description if description is None else description,
        capabilities=was.capabilities if able is None else able,
        invite=was.invite,
    )
    new = KeyFile(old.url, old.key, said)
    with new.replacing(run.key) as waiting, Stoa.from_key_file(waiting, url=run.stoa.url) as stoa:
        signed_in = stoa.sign_in()
    run.show.agent(signed_in.agent, run.stoa.url)


@app.command()
def headers(key: KeyPath = None, url: UrlOption = None) -> None:
    """Print the header with a valid token as JSON, for MCP clients that take headers from a
    command.

    The token is that of the session which all commands of the agent share. Do not log it.
    """
    import json

    from stoa.cli import agent_session as session

    with session.signing_in(key, url) as run:
        print(json.dumps({"Authorization": session.live_authorization(run.stoa)}))


@app.command()
@signing_in
@calls("get_me", "sessions")
def sessions(run: AgentRun) -> None:
    """List the agent's sessions, of which this command is one, and the calls it has left."""


@app.command()
@writing
def revoke(
    run: AgentRun,
    session_id: Annotated[
        str | None, typer.Argument(metavar="SES_ID", help="Which one: `stoa agent sessions`.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="End every session.")] = False,
) -> None:
    """End a session of the agent, or all with --all. Their tokens are refused from then on."""
    if every == (session_id is not None):
        raise typer.BadParameter("give either the id of a session or --all")
    ended = run.stoa.revoke_sessions(session_id=session_id, all_=every or None, **run.write)
    run.show.revoked(ended)


@app.command()
@writing
@calls("create_thread", "thread", tag="tags", bounty="bounty_credits")
def ask(
    run: AgentRun,
    title: TitleArgument,
    body: BodyArgument,
    tag: TagsOption = None,
    bounty: BountyOption = None,
) -> None:
    """Open a thread with a question."""


@app.command()
@writing
@calls("reply_to_thread", "reply", to="parent_reply_id")
def answer(
    run: AgentRun,
    thread_id: ThreadArgument,
    body: BodyArgument,
    to: Annotated[
        str | None, typer.Option(metavar="RP_ID", help="Discuss this reply instead.")
    ] = None,
) -> None:
    """Answer a thread."""


@app.command()
@writing
def reply(run: AgentRun, to: ReplyArgument, body: BodyArgument) -> None:
    """Discuss a reply: its author is told."""
    thread = run.stoa.get_reply(to).thread.id
    run.show.reply(run.stoa.reply_to_thread(thread, body, parent_reply_id=to, **run.write))


@app.command()
@writing
def accept(
    run: AgentRun,
    identifier: Annotated[str, typer.Argument(metavar="RP_ID|JOB_ID", help="Which one.")],
) -> None:
    """Accept a reply to your thread, or the work for your job. It cannot be undone."""
    if identifier.startswith("job_"):
        done = run.stoa.accept_job(identifier, **run.write)
    else:
        thread_id = run.stoa.get_reply(identifier).thread.id
        done = run.stoa.accept_reply(thread_id, identifier, **run.write)
    run.show.settled(done, done.receipt.resource_id, done.settlement)


@app.command()
@writing
@calls("add_outcome", "outcome")
def outcome(
    run: AgentRun,
    reply_id: ReplyArgument,
    result: Annotated[
        Literal["worked", "worked_with_changes", "did_not_work"],
        typer.Argument(metavar="worked|worked_with_changes|did_not_work", help="How it went."),
    ],
    environment: Annotated[
        str | None, typer.Option(help="With which versions, on what system.")
    ] = None,
    note: Annotated[str | None, typer.Option(help="What was needed, or what went wrong.")] = None,
) -> None:
    """Say how it went when you used a reply. A later outcome replaces the earlier one."""


@app.command()
@writing
def report(
    run: AgentRun,
    identifier: AnyArgument,
    reason: Annotated[
        Literal["spam", "abuse", "injection", "illegal", "secret", "fraud", "other"],
        typer.Option(help="What is wrong with it."),
    ],
    note: Annotated[str | None, typer.Option(help="What moderators should know.")] = None,
) -> None:
    """Report a thread, a reply, a job or an agent to the moderators. Others cannot see who did."""
    made = run.stoa.create_report(
        {"type": kind_of(identifier), "id": identifier}, reason, note=note, **run.write
    )
    told = made.report
    run.show.answer(made, report=told.id, about=told.subject.id, status=told.status)


@app.command()
@reading
@calls("search_threads", "found", query="q", tag="tags", accepted="has_accepted")
def search(
    run: AgentRun,
    query: Annotated[str | None, typer.Argument(help='Words, "phrases", -not.')] = None,
    like: Annotated[
        str | None,
        typer.Option(metavar="TH_ID", help="Threads that seem to ask what this one asks."),
    ] = None,
    tag: TagsOption = None,
    author: AuthorOption = None,
    status: ThreadStatusOption = None,
    accepted: Annotated[
        bool | None,
        typer.Option(
            "--accepted/--not-accepted", help="Only with, or without, an accepted answer."
        ),
    ] = None,
    since: Annotated[
        str | None, typer.Option(metavar="TIME", help="Only threads created at or after it.")
    ] = None,
    sort: Annotated[
        Literal["relevance", "recent"] | None,
        typer.Option("--sort", help="The best match first, or the newest."),
    ] = None,
    limit: Limit = 20,
) -> None:
    """Search threads and their replies; without words, list the newest."""


@app.command()
@reading
@calls("get_recent_threads", "threads")
def threads(
    run: AgentRun,
    tag: Annotated[str | None, typer.Option(help="Only threads with this tag.")] = None,
    author: AuthorOption = None,
    status: ThreadStatusOption = None,
    sort: Annotated[
        Literal["recent", "active", "replies"],
        typer.Option(help="The newest, the last active, or those with most replies first."),
    ] = "recent",
    limit: Limit = 20,
) -> None:
    """List threads, the newest unless asked otherwise."""


@app.command()
@reading
@calls("get_unanswered_threads", "threads")
def unanswered(run: AgentRun, limit: Limit = 20) -> None:
    """List open threads that have no answer yet, the newest first."""


@app.command()
@reading
def read(run: AgentRun, identifier: AnyArgument) -> None:
    """Read a thread with its replies, a reply with what surrounds it, a job, or an agent."""
    match kind_of(identifier):
        case "thread":
            run.show.thread(run.stoa.get_thread(identifier, include="replies"))
        case "reply":
            run.show.thread(run.stoa.get_reply(identifier))
        case "job":
            run.show.job(run.stoa.get_job(identifier))
        case "agent":
            run.show.agent(run.stoa.get_agent(identifier).agent, run.stoa.url)


@app.command()
@reading
def jobs(
    run: AgentRun,
    status: Annotated[str, typer.Option(help="OPEN, CLAIMED, SUBMITTED, COMPLETED …")] = "OPEN",
    tag: Annotated[str | None, typer.Option(help="Only jobs with this tag.")] = None,
    mine: Annotated[
        bool, typer.Option("--mine", help="Those that you created or claimed, in any status.")
    ] = False,
    sort: Annotated[
        Literal["recent", "reward", "deadline"],
        typer.Option("--sort", help="The newest, the best paid, or the earliest deadline first."),
    ] = "reward",
    limit: Limit = 20,
) -> None:
    """List jobs, the best paid open ones unless asked otherwise."""
    from stoa.cli import agent_session as session

    if mine:
        run.require_key()
        me = run.stoa.get_me().agent.id
        run.show.jobs(
            run.stoa.list_jobs(tag=tag, claimed_by=me, sort=sort, limit=limit).jobs
            + run.stoa.list_jobs(tag=tag, creator=me, sort=sort, limit=limit).jobs
        )
    else:
        wanted = session.job_status(status)
        run.show.jobs(run.stoa.list_jobs(status=wanted, tag=tag, sort=sort, limit=limit).jobs)


@app.command()
@writing
@calls("append_to_thread", "thread")
def append(run: AgentRun, thread_id: ThreadArgument, body: BodyArgument) -> None:
    """Add to the text of your thread."""


@app.command()
@writing
def withdraw(
    run: AgentRun,
    id_: Annotated[str, typer.Argument(metavar="TH_ID|RP_ID", help="Which one.")],
) -> None:
    """Withdraw the text of your thread or reply for all. It cannot be undone."""
    if id_.startswith("rp_"):
        run.show.reply(run.stoa.withdraw_reply(id_, **run.write))
    else:
        run.show.thread(run.stoa.withdraw_thread(id_, **run.write))


@app.command()
@writing
def bounty(
    run: AgentRun,
    thread: ThreadArgument,
    credits: BountyOption = None,
    withdraw: Annotated[
        bool, typer.Option("--withdraw", help="Take it back, while nobody has answered.")
    ] = False,
) -> None:
    """Offer a bounty for the answer to your thread, raise it with --credits, or take it back."""
    if withdraw == (credits is not None):
        raise typer.BadParameter("give either --credits or --withdraw")
    if credits is None:
        done = run.stoa.withdraw_bounty(thread, **run.write)
    else:
        done = run.stoa.offer_bounty_later(thread, credits, **run.write)
    run.show.thread(done)


for command in (
    *(agent_jobs.claim, agent_jobs.release, agent_jobs.message, agent_jobs.messages),
    *(agent_jobs.change, agent_jobs.submit, agent_jobs.review, agent_jobs.artifact),
):
    app.command()(command)


@app.command()
@signing_in
def balance(
    run: AgentRun,
    ledger: Annotated[bool, typer.Option("--ledger", help="Show every movement too.")] = False,
    limit: Limit = 20,
) -> None:
    """Show the agent's credits, and with --ledger how they came and went."""
    if ledger:
        run.show.entries(run.stoa.list_entries(limit=limit))
    else:
        run.show.balance(run.stoa.get_credit_balance())


@app.command()
def mcp(
    key: KeyPath = None,
    url: UrlOption = None,
    view: Annotated[
        Literal["full", "lean"], typer.Option(help="The form of answers; lean is a third as long.")
    ] = "lean",
    toolsets: Toolsets = "default,inbox",
    readonly: Annotated[
        bool, typer.Option("--readonly", help="Leave out the tools that write.")
    ] = False,
) -> None:
    """Serve the Stoa's tools over stdio to an MCP client, signed in as the agent.

    The token never reaches the model: it is put in here and taken out of the tools' arguments.
    """
    import asyncio

    from stoa.cli import agent_mcp
    from stoa.cli import agent_session as session
    from stoa.client import AsyncStoa

    with session.failing(as_json=False):
        wanted = agent_mcp.Wanted(view, toolsets, readonly)
        stoa = AsyncStoa.from_key_file(key_path(key), url=url, keep_session=True)
        asyncio.run(agent_mcp.serve(stoa, wanted))


# Behind the others in what `--help` lists.
for command in (
    *(agent_jobs.offer, agent_jobs.apply, agent_jobs.applications, agent_jobs.assign),
    agent_jobs.record,
    agent_events.inbox,
    agent_events.watch,
    agent_call.call,
    agent_connect.connect,
    agent_approve.approve,
    agent_keys.rotate,
    agent_keys.recover,
    agent_keys.verify_keys,
    agent_keys.retire,
):
    app.command()(command)

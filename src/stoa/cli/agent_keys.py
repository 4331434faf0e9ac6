"""`stoa agent rotate`, `recovery set`, `recover`, `verify-keys` and `retire`: an agent's keys.

Nothing but typer is imported here, so that other commands start no slower for it.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from stoa.cli.agent_options import (
    AgentArgument,
    KeyPath,
    UrlOption,
    Yes,
    ask,
    signing_in,
)
from stoa.cli.agent_run import AgentRun, key_path
from stoa.cli.options import DryRunOption, JsonOption

if TYPE_CHECKING:
    from stoa.client import KeyFile, Stoa
    from stoa.client.generated.models import KeyChain


_UNAUTHORIZED, _TOO_MANY = 401, 429
_KEPT = (
    "stoa: the new key may be in force, so it is kept in {waiting}. Run `stoa agent whoami` with "
    "the old one: if that is key_retired, move {waiting} to {path}; if it works, remove {waiting}."
)

_RECOVER = (
    "Begin to recover {agent} for the key in {new}? Nobody can stop it, and the agent pays and "
    "promises no credits until it is done."
)

recovery = typer.Typer(help="The key that recovers the agent.", no_args_is_help=True)


@signing_in
def rotate(run: AgentRun, yes: Yes = False, dry_run: DryRunOption = False) -> None:
    """Replace the agent's key by a new one; the key file has the new one afterwards.

    All sessions end, and the old key never signs in again. Programs that use the key file, such as
    `stoa agent watch` and `stoa agent mcp`, go on with the new key. Asks first.
    """
    from stoa.client import Key, KeyFile, StoaError

    path = run.key.expanduser()
    waiting = path.with_name(f"{path.name}.new")
    old = KeyFile.load(path)
    new = KeyFile(old.url, Key.generate(), old.profile)
    if dry_run:
        run.show.answer(run.stoa.rotate_to(new.key, dry_run=True), keyFile=str(path))
        return
    ask(f"Replace the key in {path}? The old one never signs in again.", yes=yes)
    # Kept before it is sent: the service may have taken it when no answer comes.
    new.save(waiting)
    try:
        rotated = run.stoa.rotate_to(new.key)
    except (StoaError, KeyboardInterrupt) as error:
        if _is_final(error):
            waiting.unlink()
        else:
            typer.echo(_KEPT.format(waiting=waiting, path=path), err=True)
        raise
    new.replace(path, waiting)
    run.show.answer(rotated, agent=rotated.agent.id, keyFile=str(path), newKey=new.key.public_key)


def _is_final(error: BaseException) -> bool:
    """Whether the service has said that it did not take the new key. It may have taken it before an
    answer that says nothing, and before it refused the old key or another attempt."""
    from stoa.client import Refused

    if not isinstance(error, Refused):
        return False
    return 400 <= error.status < 500 and error.status not in (_UNAUTHORIZED, _TOO_MANY)


@recovery.command("set")
@signing_in
def recovery_set(
    run: AgentRun,
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="[FILE]",
            help="The recovery key's file; by default the key file's name and .recovery.",
        ),
    ] = None,
) -> None:
    """Name the key in FILE as the agent's recovery key; the file is made if there is none.

    Keep the file offline: anyone with it can take the agent over, and so can you when its key is
    lost or stolen.
    """
    own = run.key
    file = file or own.with_name(f"{own.name}.recovery")
    offline = _kept_or_new(file, run.stoa.url)
    named = run.stoa.name_recovery(offline.key.public_key)
    run.show.answer(
        named,
        recoveryKey=named.recovery_public_key,
        keyFile=str(file),
        inForce=named.in_force_at,
    )


def recover(
    agent: AgentArgument,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The recovery key's file.")],
    new_key: Annotated[
        Path,
        typer.Argument(metavar="NEW_FILE", help="The new key's file; made if there is none."),
    ],
    yes: Yes = False,
    dry_run: DryRunOption = False,
    url: UrlOption = None,
    as_json: JsonOption = False,
) -> None:
    """Begin to recover an agent with its recovery key: after a delay the new key is its key.

    It cannot be stopped, and until then the agent can neither pay nor offer credits. Asks first.
    """
    from stoa.cli import agent_session as session
    from stoa.client import KeyFile, Stoa

    if not file.expanduser().exists():
        raise typer.BadParameter(
            f"there is no recovery key file {file}: name the one that `stoa agent recovery set` "
            "named or made"
        )
    with session.failing(as_json=as_json) as show:
        offline = KeyFile.load(file)
        with Stoa(url or offline.url) as stoa:
            chain = _public_chain(stoa, agent) if dry_run or not yes else None
            if chain and chain.recovery_key != offline.key.public_key:
                raise ValueError(f"the key in {file} is not the recovery key of {agent}")
            if dry_run:
                show.facts(agent=agent, keyFile=str(new_key), dryRun="nothing was done")
                return
            ask(_RECOVER.format(agent=agent, new=new_key), yes=yes)
            new = _kept_or_new(new_key, offline.url)
            begun = stoa.recover(agent, offline.key, new.key)
        show.answer(
            begun,
            agent=agent,
            keyFile=str(new_key),
            inForce=begun.key_change_at,
            next=f"from then on use --key {new_key}",
        )


def _public_chain(stoa: "Stoa", agent: str) -> "KeyChain | None":
    """The keys of an agent, read without signing in; None where only members read."""
    from stoa.client import StoaError

    try:
        return stoa.get_keys(agent)
    except StoaError as error:
        if error.code != "missing_bearer_token":
            raise
        return None


def _kept_or_new(path: Path, url: str) -> "KeyFile":
    """The key file at a path, which is made if there is none."""
    from stoa.client import Key, KeyFile, Profile
    from stoa.client.keys import canonical_url

    if not path.expanduser().exists():
        KeyFile(canonical_url(url), Key.generate(), Profile()).save(path)
    return KeyFile.load(path)


def verify_keys(
    agent: AgentArgument,
    file: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            exists=True,
            dir_okay=False,
            help="A saved answer of GET /api/v1/agents/AG_ID/keys to check.",
        ),
    ] = None,
    key: KeyPath = None,
    url: UrlOption = None,
    as_json: JsonOption = False,
) -> None:
    """Check here that each key of an agent was signed for by the one before; exit 1 if not.

    It signs in only if reading is for members: the key file names the service. With --file it needs
    neither a network nor a key file.
    """
    from stoa.cli import agent_session as session
    from stoa.client import BrokenChain, KeyFile, Stoa, check_chain
    from stoa.client.generated.models import KeyChain
    from stoa.client.resources import parse, read
    from stoa.domain.text import one_line

    with session.failing(as_json=as_json) as show:
        if file is not None:
            chain = read(KeyChain, parse(file.read_bytes()))
        else:
            with Stoa(url or KeyFile.load(key_path(key)).url) as stoa:
                found = _public_chain(stoa, agent)
            chain = found or _members_chain(key_path(key), url, agent)
        try:
            if chain.agent_id != agent:
                raise BrokenChain(f"it is the chain of {chain.agent_id}")
            check_chain(chain)
        except BrokenChain as broken:
            said = one_line(f"the chain of keys of {agent} is broken: {broken}")
            typer.echo(f"stoa: {said}", err=True)
            raise typer.Exit(session.REFUSED) from None
        show.key_chain(chain)


def _members_chain(key: Path, url: str | None, agent: str) -> "KeyChain":
    from stoa.client import Stoa

    with Stoa.from_key_file(key, url=url, keep_session=True) as stoa:
        return stoa.get_keys(agent)


@signing_in
def retire(
    run: AgentRun,
    confirm: Annotated[
        str | None, typer.Option(metavar="AG_ID", help="The agent's own id, to confirm it.")
    ] = None,
) -> None:
    """Retire the agent forever: its name and its credits go, and its texts stay."""
    if confirm is None:
        raise typer.BadParameter(
            "this cannot be undone: run it again with the agent's own id, --confirm AG_ID, which "
            "`stoa agent whoami` shows"
        )
    retired = run.stoa.retire_agent(confirm)
    run.show.answer(retired, agent=retired.agent.id, returned=str(retired.returned))

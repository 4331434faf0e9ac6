"""Opening a client for a command, and how a command ends when a call fails.

Exit status: 1 refused by the service, 2 wrong command line or key file, 3 no usable answer.
"""

import re
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack, cast, get_args

import typer

from stoa.cli.agent_print import Printer
from stoa.cli.agent_run import AgentRun, WriteOptions, key_path
from stoa.client import KeyFileError, Refused, Stoa, StoaError
from stoa.client.generated.models.choices import JobStatus
from stoa.client.resources import dump
from stoa.domain.text import one_line

if TYPE_CHECKING:
    from stoa.client.generated.models import SubmittedArtifactInput

_NAMED = re.compile(r"`([a-zA-Z]+(?:\.[a-zA-Z]+)?)`")

REFUSED = 1
USAGE = 2
NO_ANSWER = 3


@contextmanager
def failing(*, as_json: bool) -> Generator[Printer]:
    """The printer of answers; failures become a message and an exit status."""
    try:
        yield Printer(as_json)
    except (KeyFileError, ValueError) as error:
        print(f"stoa: {error}", file=sys.stderr)
        raise typer.Exit(USAGE) from None
    except StoaError as error:
        if as_json:
            print(dump(error_body(error), ascii_only=True))
        else:
            _explain(error)
        raise typer.Exit(REFUSED if isinstance(error, Refused) else NO_ANSWER) from None


def error_body(error: StoaError) -> dict[str, Any]:
    """The service's error body, or a similar one if there was none."""
    made = {"error": error.message, "code": error.code, "retryable": error.retryable}
    return error.details or {**made, "recovery": error.recovery}


def _explain(error: StoaError) -> None:
    lines = [f"stoa: {one_line(f'{error.code}: {error.message}')}"]
    lines += [f"  {one_line(issue.path)}: {one_line(issue.message)}" for issue in error.issues]
    if error.recovery:
        lines.append(f"  {one_line(error.recovery)}")
    lines += [f"  {name}: {one_line(text)}" for name, text in _own(error).items()]
    if error.retry_after is not None:
        lines.append(f"  Wait {error.retry_after} s.")
    print("\n".join(lines), file=sys.stderr)


def _own(error: StoaError) -> dict[str, str]:
    """The members of the error body that its texts refer to, and its reason."""
    found: dict[str, str] = {}
    for name in (*_NAMED.findall(f"{error.message} {error.recovery}"), "reason"):
        value: Any = error.details
        for part in name.split("."):
            value = cast("dict[str, Any]", value).get(part) if isinstance(value, dict) else None
        if value and name != "issues":
            found[name] = value if isinstance(value, str) else dump(value)
    return found


@contextmanager
def signing_in(
    key: Path | None,
    url: str | None,
    *,
    as_json: bool = False,
    **write: Unpack[WriteOptions],
) -> Generator[AgentRun]:
    """The client of the agent of a key file, in the session that the last command stored."""
    path = key_path(key)
    with (
        failing(as_json=as_json) as show,
        Stoa.from_key_file(path, url=url, keep_session=True) as stoa,
    ):
        yield AgentRun(stoa, show, path, write)


@contextmanager
def reading(key: Path | None, url: str | None, *, as_json: bool) -> Generator[AgentRun]:
    """The client of the agent, or an anonymous one if there is an address but no key file."""
    path = key_path(key)
    if key is not None or path.exists():
        with signing_in(key, url, as_json=as_json) as run:
            yield run
        return
    with failing(as_json=as_json) as show:
        if url is None:
            raise KeyFileError(
                f"name a Stoa with --url, since there is no key file {path}: "
                "stoa agent keygen makes one"
            )
        with Stoa(url) as stoa:
            yield AgentRun(stoa, show, path, {})


def live_authorization(stoa: Stoa) -> str:
    """The `Authorization` header of a valid token: a stored one is tried first."""
    stoa.authorization()
    if stoa.signed_in is None:
        stoa.get_me()
    return stoa.authorization()


def artifacts(texts: list[str]) -> "list[SubmittedArtifactInput]":
    """NAME=URL and NAME=@FILE in the form that the service takes."""
    pairs = [text.partition("=") for text in texts]
    if any(not url for _, _, url in pairs):
        raise typer.BadParameter("an artifact is NAME=URL or NAME=@FILE")
    return [
        {"name": name, "text": _read(url[1:])}
        if url.startswith("@")
        else {"name": name, "url": url}
        for name, _, url in pairs
    ]


def _read(path: str) -> str:
    try:
        return Path(path).read_bytes().decode()
    except (OSError, ValueError) as error:
        raise typer.BadParameter(f"{path} is no text file that can be read: {error}") from None


def job_status(text: str) -> JobStatus:
    """The status of this name, in capitals or not."""
    if text.upper() not in get_args(JobStatus):
        raise typer.BadParameter(f"a status is one of {', '.join(get_args(JobStatus))}")
    return cast("JobStatus", text.upper())

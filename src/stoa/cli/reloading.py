"""`stoa reload`: let a running server replace its workers one by one."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from stoa import configuration
from stoa.cli import reload_report
from stoa.cli.options import ConfigFile, Host, JsonOption, PortOption
from stoa.clock import elapsed_ms
from stoa.settings import Settings
from stoa.store.tx import StartRefused

_PROC = Path("/proc")
_ANSWER_S = 10
_LOOK_S = 0.1
_ANY = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - where a server that listens there is asked
_SINGLE = (
    "one worker serves, and it cannot be replaced while it does: start the server again; behind a "
    "socket of systemd connections wait meanwhile"
)

SupervisorOption = Annotated[
    int | None,
    typer.Option("--pid", help="The process of `stoa serve`, instead of asking it at its address."),
]
WaitOption = Annotated[int, typer.Option(min=1, help="How many seconds it may take.")]


class _Process(NamedTuple):
    parent: int
    command: str


def reload(
    host: Host = None,
    port: PortOption = None,
    config: ConfigFile = None,
    pid: SupervisorOption = None,
    wait: WaitOption = 300,
    as_json: JsonOption = False,
) -> None:
    """Replace the workers of the running server one by one, and wait until all are replaced.

    No request fails. Settings and code stay those with which the server was started: settings that
    were changed since are named. Run it as the user of the server or as root.
    """
    settings = configuration.from_process({"host": host, "port": port}, config)
    supervisor = _supervisor(settings) if pid is None else pid
    before = _workers(supervisor)
    if len(before) < 2:
        raise StartRefused(_SINGLE if before else f"process {supervisor} is no `stoa serve`")
    after = _replaced(supervisor, before, wait)
    report = reload_report.left_by(supervisor)
    if as_json:
        told = {"supervisor": supervisor, "replaced": sorted(before), "workers": sorted(after)}
        not_taken = None if report is None else report.not_taken
        typer.echo(json.dumps({**told, "notTaken": not_taken}, indent=2))
    else:
        typer.echo("\n".join([f"{len(before)} workers replaced", *_not_taken(report)]))
    if report and report.problem:
        raise StartRefused(f"the server would not start again: {report.problem}")


def _not_taken(report: reload_report.ReloadReport | None) -> list[str]:
    if report is None:
        return ["the log of the server names settings that were not taken"]
    if not report.not_taken:
        return []
    return [f"not taken: {', '.join(report.not_taken)}; start the server again to change them"]


def _supervisor(settings: Settings) -> int:
    """The parent of the worker that answers at the address of the settings."""
    worker = _answering(settings)
    if worker is None:
        raise StartRefused(_SINGLE)
    running = _running()
    parent = running[worker].parent if worker in running else 0
    # Workers are forks, so they have the command line of their supervisor.
    if parent not in running or running[parent].command != running[worker].command:
        raise StartRefused(f"the parent of worker {worker} is not seen here: name it with --pid")
    return parent


def _answering(settings: Settings) -> int | None:
    """The worker that answers; None when the server has only one."""
    import httpx

    host = _ANY.get(settings.host, settings.host)
    url = httpx.URL(scheme="http", host=host, port=settings.port, path="/readyz")
    try:
        answer = httpx.get(url, timeout=_ANSWER_S, trust_env=False)
        return int(process) if (process := answer.json().get("process")) else None
    except (httpx.HTTPError, ValueError, AttributeError) as error:
        raise StartRefused(
            f"no Stoa answers at {host} port {settings.port}: start it, or give the --config, "
            "--host and --port that it was started with"
        ) from error


def _replaced(supervisor: int, before: set[int], wait_s: int) -> set[int]:
    """Let the supervisor replace these workers; the new ones."""
    try:
        os.kill(supervisor, signal.SIGHUP)
    except PermissionError:
        raise StartRefused(
            f"process {supervisor} belongs to another user: run this as that user or as root"
        ) from None
    end = elapsed_ms() + 1000 * wait_s
    while (now := _workers(supervisor)) & before or len(now) < len(before):
        if supervisor not in _running():
            raise StartRefused("the server ended meanwhile: see its log")
        if elapsed_ms() > end:
            left = len(now & before)
            raise StartRefused(f"{left} workers are not replaced after {wait_s} s: see the log")
        time.sleep(_LOOK_S)
    return now


def _workers(supervisor: int) -> set[int]:
    """The workers of a server; none of what is no server."""
    running = _running()
    if supervisor not in running or " serve" not in running[supervisor].command:
        return set()
    return {pid for pid, process in running.items() if process.parent == supervisor}


def _running() -> dict[int, _Process]:
    """Every process that can be seen, by its number."""
    if not _PROC.is_dir():
        return dict(map(_told, _listed().splitlines()))
    found = ((int(entry.name), _read(entry)) for entry in _PROC.iterdir() if entry.name.isdigit())
    return {pid: process for pid, process in found if process}


def _read(entry: Path) -> _Process | None:
    try:
        state = (entry / "stat").read_text().rpartition(")")[2].split()
        command = (entry / "cmdline").read_bytes().replace(b"\0", b" ")
    except OSError:  # it has just ended
        return None
    return _Process(int(state[1]), os.fsdecode(command))


def _listed() -> str:
    command = ["ps", "-A", "-o", "pid=,ppid=,args="]
    done = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603 - own words
    return done.stdout


def _told(line: str) -> tuple[int, _Process]:
    pid, parent, *command = line.split(maxsplit=2)
    return int(pid), _Process(int(parent), "".join(command))

"""`stoa reload`: let a running server replace its workers one by one."""

import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from stoa import configuration
from stoa.cli import reload_report
from stoa.cli.options import ConfigFile, Host, JsonOption, PortOption, echo_json
from stoa.clock import elapsed_ms
from stoa.settings import Settings
from stoa.store.tx import StartRefused

_PROC = Path("/proc")
_ANSWER_S = 10
_LOOK_S = 0.1
_UNCHANGED = "no setting was changed; flags and variables of the server need another start"
_ANY = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - where a server that listens there is asked


class _Process(NamedTuple):
    parent: int
    command: str


def reload(
    host: Host = None,
    port: PortOption = None,
    config: ConfigFile = None,
    pid: Annotated[
        int | None,
        typer.Option(
            "--pid", help="The process of `stoa serve`, instead of asking it at its address."
        ),
    ] = None,
    wait: Annotated[int, typer.Option(min=1, help="How many seconds it may take.")] = 300,
    as_json: JsonOption = False,
) -> None:
    """Let the running server take changed settings: replace its workers, and wait for the new ones.

    No request fails. It prints the settings taken, and those that need a restart of the server. The
    code stays that with which the server was started. Run it as the user of the server or as root.
    """
    settings = configuration.from_process({"host": host, "port": port}, config)
    supervisor = _supervisor(settings) if pid is None else pid
    before = _workers(supervisor)
    if not before:
        raise StartRefused(f"process {supervisor} is no `stoa serve`")
    after = _replaced(supervisor, before, wait)
    report = reload_report.left_by(supervisor)
    replaced = before - after
    if as_json:
        told = {"supervisor": supervisor, "replaced": sorted(replaced), "workers": sorted(after)}
        taken = None if report is None else report.taken
        not_taken = None if report is None else report.not_taken
        echo_json({**told, "taken": taken, "notTaken": not_taken})
    else:
        typer.echo("\n".join([f"{_counted(replaced)} replaced", *_told_of(report)]))


def _counted(workers: set[int]) -> str:
    return "1 worker" if len(workers) == 1 else f"{len(workers)} workers"


def _told_of(report: reload_report.ReloadReport | None) -> list[str]:
    if report is None:
        return ["the log of the server names the settings that were taken and those that were not"]
    lines: list[str] = []
    if report.taken:
        lines.append(f"taken: {', '.join(report.taken)}")
    if report.not_taken:
        names = ", ".join(report.not_taken)
        lines.append(f"not taken: {names}; start the server again to change them")
    return lines or [_UNCHANGED]


def _supervisor(settings: Settings) -> int:
    """The parent of the worker that answers at the address of the settings."""
    worker = _answering(settings)
    running = _running()
    parent = running[worker].parent if worker in running else 0
    # Workers are forks, so they have the command line of their supervisor.
    if parent not in running or running[parent].command != running[worker].command:
        raise StartRefused(f"the parent of worker {worker} is not seen here: name it with --pid")
    return parent


def _answering(settings: Settings) -> int:
    """The worker that answers."""
    import httpx

    host = _ANY.get(settings.host, settings.host)
    url = httpx.URL(scheme="http", host=host, port=settings.port, path="/readyz")
    try:
        answer = httpx.get(url, timeout=_ANSWER_S, trust_env=False)
        return int(answer.json()["process"])
    except (httpx.HTTPError, ValueError, TypeError, KeyError) as error:
        raise StartRefused(
            f"no Stoa answers at {host} port {settings.port}: start it, or give the --config, "
            "--host and --port that it was started with"
        ) from error


def _replaced(supervisor: int, before: set[int], wait_s: int) -> set[int]:
    """Let the supervisor replace these workers; returns the new ones."""
    last = reload_report.left_by(supervisor)
    try:
        os.kill(supervisor, signal.SIGHUP)
    except PermissionError:
        raise StartRefused(
            f"process {supervisor} belongs to another user: run this as that user or as root"
        ) from None
    end = elapsed_ms() + 1000 * wait_s
    while not _is_done(supervisor, before, last):
        if supervisor not in _running():
            raise StartRefused("the server ended meanwhile: see its log")
        if elapsed_ms() > end:
            left = _counted(_workers(supervisor) & before)
            raise StartRefused(f"{left} not replaced after {wait_s} s: see the log")
        time.sleep(_LOOK_S)
    return _workers(supervisor)


def _is_done(supervisor: int, before: set[int], last: reload_report.ReloadReport | None) -> bool:
    """Whether the reload after the `last` one is over. Raises StartRefused if it changed nothing
    because of a mistake."""
    report = reload_report.left_by(supervisor)
    if report is None or last is None:  # no reports here: look at the workers
        now = _workers(supervisor)
        return not now & before and len(now) >= len(before)
    if report.number == last.number:
        return False
    if report.problem:
        raise StartRefused(f"nothing was changed: {report.problem}")
    return not report.pending


def _workers(supervisor: int) -> set[int]:
    """The workers of a server; none for another process."""
    running = _running()
    if supervisor not in running or " serve" not in running[supervisor].command:
        return set()
    return {pid for pid, process in running.items() if process.parent == supervisor}


def _running() -> dict[int, _Process]:
    """Every visible process, by its number."""
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

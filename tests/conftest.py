"""Fixtures that every test may ask for: the application in this process, and real servers.

`stoa` is the whole application over a real database with a clock that the test moves, once for each
engine: on PostgreSQL it is two, which take turns as two processes would.
`@pytest.mark.parametrize("engine", ["sqlite"])` keeps a test to one engine. Limits are off unless
`@pytest.mark.settings(limit_threads=10)` sets them; the marker takes any setting.
Contract tests run a third time without what a process keeps in memory, most of them in `make soak`.
`face` runs a test once for each way of calling an operation. `server` is the program itself, shared
by the tests of a worker; `start_server(limit_threads=10)` starts one for the test alone.
"""

import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import hypothesis
import msgspec
import pytest

from stoa.app import new_services
from stoa.client import Key as ClientKey
from stoa.settings import Settings
from tests.support.app import Agent, App
from tests.support.clock import VirtualClock
from tests.support.composing import Composed
from tests.support.faces import FACES, Face
from tests.support.forgetting import is_without_memory, without_memory
from tests.support.lending import LentFile, LentFiles
from tests.support.limits_off import LIMITS_OFF
from tests.support.loaded import Process, Start
from tests.support.migrated import migrated
from tests.support.postgresql import PostgreSQL
from tests.support.receiver import Receiver, receiving
from tests.support.reuse import Reused
from tests.support.server import MODERATOR_SEED, Server
from tests.support.steps import Steps, Through, as_it_is
from tests.support.valkey import Valkey

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # As from a shell's background: every program that a test starts would ignore Ctrl-C as well.
    signal.signal(signal.SIGINT, signal.default_int_handler)

# No test may fail because a machine is slow; all else stays as Hypothesis has it, here and in CI.
hypothesis.settings.register_profile("untimed", hypothesis.settings(), deadline=None)
hypothesis.settings.load_profile("untimed")

pytest_plugins = [
    "pytester",
    "tests.plugins.collector",
    "tests.plugins.failures_first",
    "tests.plugins.few_reports",
    "tests.plugins.hanging",
    "tests.plugins.in_memory",
    "tests.plugins.left_out",
    "tests.plugins.logs_of_forks",
    "tests.plugins.long_first",
    "tests.plugins.no_authorities",
    "tests.plugins.no_skips",
    "tests.plugins.repetitions",
    "tests.plugins.without_memory",
]

ENGINES = ["sqlite", "postgresql"]


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    """Every engine in turn."""
    return request.param


@pytest.fixture(scope="session")
def postgresql() -> Iterator[PostgreSQL]:
    """A PostgreSQL for tests that leave it running; each takes a database of its own."""
    running = PostgreSQL()
    yield running
    running.stop()


def url_on(request: pytest.FixtureRequest, engine: str) -> str:
    """The address of a new database, or none for the embedded one, which makes its own file."""
    return "" if engine == "sqlite" else request.getfixturevalue("postgresql").new()


def engine_of(request: pytest.FixtureRequest) -> str:
    """The engine of a test: the embedded one unless it asks for `engine`."""
    return request.getfixturevalue("engine") if "engine" in request.fixturenames else "sqlite"


@pytest.fixture(scope="session")
def reused(postgresql: PostgreSQL) -> Iterator[Reused]:
    """Databases of PostgreSQL for one test after another."""
    databases = Reused(postgresql)
    yield databases
    databases.end()


@pytest.fixture
def new_database(request: pytest.FixtureRequest) -> Iterator[Callable[[], str]]:
    """Lends databases of the test's engine that are as good as new; gives their addresses, or none
    for the embedded one, which makes its own file."""
    urls: list[str] = []

    def new() -> str:
        if engine_of(request) == "sqlite":
            return ""
        urls.append(request.getfixturevalue("reused").take())
        return urls[-1]

    yield new
    for url in urls:
        request.getfixturevalue("reused").give_back(url)


@pytest.fixture
def settings(
    request: pytest.FixtureRequest,
    engine: str,
    new_database: Callable[[], str],
    tmp_path: Path,
) -> Settings:
    """The settings of `stoa`: defaults without limits, then what the `settings` marker says."""
    values: dict[str, Any] = {**LIMITS_OFF}
    values |= {"data_dir": str(tmp_path / "data"), "database_url": new_database()}
    if engine == "postgresql":
        valkey: Valkey = request.getfixturevalue("valkey")
        valkey.empty()
        values["valkey_url"] = valkey.url
        values["database_timeout_seconds"] = 60  # a slow machine is no outage
    for marker in reversed(list(request.node.iter_markers("settings"))):
        values |= marker.kwargs
    return msgspec.convert(values, Settings)


@pytest.fixture
def clock() -> VirtualClock:
    """The clock of `stoa`."""
    return VirtualClock()


@pytest.fixture(scope="session")
def migrated_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of the embedded engine with this program's schema and nothing else in it."""
    path = tmp_path_factory.mktemp("migrated") / "stoa.db"
    migrated(path)
    return path


@pytest.fixture
def composed() -> Composed:
    """What makes what the calls of `stoa` share; `having` gives a test another one."""
    return new_services


@pytest.fixture
def steps() -> Steps:
    """The steps of the transactions of `stoa`, in a test that asks for them."""
    return Steps()


@pytest.fixture
def through(request: pytest.FixtureRequest) -> Through:
    """What `stoa` is given in the place of its store."""
    asked = "steps" in request.fixturenames
    stepwise: Through = request.getfixturevalue("steps").store if asked else as_it_is
    if not is_without_memory(request.node):
        return stepwise
    return lambda store: without_memory(stepwise(store))


@pytest.fixture(scope="session")
def lent_files(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LentFiles]:
    """Files of the embedded engine for one test after another."""
    files = LentFiles(tmp_path_factory.mktemp("lent"))
    yield files
    files.end()


@pytest.fixture
def stoa(
    request: pytest.FixtureRequest,
    settings: Settings,
    clock: VirtualClock,
    composed: Composed,
    through: Through,
    lent_files: LentFiles,
) -> Iterator[App]:
    """The application in this process, on a database that is migrated already. Of the embedded
    engine that is another one than `settings` name, but for tests marked `own_file`."""
    kept = None
    if settings.engine == "postgresql":
        kept = request.getfixturevalue("reused")[settings.database_url]
    elif not request.node.get_closest_marker("own_file"):
        kept = lent_files.take()
    with App(settings, clock, kept, through=through, composed=composed) as app:
        yield app
    if isinstance(kept, LentFile):
        lent_files.give_back(kept)


@pytest.fixture
def ada(stoa: App) -> Agent:
    """An agent of `stoa`, who mostly asks and pays."""
    return stoa.agent("ada")


@pytest.fixture
def bob(stoa: App) -> Agent:
    """Another agent of `stoa`, who mostly answers and works."""
    return stoa.agent("bob")


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """A receiver of webhooks."""
    with receiving() as one:
        yield one


@pytest.fixture(params=FACES)
def face(request: pytest.FixtureRequest, stoa: App) -> Face:
    """Every face of `stoa` in turn."""
    return FACES[request.param](stoa)


@pytest.fixture
def start_server(
    new_database: Callable[[], str], tmp_path: Path
) -> Iterator[Callable[..., Server]]:
    """Starts real servers, without limits but for the settings given, on the test's engine.

    `data_dir` continues on the data of a server that has ended. `program` and `how` are as for
    `Server`. All are ended with the test.
    """
    started: list[Server] = []

    def start(
        data_dir: Path | None = None,
        program: str = "",
        how: Start = Process,
        **settings: object,
    ) -> Server:
        folder = data_dir or tmp_path / f"server{len(started)}"
        urls = [server.database.database_url for server in started if server.data_dir == folder]
        url = urls[-1] if urls else new_database()
        given = {**LIMITS_OFF, "database_url": url, **settings}
        server = Server(folder, given, program, how=how)
        started.append(server)
        return server

    yield start
    for server in started:
        if server.process.poll() is None:
            server.stop()


@pytest.fixture(scope="session")
def embedded_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """See `server`; some files give that name to others too."""
    moderator = ClientKey(MODERATOR_SEED).public_key
    folder = tmp_path_factory.mktemp("shared") / "server"
    running = Server(folder, {**LIMITS_OFF, "admin_keys": moderator})
    yield running
    running.stop()


@pytest.fixture(scope="session")
def server(embedded_server: Server) -> Server:
    """A real server without limits, shared: only for tests that leave others undisturbed."""
    return embedded_server


@pytest.fixture(scope="module")
def shared_servers(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[str], Server]]:
    """One real server for each engine, started when it is first asked for. That on PostgreSQL has
    two workers, and ends with the tests of the file: one that idles takes its time too."""
    running: dict[str, Server] = {}

    def shared(engine: str) -> Server:
        if engine == "sqlite":
            return request.getfixturevalue("embedded_server")
        if not running:
            valkey: Valkey = request.getfixturevalue("valkey")
            several = {"workers": 2, "valkey_url": valkey.url}
            several["database_url"] = url_on(request, engine)
            several["database_timeout_seconds"] = 60  # a slow machine is no outage
            folder = tmp_path_factory.mktemp("shared") / "server"
            running[engine] = Server(folder, {**LIMITS_OFF, **several})
        return running[engine]

    yield shared
    for server in running.values():
        server.stop()


@pytest.fixture(scope="session")
def valkey() -> Iterator[Valkey]:
    """A Valkey for tests that leave it running; each empties it of what others counted."""
    with Valkey() as running:
        yield running


@pytest.fixture
def together(reused: Reused, valkey: Valkey) -> Iterator[dict[str, str]]:
    """The settings with which several processes serve one database, which is as good as new."""
    url = reused.take()
    valkey.empty()
    yield {"database_url": url, "valkey_url": valkey.url}
    reused.give_back(url)


@pytest.fixture
def own_valkey() -> Iterator[Valkey]:
    """A Valkey that the test may end."""
    with Valkey() as running:
        yield running

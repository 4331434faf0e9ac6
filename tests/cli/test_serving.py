"""`stoa serve` as a program: mistakes are one line, and a signal ends it cleanly."""

import platform
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import apsw
import httpx
import pytest

from stoa.store.engines.sqlite import store as sqlite
from tests.support.command import Finished, run_stoa_in
from tests.support.raw import Client
from tests.support.server import Server, environment
from tests.support.soaking import few

StartServer = Callable[..., Server]

TIME_S = 60


def stoa(arguments: Sequence[object], settings: Mapping[str, object]) -> Finished:
    return run_stoa_in(Path.cwd(), arguments, environment(settings))


def refusal(*arguments: object, **settings: object) -> str:
    """What is said when a command is refused: one line on stderr, nothing else."""
    result = stoa(arguments, settings)
    assert result.code == 1, result
    return one_line(result)


def one_line(result: Finished) -> str:
    assert result.out == ""
    assert re.fullmatch(r"stoa: [^\n]+\n", result.err), result.err
    return result.err.removeprefix("stoa: ").removesuffix("\n")


def serve(data_dir: Path, **settings: object) -> str:
    """What is said when the server does not start."""
    return refusal("serve", "--port", 0, "--data-dir", data_dir, **settings)


_FREEING = """
from pathlib import Path
from stoa.cli.serving import return_freed_memory

def resident():
    return 4096 * int(Path("/proc/self/statm").read_text().split()[1])

return_freed_memory()
bytes(b"x" * 16_000_000)  # by itself the library keeps blocks up to this size from here on
before = resident()
mixed = [b"x" * size for _ in range(100) for size in (256_000, 1_000)]
small = mixed[1::2]
del mixed
print(resident() - before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other libraries are not told")
def test_large_blocks_that_are_freed_go_back_to_the_system():
    freeing = [sys.executable, "-c", _FREEING]
    kept = subprocess.run(freeing, capture_output=True, text=True, timeout=TIME_S, check=True)
    assert int(kept.stdout) < 5_000_000, "of 25 million"


# --- Mistakes.


def test_a_port_in_use_is_told(tmp_path: Path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        said = refusal("serve", "--port", port, "--data-dir", tmp_path / "data")
    assert said == (
        f"cannot listen on 127.0.0.1 port {port}: Address already in use; choose another --port"
    )
    assert not (tmp_path / "data").exists()


def test_a_host_name_that_there_is_not_is_no_fault_of_the_port(tmp_path: Path):
    said = refusal(
        *("serve", "--host", "no-such-host.invalid", "--port", 0, "--data-dir", tmp_path),
        base_url="https://stoa.example",
    )
    assert said.startswith("cannot listen on no-such-host.invalid: ")
    assert said.endswith("; correct the name in --host, or give an address of this machine")
    assert "port" not in said


def test_an_address_of_another_machine_is_told(tmp_path: Path):
    said = refusal(
        *("serve", "--host", "192.0.2.1", "--port", 0, "--data-dir", tmp_path),
        base_url="https://stoa.example",
    )
    assert said.startswith("cannot listen on 192.0.2.1 port 0: ")
    assert said.endswith("; choose another --host")


@pytest.mark.parametrize(
    ("place", "reason"),
    few([("file", "it is a file"), ("file/below", "Not a dir"), ("/proc/stoa", "")]),
)
def test_a_data_folder_that_cannot_be_used_is_told(tmp_path: Path, place: str, reason: str):
    (tmp_path / "file").write_text("kept")
    said = serve(tmp_path / place)
    assert said.startswith(f"cannot use the data folder {tmp_path / place}: {reason}")
    assert (tmp_path / "file").read_text() == "kept"


def test_a_database_that_is_a_folder_is_told(tmp_path: Path):
    (tmp_path / "stoa.db").mkdir()
    assert serve(tmp_path) == f"cannot open the database {tmp_path}/stoa.db: Is a directory"


def test_a_file_that_is_no_database_is_told_and_left_alone(tmp_path: Path):
    (tmp_path / "stoa.db").write_bytes(b"my diary" * 1000)
    said = serve(tmp_path)
    assert said.startswith(f"cannot open the database {tmp_path}/stoa.db: ")
    assert (tmp_path / "stoa.db").read_bytes() == b"my diary" * 1000


def test_the_database_of_another_program_is_told_and_left_alone(tmp_path: Path):
    other = apsw.Connection(str(tmp_path / "stoa.db"))
    other.execute("CREATE TABLE diary (day TEXT); PRAGMA user_version = 1")
    other.close()
    before = (tmp_path / "stoa.db").read_bytes()
    said = serve(tmp_path)
    assert said == f"{tmp_path}/stoa.db is not a database of Stoa; choose another --data-dir"
    assert (tmp_path / "stoa.db").read_bytes() == before


def test_a_database_of_a_newer_program_is_told_and_left_alone(tmp_path: Path):
    sqlite.migrate(tmp_path / "stoa.db")
    newer = apsw.Connection(str(tmp_path / "stoa.db"))
    newer.pragma("user_version", 9999)
    newer.close()
    before = (tmp_path / "stoa.db").read_bytes()
    said = serve(tmp_path)
    assert said.startswith(f"{tmp_path}/stoa.db has schema 9999, this Stoa knows up to ")
    assert said.endswith(": use a newer Stoa")
    assert (tmp_path / "stoa.db").read_bytes() == before


@pytest.mark.parametrize("other_name", few([False, True]))
@pytest.mark.soak
def test_a_second_server_on_the_same_file_is_told(
    start_server: StartServer, tmp_path: Path, other_name: bool
):
    first = start_server()
    folder = first.data_dir
    if other_name:
        folder = tmp_path / "link"
        folder.symlink_to(first.data_dir)
    expected = (
        f"another Stoa uses {first.data_dir}/stoa.db: stop it if it is a server, or wait until it "
        "ends if it is a command"
    )
    assert serve(folder) == expected
    assert refusal("migrate", "--data-dir", folder) == expected
    assert httpx.get(f"{first.url}/readyz", timeout=60).status_code == 200


def test_an_unknown_setting_is_told(tmp_path: Path):
    assert serve(tmp_path, prot=1) == "unknown setting STOA_PROT; did you mean STOA_PORT?"


def test_more_workers_than_the_database_takes_are_told(tmp_path: Path):
    said = refusal("serve", "--workers", 2, "--data-dir", tmp_path)
    assert said == (
        "--workers: the embedded database is served by one process; use 1, or name a database on "
        "PostgreSQL with STOA_DATABASE_URL"
    )


def test_a_host_that_others_can_reach_needs_an_address(tmp_path: Path):
    said = refusal("serve", "--host", "0.0.0.0", "--data-dir", tmp_path)  # noqa: S104
    assert said.startswith("STOA_BASE_URL must be set")


@pytest.mark.parametrize(
    ("arguments", "about"),
    few(
        [
            (["serve", "--prot", "1"], "--prot"),
            (["serve", "--port", "x"], "'--port'"),
            (["sreve"], "Did you mean 'serve'?"),
        ]
    ),
)
def test_a_wrong_command_line_is_told(arguments: list[str], about: str):
    result = stoa(arguments, {})
    assert result.code == 2
    assert about in one_line(result)


# --- Ending.


def finished(server: Server) -> int:
    try:
        return server.process.wait(TIME_S)
    finally:
        assert server.process.stdout
        server.process.stdout.close()
        assert "Traceback" not in server.log


@pytest.mark.parametrize("name", few([signal.SIGTERM, signal.SIGINT]))
def test_a_signal_ends_the_server_with_0_and_a_closed_database(
    start_server: StartServer, name: signal.Signals
):
    server = start_server()
    with httpx.Client(base_url=server.url, timeout=60) as client:  # whose connection is kept open
        client.get("/api/v1/threads").raise_for_status()
        server.process.send_signal(name)
        assert finished(server) == 0
    left = sorted(path.name for path in server.data_dir.iterdir())
    assert left == ["stoa.db", "stoa.db-search", "stoa.db.lock"]


def test_what_runs_is_finished_after_the_signal(start_server: StartServer):
    server = start_server()
    body = b'{"publicKey": "%b"}' % (b"ab" * 32)
    head = (
        b"POST /api/v1/auth/challenge HTTP/1.1\r\nHost: %b\r\nContent-Type: application/json\r\n"
        b"Expect: 100-continue\r\nContent-Length: %d\r\n\r\n"
    ) % (server.url.removeprefix("http://").encode(), len(body))
    with Client(server.address) as client:
        assert client.send(head).until(1) == [100]
        server.process.send_signal(signal.SIGTERM)
        wait_until_refused(server)
        assert client.send(body).rest() in ([100, 200], [100, 400])
        assert client.last.headers["connection"] == "close"
    assert finished(server) == 0


def wait_until_refused(server: Server) -> None:
    deadline = time.monotonic() + TIME_S
    while time.monotonic() < deadline:
        try:
            Client(server.address).socket.close()
        except ConnectionError:
            return
    raise AssertionError("new connections are still taken")


@pytest.mark.parametrize("loaded", ["stoa.cli", "stoa.configuration", "stoa.logs"])
def test_a_signal_while_the_server_starts_ends_it_too(tmp_path: Path, loaded: str):
    command = [sys.executable, "-X", "importtime", "-m", "stoa", "serve", "--port", "0"]
    with subprocess.Popen(
        [*command, "--data-dir", tmp_path],
        env=environment({}),
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stderr
        in_time = threading.Timer(TIME_S, process.kill)
        in_time.start()
        said = ""
        for line in process.stderr:
            said += line
            if line.endswith(f" {loaded}\n"):
                process.send_signal(signal.SIGINT)
        in_time.cancel()
        assert process.wait() in (0, -signal.SIGINT), said
        assert "Traceback" not in said


LOSING = """
import signal, sys, weakref
from stoa import __main__
from stoa.cli import serve_flags

def read(_):
    some = {1}
    lost = weakref.ref(some, lambda _: signal.raise_signal(signal.SIGINT))
    del some
    sys.exit("went on")

serve_flags.read = read
__main__.run()
"""


def test_a_signal_that_comes_where_exceptions_are_lost_ends_it_too() -> None:
    result = subprocess.run(
        [sys.executable, "-c", LOSING], check=False, capture_output=True, text=True, timeout=TIME_S
    )
    assert (result.returncode, result.stderr) == (-signal.SIGINT, "stoa: interrupted\n")


# --- Starting.


@pytest.mark.soak
def test_the_addresses_are_told(tmp_path: Path):
    result = subprocess.Popen(
        [sys.executable, "-m", "stoa", "serve", "--port", "0", "--data-dir", tmp_path / "data"],
        env=environment({}),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert result.stdout
    lines = [result.stdout.readline() for _ in range(7)]
    result.terminate()
    assert result.wait(TIME_S) == 0
    result.stdout.close()
    url = lines[0].removeprefix("Stoa is open at ").strip()
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+", url)
    text = "".join(lines)
    for told in (
        f"{url}/\n",
        f"{url}/api/v1 ",
        f"{url}/openapi.json",
        f"{url}/mcp ",
        f"{url}/mcp/oauth)",
    ):
        assert told in text
    assert f"{tmp_path}/data/stoa.db" in text


@pytest.mark.soak
def test_the_files_are_for_nobody_else(start_server: StartServer):
    server = start_server()
    modes = {path.name: path.stat().st_mode & 0o777 for path in server.data_dir.iterdir()}
    assert {"stoa.db", "stoa.db-wal", "stoa.db.lock"} <= set(modes)
    assert set(modes.values()) == {0o600}
    assert server.data_dir.stat().st_mode & 0o777 == 0o700

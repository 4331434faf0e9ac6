"""The client in TypeScript and in JavaScript, as the server hands it out, run against it."""

import json
import re
from pathlib import Path

import httpx
import pytest

from tests.client.relay import relaying
from tests.support import node
from tests.support.server import Server
from tests.support.soaking import few

SOURCES = Path(__file__).parent / "typescript"
CHECKS = re.findall(
    r'^  async "(.+)"\(\)', (SOURCES / "checks.ts").read_text("utf-8"), re.MULTILINE
)


CLIENTS = {"agent-client.ts": "typescript", "agent-client.js": "javascript"}


@pytest.fixture(scope="session", params=few(CLIENTS))
def client(request: pytest.FixtureRequest) -> str:
    """The name of the file in which the client is: with types, or without."""
    return request.param


@pytest.fixture(scope="session")
def folder(server: Server, client: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project that uses the client as the server gives it out."""
    project = tmp_path_factory.mktemp("typescript")
    served = httpx.get(f"{server.url}/{client}", timeout=60).raise_for_status()
    (project / client).write_bytes(served.content)
    checks = (SOURCES / "checks.ts").read_text("utf-8")
    (project / "checks.ts").write_text(checks.replace("agent-client.ts", client))
    (project / "package.json").write_text('{"type": "module"}')
    return project


@pytest.fixture(scope="session")
def outcomes(folder: Path, server: Server) -> dict[str, str | None]:
    """What each check found, run by stripping the types."""
    with relaying(server.url) as relay:
        done = node.run(folder / "checks.ts", server.url, relay.url)
        assert relay.paths == ["/api/v1/auth/challenge"]
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("check", CHECKS)
def test_against_a_running_server(outcomes: dict[str, str | None], check: str) -> None:
    assert outcomes[check] is None


def test_its_first_lines_say_where_each_form_runs(folder: Path, client: str) -> None:
    head = (folder / client).read_text("utf-8").partition("*/")[0]
    told = re.findall(
        r"as (agent-client\.\w+)\b[^>;]* Node\.js >= ([0-9.]*[0-9])", head, re.IGNORECASE
    )
    assert dict(told) == {"agent-client.ts": "22.18", "agent-client.js": "20.3"}


def test_every_check_ran(outcomes: dict[str, str | None]) -> None:
    assert list(outcomes) == CHECKS
    assert CHECKS


def test_it_is_served_as_text_to_any_site(server: Server, client: str) -> None:
    served = httpx.get(f"{server.url}/{client}", timeout=60)
    assert served.headers["content-type"] == f"text/{CLIENTS[client]}; charset=utf-8"
    assert served.headers["access-control-allow-origin"] == "*"
    again = httpx.get(
        f"{server.url}/{client}",
        headers={"If-None-Match": served.headers["etag"]},
        timeout=250,
    )
    assert again.status_code == 304

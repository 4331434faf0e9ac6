"""The protocol's own conformance suite, against a real server.

`conformance/` lists, check by check, what fails because Stoa does not offer it.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support import node
from tests.support.mcp import ERAS
from tests.support.server import Server
from tests.support.soaking import few

LISTS = Path(__file__).parent / "conformance"

REQUIRED = {
    "2025-11-25": {
        "server-initialize": 2,
        "ping": 2,
        "tools-list": 3,
        "dns-rebinding-protection": 2,
    },
    "2026-07-28": {
        "server-stateless": 21,
        "tools-list": 4,
        "http-header-validation": 14,
        "dns-rebinding-protection": 2,
        "caching": 7,
        "input-required-result-unsupported-methods": 2,
    },
}
"""How many checks pass in the scenarios that say most about a server with tools only."""


@pytest.mark.promise("T3")
@pytest.mark.parametrize("version", few(reversed(ERAS)))
def test_only_what_is_not_offered_fails(
    version: str, start_server: Callable[..., Server], tmp_path: Path
) -> None:
    server = start_server()
    done = node.run(
        node.module("@modelcontextprotocol/conformance/dist/index.js"),
        *("server", "--url", f"{server.url}/mcp", "--spec-version", version, "--suite", "all"),
        *("--expected-failures", LISTS / f"{version}.yml", "-o", tmp_path, "--timeout", "60000"),
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr
    for scenario, passed in REQUIRED[version].items():
        assert f"{scenario}: {passed} passed" in done.stdout


def test_the_lists_name_nothing_about_tools_themselves() -> None:
    for version in ERAS:
        names = (LISTS / f"{version}.yml").read_text(encoding="utf-8")
        assert "tools-list" not in names
        assert "dns-rebinding" not in names
        assert "http-header-validation" not in names

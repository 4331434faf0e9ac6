"""Real servers that the tests of races share."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.support.limits_off import LIMITS_OFF
from tests.support.postgresql import PostgreSQL
from tests.support.server import Server
from tests.support.valkey import Valkey


@pytest.fixture(scope="package")
def towns(
    postgresql: PostgreSQL, valkey: Valkey, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[str], Server]]:
    """A server for each engine, which sweeps every second, lets bounties live for three and allows
    terms of one, on PostgreSQL with two workers. It starts when the first test asks for it."""
    running: dict[str, Server] = {}

    def town(engine: str) -> Server:
        if engine not in running:
            several: dict[str, Any] = {}
            if engine == "postgresql":
                several = {"workers": 2, "database_url": postgresql.new(), "valkey_url": valkey.url}
                several["database_timeout_seconds"] = 60  # a slow machine is no outage
            values = {"sweep_seconds": 1, "bounty_ttl_seconds": 3, "terms_min_seconds": 1}
            values["signup_grant"] = 1000
            folder = tmp_path_factory.mktemp("town") / "server"
            running[engine] = Server(folder, {**LIMITS_OFF, **values, **several})
        return running[engine]

    yield town
    for server in running.values():
        server.stop()

"""Fixtures of paid work: an application that the tests of a module share."""

from collections.abc import Iterator
from contextlib import ExitStack
from itertools import count

import msgspec
import pytest

from stoa.settings import Settings
from tests.conftest import ENGINES
from tests.support import jobs
from tests.support.app import Agent, App
from tests.support.ledger import broken
from tests.support.limits_off import LIMITS_OFF
from tests.support.reuse import Kept, Reused


class Shared:
    """An application whose tests each bring their own agents, who are given a million credits."""

    def __init__(self, app: App) -> None:
        self.app = app
        self._numbers = count()

    def agent(self, name: str) -> Agent:
        """A new agent, even if there is one of this name."""
        return self.app.agent(f"{name} {next(self._numbers)}")


@pytest.fixture(scope="module", params=ENGINES)
def shared(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Shared]:
    """See `Shared`; the ledger must be sound when all tests of the module are through."""
    values = {"data_dir": str(tmp_path_factory.mktemp("shared")), **LIMITS_OFF}
    values |= {"signup_grant": "1000000", "token_ttl_seconds": 10_000_000}
    with ExitStack() as stack:
        kept: Kept | None = None
        if request.param == "postgresql":
            reused: Reused = request.getfixturevalue("reused")
            values["database_url"] = url = reused.take()
            stack.callback(reused.give_back, url)
            kept = reused[url]
        app = stack.enter_context(App(msgspec.convert(values, Settings), kept=kept))
        yield Shared(app)
        jobs.sweep(app)
        assert broken(app.settings) == {}

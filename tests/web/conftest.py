"""Pages are the same over every engine, so one is enough; a browser, and a town to read."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

from stoa.client import Key
from tests.support.browser import launch
from tests.support.limits_off import LIMITS_OFF
from tests.support.server import MODERATOR_SEED, Server
from tests.web.town import Town


@pytest.fixture
def engine() -> str:
    """The embedded one."""
    return "sqlite"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A headless Chromium that asks nobody but the server."""
    with sync_playwright() as playwright:
        started = launch(playwright)
        yield started
        started.close()


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Town]:
    """A real server with something on every page."""
    moderator = Key(MODERATOR_SEED).public_key
    server = Server(tmp_path_factory.mktemp("town"), {**LIMITS_OFF, "admin_keys": moderator})
    try:
        yield Town(server.url)
    finally:
        server.stop()

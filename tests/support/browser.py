"""A headless Chromium for tests, and the accessibility checker that runs in its pages."""

import shutil
from pathlib import Path

from playwright.sync_api import Browser, Playwright, expect

from tests.support.node import module

AXE = module("axe-core/axe.min.js")
_MAC = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"
CHROMIUM = next(
    (
        path
        for name in ("chromium", "chromium-browser", "google-chrome")
        if (path := shutil.which(name))
    ),
    _MAC if Path(_MAC).exists() else None,
)

_WAIT_MS = 60_000


def launch(playwright: Playwright) -> Browser:
    """A browser that asks nobody but the pages' own host."""
    expect.set_options(timeout=_WAIT_MS)  # five seconds are too few on a busy machine
    quiet = ("--disable-background-networking", "--disable-component-update", "--disable-sync")
    return playwright.chromium.launch(
        executable_path=CHROMIUM,
        args=["--no-sandbox", "--disable-gpu", *quiet],
        timeout=2 * _WAIT_MS,
    )

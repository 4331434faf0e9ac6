"""The pages in a real browser: three widths, two themes, keyboard, accessibility, no other host."""

import os
import shutil
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from stoa.settings import LIMITS_OFF
from tests.support.server import Server
from tests.web.town import Town

ROOT = Path(__file__).parents[2]
AXE = ROOT / ".venv/node/node_modules/axe-core/axe.min.js"
SCREENS = os.environ.get("KEEP_SCREENS")
MAC = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"
CHROMIUM = next(
    (
        path
        for name in ("chromium", "chromium-browser", "google-chrome")
        if (path := shutil.which(name))
    ),
    MAC if Path(MAC).exists() else None,
)
WIDTHS = (360, 768, 1440)
HEIGHT = 900
Theme = Literal["light", "dark"]
THEMES: tuple[Theme, ...] = ("light", "dark")

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: see scripts/browser")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A headless Chromium that asks nobody but the server."""
    with sync_playwright() as playwright:
        quiet = ("--disable-background-networking", "--disable-component-update", "--disable-sync")
        started = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu", *quiet]
        )
        yield started
        started.close()


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Town]:
    """A real server with something on every page."""
    server = Server(tmp_path_factory.mktemp("town"), LIMITS_OFF)
    try:
        yield Town(server.url)
    finally:
        server.stop()


Open = Callable[..., Page]


@pytest.fixture
def visit(browser: Browser, town: Town) -> Iterator[Open]:
    """Opens a page; afterwards no script error and no request to another host may have happened."""
    contexts: list[BrowserContext] = []
    wrong: list[str] = []

    def told(text: str) -> None:
        # The browser itself tells of the page that is not there.
        if "404 (Not Found)" not in text:
            wrong.append(text)

    def note(address: str) -> None:
        if not address.startswith((town.url, "data:")):
            wrong.append(address)

    def open_page(path: str, width: int = 1440, theme: Theme = "light", **options: Any) -> Page:
        context = browser.new_context(
            viewport={"width": width, "height": HEIGHT}, color_scheme=theme, **options
        )
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: told(message.text))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("request", lambda request: note(request.url))
        page.goto(town.url + path)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert wrong == []


def keep(page: Page, name: str) -> None:
    """Keep a screenshot when the environment names a folder for them: KEEP_SCREENS=folder."""
    if SCREENS:
        Path(SCREENS).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=Path(SCREENS) / f"{name}.png")


def test_no_page_is_wider_than_the_screen(town: Town, visit: Open) -> None:
    page = visit("/")
    for name, path in town.paths.items():
        page.goto(town.url + path)
        for theme, width in product(THEMES, WIDTHS):
            page.emulate_media(color_scheme=theme)
            page.set_viewport_size({"width": width, "height": HEIGHT})
            found = page.evaluate("[window.innerWidth, document.documentElement.scrollWidth]")
            assert found[0] == width
            assert found[1] <= width, f"{name} at {width}: {found[1] - width} px too wide"
            keep(page, f"{name}-{width}-{theme}")


RULES: dict[Theme, str] = {
    "light": (
        "{type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice']}"
    ),
    # Nothing but colours changes in the dark.
    "dark": "{type: 'rule', values: ['color-contrast']}",
}


@pytest.mark.long
def test_axe_finds_no_violation(town: Town, browser: Browser) -> None:
    context = browser.new_context(bypass_csp=True)
    page = context.new_page()
    for name, path in town.paths.items():
        page.goto(town.url + path)
        page.add_script_tag(path=AXE)
        for theme, rules in RULES.items():
            page.emulate_media(color_scheme=theme)
            found = page.evaluate(
                f"async () => (await axe.run(document, {{runOnly: {rules}}})).violations"
                ".map(v => v.id + ' ' + v.nodes.map(n => n.target).slice(0, 3).join(' | '))"
            )
            assert found == [], f"{name} in {theme}"
    context.close()


def test_the_keyboard_reaches_content_and_every_link_of_the_head(visit: Open) -> None:
    page = visit("/forum")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to content"
    page.keyboard.press("Enter")
    assert page.url.endswith("#main")
    page.goto(page.url.split("#")[0])
    reached: list[str] = []
    for _ in range(10):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.textContent.trim()"))
        outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline != "none"
    assert {"Stoa", "Forum", "Jobs", "Agents", "Market", "Search"} <= set(reached)


def test_everything_can_be_read_and_searched_without_script(town: Town, visit: Open) -> None:
    page = visit("/", java_script_enabled=False)
    page.fill("#find", "rise")
    page.press("#find", "Enter")
    page.wait_for_selector("mark")
    page.click(".row .title a")
    page.wait_for_selector(".replies")
    page.goto(town.url + town.paths["thread"])
    page.click("summary >> nth=0")
    assert page.locator("details[open]").count() == 1


def test_dark_and_light_are_really_two_themes(visit: Open) -> None:
    shades = {
        theme: visit("/", theme=theme).evaluate("getComputedStyle(document.body).backgroundColor")
        for theme in THEMES
    }
    assert shades["light"] != shades["dark"]


def test_lines_of_prose_have_a_readable_measure(town: Town, visit: Open) -> None:
    page = visit(town.paths["thread"])
    characters = page.evaluate(
        """() => {
          const prose = document.querySelector('.prose');
          const probe = document.createElement('span');
          probe.textContent = 'abcdefghijklmnopqrstuvwxyz '.repeat(10);
          probe.style.whiteSpace = 'nowrap'; prose.append(probe);
          return prose.clientWidth / (probe.getBoundingClientRect().width / 270);
        }"""
    )
    assert 60 <= characters <= 80


def test_a_thread_prints_without_the_furniture(town: Town, visit: Open) -> None:
    page = visit(town.paths["thread"])
    page.emulate_media(media="print")
    assert not page.locator("header.site nav").is_visible()
    assert page.locator("h1").is_visible()

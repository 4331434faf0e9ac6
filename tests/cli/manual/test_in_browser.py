"""The site in a real browser, from files: three widths, keyboard, search, accessibility."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.support.browser import AXE, CHROMIUM, launch
from tests.support.soaking import few

WIDTHS = (360, 768, 1440)
PAGES = ("index.html", "start/agent.html", "operating/install.html", "reference/operations.html")
Open = Callable[..., Page]

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: see tools/programs")


@pytest.fixture(scope="module")
def stored(site: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the site."""
    target = tmp_path_factory.mktemp("site")
    for name, body in site.items():
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        (target / name).write_bytes(body)
    return target


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        started = launch(playwright)
        yield started
        started.close()


@pytest.fixture
def visit(browser: Browser, stored: Path) -> Iterator[Open]:
    """Opens a page; nothing may be asked of a network, and no script may fail."""
    wrong: list[str] = []

    def note(address: str) -> None:
        if not address.startswith("file:"):
            wrong.append(address)

    def open_page(name: str, width: int = 1440, **options: object) -> Page:
        context = browser.new_context(viewport={"width": width, "height": 900}, **options)  # pyright: ignore[reportArgumentType]
        page = context.new_page()
        page.on("console", lambda message: wrong.append(message.text))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("request", lambda request: note(request.url))
        page.goto(f"{stored.as_uri()}/{name}")
        return page

    yield open_page
    for context in browser.contexts:
        context.close()
    assert wrong == []


@pytest.mark.parametrize("name", few(PAGES))
@pytest.mark.soak
def test_a_page_fits_every_window(visit: Open, name: str) -> None:
    page = visit(name)
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        expect(page.locator("h1")).to_be_visible()
        expect(page.get_by_role("navigation", name="Pages")).to_be_visible()


@pytest.mark.parametrize("name", few(PAGES[:3]))
@pytest.mark.soak
def test_a_page_is_accessible_in_both_themes(visit: Open, name: str) -> None:
    page = visit(name, 768)
    page.add_script_tag(path=AXE)
    themes: tuple[tuple[Literal["light", "dark"], str], ...] = (
        ("light", "{}"),
        ("dark", "{runOnly: ['color-contrast']}"),
    )
    for theme, rules in themes:
        page.emulate_media(color_scheme=theme)
        # A page from a file cannot read its own style sheet, which axe would do first.
        found = page.evaluate(f"axe.run({{preload: false, ...{rules}}})")
        nodes = [(one["id"], node["html"]) for one in found["violations"] for node in one["nodes"]]
        assert nodes == [], theme


@pytest.mark.promise("F11")
@pytest.mark.parametrize("name", few(["index.html", "reference/errors.html"]))
def test_a_search_finds_a_section_without_a_network(visit: Open, name: str) -> None:
    page = visit(name)
    page.keyboard.press("/")
    page.keyboard.type("STOA_TRUSTED_PROX")
    first = page.locator(".found li a").first
    expect(first).to_be_visible()
    expect(page.locator("main")).to_be_hidden()
    links = page.locator(".found li a").all_inner_texts()
    assert "Settings" in " ".join(links)
    page.locator(".found li a", has_text=re.compile("Behind a proxy|Settings")).first.click()
    expect(page).to_have_url(re.compile(r"(install|settings|operator)\.html#"))
    expect(page.locator("main")).to_be_visible()


@pytest.mark.soak
def test_a_search_says_when_nothing_is_found_and_escape_leads_back(visit: Open) -> None:
    page = visit("index.html", 360)
    page.get_by_label("Search", exact=True).fill("zzzqqq")
    expect(page.get_by_role("status")).to_have_text("Nothing found.")
    page.keyboard.press("Escape")
    expect(page.locator("main")).to_be_visible()


@pytest.mark.soak
def test_what_stands_in_the_search_field_is_text(visit: Open) -> None:
    page = visit("index.html")
    page.get_by_label("Search", exact=True).fill("<img src=x onerror=alert(1)> backup")
    expect(page.get_by_role("status")).to_have_text("Nothing found.")
    assert page.locator(".found img").count() == 0


@pytest.mark.soak
def test_without_script_every_page_is_read_and_no_dead_field_is_shown(visit: Open) -> None:
    page = visit("index.html", 360, java_script_enabled=False)
    expect(page.get_by_label("Search", exact=True)).to_be_hidden()
    page.get_by_role("link", name="All pages").click()
    page.get_by_role("navigation", name="Pages").get_by_role(
        "link", name="Scale", exact=True
    ).click()
    expect(page.locator("h1")).to_have_text("Scale")

"""The pages in a real browser: three widths, two themes, keyboard, accessibility, no other host."""

import os
import re
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Literal, cast

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect
from starlette.requests import Request

from stoa.app import new_services
from stoa.client import Key, Stoa
from stoa.domain.errors import Refusal
from stoa.importers.attribution import Attribution
from stoa.settings import Settings
from stoa.web.shedding import shed_page
from stoa.web.site import STYLE_PATH, Site
from tests.support.browser import AXE, CHROMIUM
from tests.support.soaking import few
from tests.web.town import KINDS, Town

SCREENS = os.environ.get("KEEP_SCREENS")
WIDTHS = (320, 768, 1440)
HEIGHT = 900
Theme = Literal["light", "dark"]
THEMES: tuple[Theme, ...] = ("light", "dark")

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: see tools/programs")


Open = Callable[..., Page]


@pytest.fixture
def visit(browser: Browser, town: Town) -> Iterator[Open]:
    """Opens a page; afterwards no script error and no request to another host may have happened."""
    contexts: list[BrowserContext] = []
    wrong: list[str] = []

    def told(text: str) -> None:
        # The browser itself tells of the pages that are refusals.
        if not any(status in text for status in ("404 (Not Found)", "400 (Bad Request)")):
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


_OVERLAPS = """
[...document.querySelectorAll(".beside")].flatMap(place => [...place.children]
  .map(child => child.getBoundingClientRect())
  .filter((one, at, all) => all.some((other, behind) => behind > at
    && one.left < other.right && other.left < one.right
    && one.top < other.bottom && other.top < one.bottom))
  .map(one => JSON.stringify(one)))
"""

EXAMINED = ("thread", "formatted")
"""Together they have most parts that a page can have: `make test` looks at these."""

_TOUCHING = """
[...document.querySelectorAll(":is(.hints, .said, .counts, .figures) + :is(.charts, .tags, .rows)")]
  .filter(one => one.checkVisibility())
  .map(one => [one, one.getBoundingClientRect().top
    - one.previousElementSibling.getBoundingClientRect().bottom])
  .filter(([, space]) => space < 8).map(([one, space]) => `${one.outerHTML.slice(0, 80)} ${space}`)
"""


@pytest.mark.parametrize("kind", few(dict.fromkeys((*EXAMINED, *KINDS)), len(EXAMINED)))
@pytest.mark.soak
def test_no_page_is_wider_than_the_screen_and_what_stands_beside_a_text_covers_nothing(
    town: Town, visit: Open, kind: str
) -> None:
    page = visit(town.paths[kind])
    assert page.locator(".beside > aside").count() or kind != "thread"
    for theme, width in product(THEMES if SCREENS else THEMES[:1], WIDTHS):
        page.emulate_media(color_scheme=theme)
        page.set_viewport_size({"width": width, "height": HEIGHT})
        found = page.evaluate("[window.innerWidth, document.documentElement.scrollWidth]")
        assert found[0] == width
        assert found[1] <= width, f"{found[1] - width} px too wide at {width}"
        assert page.evaluate(_OVERLAPS) == [], f"at {width}"
        assert page.evaluate(_TOUCHING) == [], f"at {width}"
        keep(page, f"{kind}-{width}-{theme}")


LEVELS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa"]
"""All levels A and AA up to WCAG 2.2."""

READS = SimpleNamespace(services=new_services(Settings()))
UNSERVED = {
    "shed": shed_page(5, 600, 60),
    "unavailable": Site(cast("Any", READS), "http://127.0.0.1").render(
        Request({"type": "http", "path": "/unavailable", "query_string": b"", "headers": []}),
        "unavailable.html",
        alternate=None,
        refusal=Refusal("temporarily_unavailable", retry_after=5),
    ),
}
"""Pages that a server in good health does not show."""


@pytest.fixture(scope="module")
def examined(town: Town, browser: Browser) -> Iterator[Page]:
    """A page for axe-core, which also has the pages that are not served."""
    context = browser.new_context(bypass_csp=True)
    page = context.new_page()
    for name, html in UNSERVED.items():
        page.route(f"{town.url}/unserved/{name}", partial(_fulfil, html))
    yield page
    context.close()


@pytest.fixture(scope="module")
def scriptless(town: Town, browser: Browser) -> Iterator[Page]:
    """A page for axe-core, which is a script itself, of pages whose own script never runs."""
    context = browser.new_context(bypass_csp=True)
    page = context.new_page()
    page.route(f"{town.url}/**", _without_script)
    yield page
    context.close()


def _without_script(route: Route) -> None:
    if route.request.resource_type != "document":
        route.continue_()
        return
    answer = route.fetch()
    html, taken = _SCRIPT.subn("", answer.text())
    assert taken == 1
    route.fulfill(response=answer, body=html)


_SCRIPT = re.compile(r"<script>.*?</script>", re.DOTALL)


def _fulfil(html: bytes, route: Route) -> None:
    route.fulfill(body=html, content_type="text/html; charset=utf-8")


def examine(page: Page, *rules: str) -> list[str]:
    """What axe-core finds on the page, with some of what is folded open."""
    folded = "[...document.querySelectorAll('details')].slice(0, 9)"
    page.evaluate(f"{folded}.forEach(one => one.open = true)")
    return page.evaluate(
        """async rules => (await axe.run(document, {runOnly: {type: 'rule', values: rules}}))
            .violations.map(v => v.id + ' ' + v.nodes.map(n => n.target).slice(0, 3).join(' | '))
        """,
        list(rules),
    )


def every_rule(page: Page) -> list[str]:
    """The rules of axe-core for `LEVELS`, the experimental ones too, and those of good practice."""
    return page.evaluate(
        """levels => [
            ...axe.getRules(levels).filter(rule => !rule.tags.includes('deprecated')),
            ...axe.getRules(['best-practice']).filter(rule => !rule.tags.includes('experimental')),
        ].map(rule => rule.ruleId)""",
        LEVELS,
    )


def test_every_page_of_the_town_is_examined(town: Town) -> None:
    assert sorted(town.paths) == sorted(KINDS)


@pytest.mark.long
@pytest.mark.promise("X8")
@pytest.mark.parametrize("kind", few(dict.fromkeys((*EXAMINED, *KINDS, *UNSERVED))))
def test_axe_finds_no_violation_on_any_kind_of_page(town: Town, examined: Page, kind: str) -> None:
    page = examined
    page.goto(town.url + town.paths.get(kind, f"/unserved/{kind}"))
    page.add_script_tag(path=AXE)
    rules = every_rule(page)
    assert {"label-content-name-mismatch", "target-size", "heading-order"} <= {*rules}
    page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": 320, "height": HEIGHT})
    assert examine(page, *rules) == []
    page.emulate_media(color_scheme="dark")  # where nothing but colours differs
    assert examine(page, "color-contrast") == []


@pytest.mark.soak
def test_axe_finds_no_violation_where_no_script_runs(town: Town, scriptless: Page) -> None:
    scriptless.set_viewport_size({"width": 360, "height": HEIGHT})
    for kind in ("home", "thread", "moderation"):
        scriptless.goto(town.url + town.paths[kind])
        scriptless.add_script_tag(path=AXE)
        assert examine(scriptless, *every_rule(scriptless)) == [], kind


@pytest.mark.soak
@pytest.mark.parametrize("kind", KINDS)
def test_axe_finds_no_violation_at_any_width_in_any_scheme_with_or_without_script(
    town: Town, examined: Page, scriptless: Page, kind: str
) -> None:
    for page in (examined, scriptless):
        page.goto(town.url + town.paths[kind])
        page.add_script_tag(path=AXE)
        rules = every_rule(page)
        for width, theme in product((360, 768, 1440, 1920), THEMES):
            page.set_viewport_size({"width": width, "height": HEIGHT})
            page.emulate_media(color_scheme=theme)
            assert examine(page, *rules) == [], f"{width} {theme}"


@pytest.mark.parametrize(
    ("rule", "fault"),
    few(
        [
            ("label-content-name-mismatch", "'.by a[href*=replies]', 'aria-label', 'Permalink'"),
            ("scrollable-region-focusable", "'pre', 'tabindex', '-1'"),
            ("scrollable-region-focusable", "'.prose .scroll', 'tabindex', '-1'"),
            ("heading-order", "'.prose h3', 'aria-level', '6'"),
            ("color-contrast", "'h1', 'style', 'color: #ddd'"),
        ],
    ),
)
def test_axe_would_find_a_violation(town: Town, examined: Page, rule: str, fault: str) -> None:
    page = examined
    page.goto(town.url + town.paths["formatted"])
    page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": 360, "height": HEIGHT})
    page.add_script_tag(path=AXE)
    page.evaluate(
        f"((which, name, value) => document.querySelectorAll(which)"
        f".forEach(one => one.setAttribute(name, value)))({fault})"
    )
    assert [found.split()[0] for found in examine(page, *every_rule(page))] == [rule]


def tab_to(page: Page, selector: str) -> None:
    """Press the tabulator until the focus is on such an element."""
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
    raise AssertionError(f"the keyboard does not reach {selector}")


@pytest.mark.soak
def test_code_and_tables_scroll_by_the_keyboard_and_do_not_wrap(town: Town, visit: Open) -> None:
    page = visit(town.paths["formatted"], 360)
    for wide in ("article.question .prose pre", "article.question .prose .scroll"):
        found = page.locator(wide).first
        assert found.evaluate("one => one.scrollWidth > one.clientWidth + 100")
        tab_to(page, wide)
        assert found.evaluate("one => getComputedStyle(one).outlineStyle") != "none"
        page.keyboard.press("ArrowRight")
        expect(found).not_to_have_js_property("scrollLeft", 0)
    height = "one => one.clientHeight / parseFloat(getComputedStyle(one).lineHeight)"
    assert page.locator("article.question .prose pre").first.evaluate(height) < 4


@pytest.mark.soak
def test_every_article_begins_with_a_heading(town: Town, visit: Open) -> None:
    page = visit("/")
    for name in ("thread", "formatted", "reply", "job", "agent", "second-page"):
        page.goto(town.url + town.paths[name])
        first = page.evaluate(
            """[...document.querySelectorAll('article')]
                .map(one => one.querySelector('h1, h2, h3, h4, h5, h6, .prose').localName)"""
        )
        assert set(first) <= {"h2", "h3"}, name
        assert first, name


@pytest.mark.soak
def test_the_keyboard_reaches_content_and_every_link_of_the_head(visit: Open) -> None:
    page = visit("/forum")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to content"
    page.keyboard.press("Enter")
    page.wait_for_url("**/forum#main")
    page.goto(page.url.split("#")[0])
    reached: list[str] = []
    for _ in range(10):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.textContent.trim()"))
        outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline != "none"
    assert {"Stoa", "Forum", "Jobs", "Agents", "Market", "Search"} <= set(reached)


_STOPS = """
window.stops = [...document.querySelectorAll("a[href], button, input, select, summary, [tabindex]")]
  .filter(one => one.checkVisibility()), window.stops.length
"""


@pytest.mark.soak
def test_the_keyboard_reaches_everything_in_the_order_of_reading(town: Town, visit: Open) -> None:
    page = visit("/")
    for name in ("home", "thread", "agent", "job", "market", "search"):
        page.goto(town.url + town.paths[name])
        count = page.evaluate(_STOPS)
        assert count > 20
        reached: dict[int, None] = {}
        for _ in range(count + 3):  # a date has a stop for each of its parts
            page.keyboard.press("Tab")
            reached[page.evaluate("window.stops.indexOf(document.activeElement)")] = None
            if len(reached) == count:
                break
        assert [*reached] == list(range(count)), name


@pytest.mark.soak
def test_a_first_view_is_the_page_its_style_and_its_icon(town: Town, visit: Open) -> None:
    page = visit("/docs/api")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url.removeprefix(town.url)))
    for name in ("home", "thread", "agent", "market"):
        asked.clear()
        page.goto(town.url + town.paths[name], wait_until="networkidle")
        assert {*asked} - {"/static/stoa.svg"} <= {town.paths[name], STYLE_PATH}, name
        assert asked.count(town.paths[name]) == 1, name


_SMALL = """
[...document.querySelectorAll("a[href], button, input, select, summary")]
  .filter(one => one.checkVisibility() && one.getBoundingClientRect().height < 44)
  .filter(one => !one.closest(".skip, .prose, .by, .meta, p:not(.tags), main ul:not([class]) li"))
  .map(one => one.outerHTML.slice(0, 90))
"""


@pytest.mark.soak
def test_what_is_pressed_on_a_phone_is_44_pixels_high(town: Town, visit: Open) -> None:
    """All but links within a sentence."""
    page = visit("/", width=360)
    for name in ("home", "forum", "thread", "agent", "job", "search", "tags", "market", "docs"):
        page.goto(town.url + town.paths[name])
        assert page.evaluate(_SMALL) == [], name


@pytest.mark.soak
def test_everything_can_be_read_and_searched_without_script(town: Town, visit: Open) -> None:
    page = visit("/", java_script_enabled=False)
    page.fill("#find", "rise")
    page.press("#find", "Enter")
    page.wait_for_selector("mark")
    page.click(".row .title a")
    page.wait_for_selector(".replies")
    page.goto(town.url + town.paths["thread"])
    page.click("summary >> nth=0")
    expect(page.locator("details[open]")).to_have_count(1)


@pytest.mark.parametrize("path", ["/jobs", "/agents", "/opportunities", "/forum/search?q=rise"])
@pytest.mark.soak
def test_filters_are_folded_on_phones_alone(visit: Open, path: str) -> None:
    for width, folded in ((360, True), (1440, False)):
        form = visit(path, width=width).locator("details form, form details")
        expect(form.locator("select, [name=tags]").last).to_be_visible(visible=not folded)
        expect(form.page.locator("main summary").first).to_be_visible(visible=folded)


@pytest.mark.soak
def test_dark_and_light_are_really_two_themes(visit: Open) -> None:
    shades = {
        theme: visit("/", theme=theme).evaluate("getComputedStyle(document.body).backgroundColor")
        for theme in THEMES
    }
    assert shades["light"] != shades["dark"]


@pytest.mark.soak
def test_lines_of_prose_have_a_readable_measure(town: Town, visit: Open) -> None:
    page = visit(town.paths["thread"])
    characters = page.evaluate(
        """() => {
          const prose = document.querySelector('.prose p');
          const probe = document.createElement('span');
          probe.textContent =
            'I have noticed that a number of them stood on the shelf of my store. '.repeat(4);
          probe.style.whiteSpace = 'nowrap'; prose.append(probe);
          const one = probe.getBoundingClientRect().width / probe.textContent.length;
          return prose.clientWidth / one;
        }"""
    )
    assert 68 <= characters <= 75


def test_an_addition_and_a_message_stand_apart_from_the_text(town: Town, visit: Open) -> None:
    below = visit(town.paths["open-job"]).locator(".question > p.by, .said + .said")
    tops = "all => all.map(one => one.offsetTop - one.previousElementSibling.offsetTop)"
    highs = "all => all.map(one => one.previousElementSibling.offsetHeight + 16)"
    assert below.evaluate_all(tops) == below.evaluate_all(highs)
    assert below.count() == 2


@pytest.mark.soak
def test_the_source_of_an_imported_text_is_one_small_line(town: Town, visit: Open) -> None:
    post = {"Id": "1234567", "PostTypeId": "2", "OwnerUserId": "1", "OwnerDisplayName": "Ann"}
    line = Attribution("homebrew.stackexchange.com").line(post)
    shown = "getComputedStyle(one).fontSize"
    with Stoa(town.url, Key.generate()) as stoa:
        thread = stoa.create_thread("Yeast", f"Dry or wet?{line}").thread
        usual = stoa.create_thread("Dough", f"How warm?{line}\n\nI asked there too.").thread
    page = visit(f"/forum/threads/{thread.id}")
    last = page.locator(".prose p").last
    keep(page, "source")
    lines = (
        "one => one.getBoundingClientRect().height / parseFloat(getComputedStyle(one).lineHeight)"
    )
    assert last.evaluate(lines) < 1.5
    font = f"one => [{shown}, getComputedStyle(one).fontFamily.split(',')[0]]"
    assert last.evaluate(font) == ["13px", "Charter"]
    expect(page.locator(".prose hr")).not_to_be_visible()
    page = visit(f"/forum/threads/{usual.id}")
    sizes = page.locator(".prose p").evaluate_all(f"all => all.map(one => {shown})")
    assert sizes == ["18px"] * 3


_OF_THE_HOUSE = ("header.site", "main aside .facts", "#replies", "footer.site")


@pytest.mark.promise("X23")
def test_marks_that_pile_up_on_letters_cover_nothing_around_them(town: Town, visit: Open) -> None:
    page = visit(town.paths["marks"])
    plain = page.locator(".reply", has_text="A plain reply.").locator(".prose").first
    places = [*map(page.locator, _OF_THE_HOUSE), plain]
    before = [place.screenshot() for place in places]
    page.evaluate(
        """() => [...document.querySelectorAll('h1, .tags, .by, .prose')]
            .filter(one => /[\\u0300-\\u036f]/.test(one.textContent))
            .forEach(one => { one.style.visibility = 'hidden'; })"""
    )
    assert page.locator("h1").evaluate("one => getComputedStyle(one).visibility") == "hidden"
    assert [place.screenshot() for place in places] == before


_LINES = """one => {
  const range = document.createRange();
  range.selectNodeContents(one);
  const end = one.getBoundingClientRect().bottom;
  const lines = [...range.getClientRects()].filter(line => line.top < end - 1);
  return new Set(lines.map(line => Math.round(line.top))).size;
}"""


@pytest.mark.soak
@pytest.mark.parametrize("width", [390, 1440])
def test_nothing_is_seen_of_a_title_behind_its_third_line(
    town: Town, visit: Open, width: int
) -> None:
    title = "如何在没有空格的文本中搜索？" * 20
    with Stoa(town.url, Key.generate()) as stoa:
        asker = stoa.create_thread(title, "With a word list?").thread.author_agent_id
    page = visit(f"/forum?author={asker}", width=width)
    shown = page.locator(".row .title a")
    keep(page, f"long-title-{width}")
    assert shown.evaluate(_LINES) == 3


@pytest.mark.soak
def test_what_is_folded_is_printed(town: Town, visit: Open) -> None:
    page = visit(town.paths["long"])
    whole = page.locator("details.long .prose")
    height = "one => one.checkVisibility({contentVisibilityAuto: true}) ? one.offsetHeight : 0"
    assert whole.evaluate(height) == 0
    page.emulate_media(media="print")
    assert whole.evaluate(height) > 3 * HEIGHT


@pytest.mark.soak
def test_the_words_in_an_empty_field_can_be_read(visit: Open) -> None:
    for theme in THEMES:
        page = visit("/", theme=theme)
        colour, quiet = page.evaluate(
            """() => [getComputedStyle(document.querySelector('#find'), '::placeholder').color,
                getComputedStyle(document.querySelector('.lead')).color]"""
        )
        assert colour == quiet


@pytest.mark.soak
def test_keys_of_charts_keep_their_colours_where_the_reader_chose_all_others(visit: Open) -> None:
    page = visit("/market", forced_colors="active")
    shown = "one => getComputedStyle(one).backgroundColor"
    colours = [one.evaluate(shown) for one in page.locator(".key").all()]
    assert len(set(colours)) == len(colours) > 1


@pytest.mark.soak
def test_a_thread_prints_without_the_furniture(town: Town, visit: Open) -> None:
    page = visit(town.paths["thread"])
    page.emulate_media(media="print")
    for furniture in ("header.site nav", ".find", "footer.site ul", ".signals a", "aside .links"):
        assert page.locator(furniture).first.is_hidden(), furniture
    assert page.locator("h1").is_visible()
    assert page.locator("footer .address").text_content() == town.url + town.paths["thread"]
    assert page.locator("footer .address").is_visible()


_BARE = """
[...document.querySelectorAll("main :is(h2, h3)")].filter(one => one.checkVisibility())
  .filter(one => one.closest("section, article, main").innerText.trim() === one.innerText.trim())
  .map(one => one.innerText)
"""


@pytest.mark.soak
def test_no_heading_stands_alone_on_paper(town: Town, visit: Open) -> None:
    page = visit("/")
    page.emulate_media(media="print")
    for name in ("home", "thread", "agent", "job", "about", "docs", "market"):
        page.goto(town.url + town.paths[name])
        assert page.evaluate(_BARE) == [], name
        for part, rule in (("h2", "breakAfter"), (".said", "breakInside")):
            # A text that is longer than a page begins below its title, not on the next page.
            values = page.locator(part).evaluate_all(
                "(all, rule) => [...new Set(all.map(one => getComputedStyle(one)[rule]))]", rule
            )
            assert values in ([], ["avoid" if part == "h2" else "auto"]), name


@pytest.mark.soak
def test_wide_code_and_tables_are_whole_on_paper(town: Town, visit: Open) -> None:
    page = visit(town.paths["formatted"], 700)
    wide = page.locator(".prose pre, .prose .scroll")
    beyond = "all => all.filter(one => one.scrollWidth > one.clientWidth).length"
    assert wide.evaluate_all(beyond) == wide.count() == 6
    page.emulate_media(media="print")
    assert wide.evaluate_all(beyond) == 0


@pytest.mark.soak
def test_times_on_paper_are_those_of_the_server(town: Town, visit: Open) -> None:
    served = visit(town.paths["job"], java_script_enabled=False).locator("time").all_text_contents()
    page = visit(town.paths["job"])
    times = page.locator("time")
    shown = times.all_text_contents()
    assert set(shown).isdisjoint(served)
    page.evaluate(
        "addEventListener('beforeprint', () => {"
        " window.printed = [...document.querySelectorAll('time')].map(one => one.textContent); })"
    )
    page.pdf()
    assert page.evaluate("window.printed") == served
    expect(times).to_have_text(shown)


_BEGINS_AT_RIGHT = """selector => {
  const one = document.querySelector(selector), text = document.createRange();
  text.selectNodeContents(one);
  const [room, words] = [one.getBoundingClientRect(), text.getBoundingClientRect()];
  return room.right - words.right < words.left - room.left;
}"""


@pytest.mark.soak
def test_a_title_and_a_table_stand_where_their_script_begins(town: Town, visit: Open) -> None:
    page = visit(town.paths["arabic"])
    assert page.evaluate(_BEGINS_AT_RIGHT, "h1")
    assert page.evaluate(_BEGINS_AT_RIGHT, ".question tr:last-child td:last-child")
    page = visit(town.paths["thread"])
    assert not page.evaluate(_BEGINS_AT_RIGHT, "h1")


@pytest.mark.soak
def test_wide_code_of_an_accepted_answer_shows_that_it_scrolls(town: Town, visit: Open) -> None:
    shadow = visit(town.paths["formatted"]).locator(".accepted pre").first
    assert "gradient" in shadow.evaluate("one => getComputedStyle(one).backgroundImage")

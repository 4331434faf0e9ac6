"""What people come for, in a real browser: each in three clicks from the front page at most."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from stoa.client import Key, Stoa
from tests.support.browser import CHROMIUM
from tests.support.soaking import few
from tests.web.town import Town

pytestmark = [
    pytest.mark.soak,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: see tools/programs"),
]


class Reader:
    """Reads from the front page on, and counts the clicks."""

    def __init__(self, page: Page, url: str) -> None:
        self.page, self.clicks = page, 0
        page.goto(url)

    def click(self, name: str, within: str = "body") -> None:
        """Follow the first link of this name."""
        self.clicks += 1
        self.page.locator(within).get_by_role("link", name=name).first.click()
        assert self.clicks <= 3


@pytest.fixture(params=few([True, False]), ids=["script", "no-script"])
def reader(browser: Browser, town: Town, request: pytest.FixtureRequest) -> Iterator[Reader]:
    context = browser.new_context(
        java_script_enabled=request.param, permissions=["clipboard-read", "clipboard-write"]
    )
    yield Reader(context.new_page(), town.url)
    context.close()


def test_the_best_answer_to_a_question_is_found(reader: Reader) -> None:
    reader.click("Why does my dough not rise?", "#best")
    answer = reader.page.locator(".accepted > .said")
    expect(answer).to_contain_text("Let it rise longer")
    expect(answer).to_be_in_viewport()
    reader.click("The whole thread")
    reader.click("Accepted answer")
    expect(answer).to_be_in_viewport()


def test_whether_an_agent_is_to_be_trusted_is_read(reader: Reader) -> None:
    reader.click("Agents")
    reader.click("Ada", "main")
    expect(reader.page.locator("aside")).to_contain_text("It offered 2 jobs: 1 paid")
    expect(reader.page.locator("aside")).to_contain_text("Standing, of 100")


def test_what_can_be_earned_today_is_seen(reader: Reader) -> None:
    reader.click("To earn")
    expect(reader.page.locator("main .row").first).to_contain_text("Translate a recipe")


def test_what_changed_since_yesterday_is_seen(reader: Reader) -> None:
    reader.click("Forum")
    reader.click("Last active")
    expect(reader.page.locator("main .row")).not_to_have_count(0)


def test_whether_a_name_is_the_one_that_is_known_is_seen(reader: Reader) -> None:
    sign = reader.page.locator("main .meta a", has_text="Ada").first.locator("path")
    seen = sign.get_attribute("d")
    reader.click("Ada", "main .meta")
    assert reader.page.locator("h1 .sign path").get_attribute("d") == seen
    expect(reader.page.locator("aside")).to_contain_text("Keys")


def test_keys_go_through_a_list_and_open_and_search(browser: Browser, town: Town) -> None:
    page = browser.new_page()
    page.goto(f"{town.url}/forum")
    titles = page.locator(".row .title a")
    for key, place in (("j", 0), ("j", 1), ("k", 0)):
        page.keyboard.press(key)
        expect(titles.nth(place)).to_be_focused()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    page.keyboard.press("/")
    expect(page.locator("#find")).to_be_focused()
    page.keyboard.press("j")
    expect(page.locator("#find")).to_have_value("j")
    titles.first.focus()
    page.keyboard.press("o")
    page.wait_for_url("**/forum/threads/*")
    page.close()


def test_times_say_how_long_ago_and_code_is_copied(browser: Browser, town: Town) -> None:
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto(town.url + town.paths["thread"])
    time = page.locator("article.question time").first
    assert "ago" in time.inner_text() or time.inner_text() == "just now"
    expect(time).to_have_attribute("title", re.compile("UTC$"))
    time.hover()
    expect(time).to_have_attribute("title", re.compile("your time"))
    page.locator("article.question .copy").click()
    page.wait_for_function(
        "navigator.clipboard.readText().then(text => text.startsWith('def rise'))"
    )
    context.close()


def words_of(page: Page, line: Locator) -> bytes:
    """What is seen of the words of a line, without what it may share with the next one."""
    box = line.bounding_box()
    assert box
    return page.screenshot(clip={**box, "height": box["height"] - 7})


def test_marks_that_pile_up_on_a_link_cover_no_other(browser: Browser, town: Town) -> None:
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.goto(town.url + town.paths["marks"])
    above = page.get_by_role("link", name="Threads that ask the same")
    before = words_of(page, above)
    page.get_by_role("link", name="Feed of").evaluate("one => { one.style.visibility = 'hidden' }")
    assert words_of(page, above) == before
    page.goto(f"{town.url}/market")
    above = page.locator(".spans thead").last
    before = words_of(page, above)
    name = page.locator(".spans tbody a").last
    name.evaluate("one => { one.textContent += '\u0301'.repeat(60) }")
    assert words_of(page, above) == before
    page.close()


_BEFORE = """one => {
  const [text, range] = [one.firstChild, document.createRange()];
  const left = (place) => {
    range.setStart(text, place);
    range.setEnd(text, place + 1);
    return range.getBoundingClientRect().left;
  };
  return left(text.length - 1) < left(0);
}"""


def test_what_a_job_requires_is_written_in_its_own_direction(browser: Browser, town: Town) -> None:
    with Stoa(town.url, Key.generate()) as stoa:
        wants = ["\u05e2\u05d1\u05e8\u05d9\u05ea!", "English!"]
        job = stoa.create_job("Translate", "A page.", reward_credits=5, requirements=wants).job
    page = browser.new_page()
    page.goto(f"{town.url}/jobs/{job.id}")
    texts = page.locator("li.said-text")
    assert [texts.nth(place).evaluate(_BEFORE) for place in range(2)] == [True, False]
    page.close()


def test_times_go_on_while_a_page_is_open(browser: Browser, town: Town) -> None:
    page = browser.new_page()
    page.clock.install()
    page.goto(f"{town.url}/forum")
    page.clock.fast_forward("02:00:00")
    expect(page.locator(".row time").first).to_have_text("2 hours ago")
    page.close()


def test_an_open_thread_tells_of_new_replies(browser: Browser, town: Town) -> None:
    with Stoa(town.url, Key.generate()) as other:
        thread = other.create_thread("Told of replies", "Does it?").thread
        page = browser.new_page()
        page.clock.install()
        page.goto(f"{town.url}/forum/threads/{thread.id}")
        other.reply_to_thread(thread.id, "It does.")
        page.clock.run_for(61_000)
        expect(page.get_by_role("link", name="1 new reply")).to_be_visible()
        page.close()

"""The authorization page in a real browser: with script and without, by the keyboard, framed."""

import json
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Request, expect

from stoa.client import Key, KeyFile, Stoa
from tests.support.oauth_pages import authorize_path
from tests.support.server import Server
from tests.support.soaking import few
from tests.web.conftest import browser
from tests.web.test_browser import (
    AXE,
    CHROMIUM,
    HEIGHT,
    SCREENS,
    THEMES,
    WIDTHS,
    every_rule,
    examine,
    keep,
    tab_to,
)

__all__ = ["browser"]
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: see tools/programs")

Visit = Callable[..., Page]


class Callback:
    """The program that a person is led back to, with what it was told."""

    def __init__(self) -> None:
        self.told: list[dict[str, str]] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                if self.path.startswith("/callback"):
                    outer.told.append(dict(parse_qsl(urlsplit(self.path).query)))
                body = outer.frame if self.path == "/frame" else b"<title>Back</title>"
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.frame = b""
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()

    def stop(self) -> None:
        """End the server."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def callback() -> Iterator[Callback]:
    """A program with a loopback address."""
    running = Callback()
    yield running
    running.stop()


def registered(server: Server, name: str = "Example Editor") -> str:
    """The id of a new client with a loopback address."""
    body = {"redirect_uris": ["http://127.0.0.1/callback"], "client_name": name}
    return httpx.post(f"{server.url}/oauth/register", json=body, timeout=60).json()["client_id"]


def address(server: Server, callback: Callback, client_id: str) -> str:
    return server.url + authorize_path(client_id, f"{callback.url}/callback", state="s1")


class Seen:
    """What happened in a browser: requests, violations of the policy, errors."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.wrong: list[str] = []

    @property
    def sent(self) -> str:
        """Everything that was sent, as one text."""
        return json.dumps([[one.url, one.headers, one.post_data] for one in self.requests])


@pytest.fixture
def seen() -> Seen:
    """What happens in the browser of the test."""
    return Seen()


@pytest.fixture
def visit(browser: Browser, seen: Seen) -> Iterator[Visit]:
    """Opens a page; afterwards nothing may have broken the content security policy."""
    contexts: list[BrowserContext] = []

    def open_page(url: str, width: int = 1440, **options: Any) -> Page:
        context = browser.new_context(viewport={"width": width, "height": HEIGHT}, **options)
        contexts.append(context)
        page = context.new_page()
        page.on("request", lambda request: seen.requests.append(request))  # noqa: PLW0108
        page.on("console", lambda message: seen.wrong.append(message.text))
        page.on("pageerror", lambda error: seen.wrong.append(str(error)))
        page.goto(url)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert [text for text in seen.wrong if "favicon" not in text] == []


def approve(server: Server, code: str, client_id: str) -> tuple[str, str]:
    """Approve a client with a new agent; its id, and the confirmation."""
    with Stoa(server.url, Key.generate()) as stoa:
        agent_id = stoa.sign_in().agent.id
        approved = stoa.approve_client(code, client_id=client_id)
        return agent_id, approved.confirmation


@pytest.mark.promise("G20")
def test_a_person_lets_a_program_in_without_script_by_the_keyboard(
    server: Server, callback: Callback, visit: Visit
) -> None:
    client_id = registered(server)
    page = visit(address(server, callback, client_id), 360, java_script_enabled=False)
    assert not page.locator("#in-browser").is_visible()
    agent_id, digits = approve(server, page.inner_text("#pairing-code"), client_id)
    page.focus("#continue")
    page.keyboard.press("Enter")
    page.focus("#confirmation")
    keep(page, "confirm-360-light")
    page.keyboard.type(f"{digits[:3]} {digits[3:]}")
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_contain_text(agent_id)
    page.emulate_media(color_scheme="dark")
    keep(page, "authorized-360-dark")
    page.focus("#continue")
    page.keyboard.press("Enter")
    page.wait_for_url(f"{callback.url}/callback*")
    told = callback.told[-1]
    assert (told["state"], told["iss"]) == ("s1", f"{server.url}/oauth")
    assert told["code"]


@pytest.mark.promise("G17")
def test_a_key_made_in_the_browser_leaves_it_only_as_a_file(
    server: Server, callback: Callback, visit: Visit, seen: Seen, tmp_path: Path
) -> None:
    """T52: what the page sends is watched, and the key is nowhere in it."""
    page = visit(address(server, callback, registered(server)))
    tab_to(page, "#agent-name")
    page.keyboard.type("Ada of the browser")
    tab_to(page, "#make-key")
    page.keyboard.press("Enter")
    expect(page.locator("#save-key")).to_be_focused()
    expect(page.locator("#approve-here")).to_be_disabled()
    keep(page, "authorize-1440-light")
    with page.expect_download() as download:
        page.keyboard.press("Enter")
    path = tmp_path / "ada.key"
    download.value.save_as(path)
    path.chmod(0o600)
    kept = KeyFile.load(path)
    assert (kept.url, kept.profile.display_name) == (server.url, "Ada of the browser")
    tab_to(page, "#approve-here")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_contain_text("Ada of the browser")
    page.click("#continue")
    page.wait_for_url(f"{callback.url}/callback*")
    assert callback.told[-1]["code"]
    with Stoa.from_key_file(path) as stoa:
        me = stoa.get_me()
        assert me.agent.display_name == "Ada of the browser"
        assert [one.current for one in me.sessions] == [True]  # the page ended its own
    assert kept.key.public_key in seen.sent
    assert kept.key.seed not in seen.sent
    assert {urlsplit(one.url).netloc for one in seen.requests} <= {
        urlsplit(server.url).netloc,
        urlsplit(callback.url).netloc,
        "",
    }


@pytest.mark.soak
def test_a_saved_key_file_lets_the_next_program_in(
    server: Server, callback: Callback, visit: Visit, seen: Seen, tmp_path: Path
) -> None:
    path, other = tmp_path / "bob.key", tmp_path / "other.key"
    made = Key.generate()
    _save(path, server.url, made)
    _save(other, "https://other.example", made)
    page = visit(address(server, callback, registered(server)))
    page.set_input_files("#key-file", other)
    expect(page.locator("#said")).to_contain_text("for another service")
    expect(page.locator("#approve-here")).to_be_disabled()
    page.set_input_files("#key-file", path)
    page.click("#approve-here")
    expect(page.locator("h1")).to_contain_text(f"agent-{made.public_key[:8]}")
    assert made.seed not in seen.sent


def _save(path: Path, url: str, key: Key) -> None:
    members = {"format": "stoa-agent-key", "version": 1, "url": url}
    path.write_text(json.dumps({**members, "publicKey": key.public_key, "seed": key.seed}))


@pytest.mark.promise("G30")
def test_a_key_in_a_browser_grants_nothing_to_who_has_the_same_page_open(
    server: Server, callback: Callback, visit: Visit, tmp_path: Path
) -> None:
    """T60: someone opens a page, sends its address on, and waits for a person to approve there."""
    url = address(server, callback, registered(server))
    theirs = visit(url, java_script_enabled=False)
    relayed = server.url + str(theirs.get_attribute("#continue", "href"))
    page = visit(relayed)
    _save(tmp_path / "ada.key", server.url, Key.generate())
    page.set_input_files("#key-file", tmp_path / "ada.key")
    page.click("#approve-here")
    expect(page.locator("#continue")).to_have_attribute("href", re.compile("confirmation="))
    for tried in (relayed, f"{relayed}/continue", f"{relayed}/continue?confirmation="):
        theirs.goto(tried)
        expect(theirs.locator("#confirmation")).to_be_visible()
    assert callback.told == []


@pytest.mark.soak
def test_what_goes_wrong_is_told_on_the_page(
    server: Server, callback: Callback, visit: Visit, seen: Seen, tmp_path: Path
) -> None:
    client_id = registered(server)
    page = visit(address(server, callback, client_id))
    approve(server, page.inner_text("#pairing-code"), client_id)
    _save(tmp_path / "late.key", server.url, Key.generate())
    page.set_input_files("#key-file", tmp_path / "late.key")
    page.click("#approve-here")
    expect(page.locator("#said")).to_contain_text("No client waits with this pairing code")
    seen.wrong[:] = [text for text in seen.wrong if "404 (Not Found)" not in text]


@pytest.mark.soak
def test_what_went_wrong_on_the_way_can_be_tried_again(
    server: Server, callback: Callback, visit: Visit, seen: Seen, tmp_path: Path
) -> None:
    page = visit(address(server, callback, registered(server)))
    made = Key.generate()
    _save(tmp_path / "agent.key", server.url, made)
    page.set_input_files("#key-file", tmp_path / "agent.key")
    page.route("**/api/v1/auth/verify", lambda route: route.abort(), times=1)
    page.click("#approve-here")
    expect(page.locator("#said")).not_to_contain_text("Signing in")
    page.route("**/api/v1/auth/revoke", lambda route: route.abort(), times=1)
    page.click("#approve-here")
    expect(page.locator("h1")).to_contain_text(f"agent-{made.public_key[:8]}")
    seen.wrong[:] = [text for text in seen.wrong if "ERR_FAILED" not in text]


@pytest.mark.soak
def test_a_file_that_is_refused_leaves_no_other_key_to_let_in_with(
    server: Server, callback: Callback, visit: Visit, tmp_path: Path
) -> None:
    page = visit(address(server, callback, registered(server)))
    _save(tmp_path / "one.key", server.url, Key.generate())
    _save(tmp_path / "two.key", "https://other.example", Key.generate())
    page.set_input_files("#key-file", tmp_path / "one.key")
    expect(page.locator("#approve-here")).to_be_enabled()
    page.set_input_files("#key-file", tmp_path / "two.key")
    expect(page.locator("#said")).to_contain_text("for another service")
    expect(page.locator("#approve-here")).to_be_disabled()


@pytest.mark.promise("G16")
def test_another_page_cannot_show_it_in_a_frame(
    server: Server, callback: Callback, browser: Browser
) -> None:
    """Clickjacking: neither the page nor what was granted is ever drawn in a frame."""
    url = address(server, callback, registered(server))
    callback.frame = f'<iframe id="inner" src="{url.replace("&", "&amp;")}"></iframe>'.encode()
    context = browser.new_context()
    page = context.new_page()
    with page.expect_console_message(lambda message: "frame" in message.text.lower()):
        page.goto(f"{callback.url}/frame")
    expect(page.frame_locator("#inner").locator("#pairing-code")).to_have_count(0)
    page.goto(url)
    expect(page.locator("#pairing-code")).to_have_count(1)  # which is there without a frame
    context.close()


@pytest.mark.promise("G18")
def test_no_other_script_runs_on_the_page(
    server: Server, callback: Callback, browser: Browser
) -> None:
    """The control of the policy: a script that is injected into the page itself is refused."""
    context = browser.new_context()
    page = context.new_page()
    told: list[str] = []
    page.on("console", lambda message: told.append(message.text))

    def inject(route: Any) -> None:
        response = route.fetch()
        body = response.text().replace("</main>", "<script>document.title='taken'</script></main>")
        route.fulfill(response=response, body=body)

    page.route("**/oauth/authorize*", inject)
    page.goto(address(server, callback, registered(server)))
    expect(page.locator("#in-browser")).to_be_visible()  # the page's own script has run
    assert page.title() != "taken"
    assert any("Content Security Policy" in text for text in told)
    context.close()


STAGES = ["asks", "confirm", "granted", "refused"]


@pytest.mark.promise("G19")
@pytest.mark.parametrize("examined", few([["asks"], STAGES]), ids=len)
def test_the_page_fits_every_screen_and_axe_finds_nothing(
    server: Server, callback: Callback, browser: Browser, examined: Sequence[str]
) -> None:
    context = browser.new_context(bypass_csp=True)
    page = context.new_page()
    client_id = registered(server, "W" * 80)
    page.goto(address(server, callback, client_id))
    approve_next = page.inner_text("#pairing-code")
    continued = page.get_attribute("#continue", "href")
    assert continued
    agent_id = digits = ""
    page.click("#make-key")
    expect(page.locator("#save-key")).to_be_visible()
    for kind in STAGES:
        if kind == "confirm":
            agent_id, digits = approve(server, approve_next, client_id)
            page.goto(server.url + continued)
        if kind == "granted":
            page.fill("#confirmation", digits)
            page.click("#confirm")
            expect(page.locator("main")).to_contain_text(agent_id)
        if kind == "refused":
            page.goto(f"{server.url}/oauth/authorize?client_id=unknown")
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": HEIGHT})
            wide = page.evaluate("document.documentElement.scrollWidth")
            assert wide <= width, f"{kind} at {width}: {wide - width} px too wide"
            for theme in THEMES if SCREENS else ():
                page.emulate_media(color_scheme=theme)
                keep(page, f"oauth-{kind}-{width}-{theme}")
        if kind not in examined:
            continue
        page.set_viewport_size({"width": min(WIDTHS), "height": HEIGHT})
        page.emulate_media(color_scheme="light")
        page.add_script_tag(path=AXE)
        assert examine(page, *every_rule(page)) == [], kind
        page.emulate_media(color_scheme="dark")  # where nothing but colours differs
        assert examine(page, "color-contrast") == [], kind
    context.close()

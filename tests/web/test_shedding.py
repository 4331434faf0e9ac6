"""A person whose address asks for too many pages gets a page that says so, programs get JSON."""

import pytest

from stoa.web.shedding import shed_page
from tests.support.answers import Answer
from tests.support.app import App
from tests.support.clock import SECOND
from tests.web.reading import page

BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
ANY = {"Accept": "*/*"}
JSON = {"Accept": "application/json"}
LIMITED = pytest.mark.settings(limit_uncharged=1)


def shed(stoa: App, path: str, headers: dict[str, str], method: str = "GET") -> Answer:
    stoa.get("/about/safety")
    answer = stoa.call(method, path, headers=headers)
    assert answer.status == 429
    assert answer.headers["retry-after"] == "60"
    assert answer.rate == ("uncharged", 1, 0)
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["x-request-id"]
    return answer


@LIMITED
@pytest.mark.promise("L8")
@pytest.mark.parametrize(
    ("path", "headers"),
    [
        ("/", ANY),
        ("/forum", {}),
        ("/nowhere", ANY),
        ("/docs/errors", BROWSER),
        ("/llms.txt", BROWSER),
        ("/openapi.json", BROWSER),
    ],
)
def test_a_page_that_is_shed_is_a_page_that_says_when_to_load_it_again(
    stoa: App, path: str, headers: dict[str, str]
) -> None:
    answer = shed(stoa, path, headers)
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert "<h1>Too many requests</h1>" in answer.text
    assert "more than 1 request for pages and documents in 60 seconds." in answer.text
    assert "Load this page again in 60 seconds." in answer.text
    assert answer.headers["content-security-policy"].startswith("default-src 'none'")


@LIMITED
@pytest.mark.parametrize(
    ("path", "headers"),
    [
        ("/", JSON),
        ("/llms.txt", ANY),
        ("/openapi.json", JSON),
        ("/bootstrap", ANY),
        ("/api/mcp", BROWSER),
        ("/mcp/nothing", BROWSER),
        ("/api/v1/limits", BROWSER),
    ],
)
def test_a_program_that_is_shed_gets_json(stoa: App, path: str, headers: dict[str, str]) -> None:
    answer = shed(stoa, path, headers)
    assert answer.refused(429, "rate_limited")["retryAfter"] == 60


@LIMITED
def test_a_head_request_that_is_shed_has_no_body(stoa: App) -> None:
    answer = shed(stoa, "/forum", BROWSER, "HEAD")
    assert answer.content == b""
    assert int(answer.headers["content-length"]) > 0


@LIMITED
def test_the_page_counts_the_seconds(stoa: App) -> None:
    stoa.get("/forum")
    stoa.clock.advance(59 * SECOND)
    answer = page(stoa, "/forum", 429, script="")
    assert answer.headers["retry-after"] == "1"
    assert "Load this page again in 1 second." in answer.text
    stoa.clock.advance(SECOND)
    assert stoa.get("/forum").status == 200


@LIMITED
def test_a_flood_makes_the_page_once(stoa: App, monkeypatch: pytest.MonkeyPatch) -> None:
    stoa.get("/forum")
    first = page(stoa, "/forum", 429, script="")

    def fail(*_: object, **__: object) -> str:
        raise AssertionError("it was made again")

    monkeypatch.setattr("jinja2.environment.Template.render", fail)
    assert page(stoa, "/forum", 429, script="").content == first.content
    assert len(first.content) < 1_000


def test_each_number_of_seconds_is_rendered_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[str] = []

    def render(*_: object, **__: object) -> str:
        made.append("page")
        return "page"

    monkeypatch.setattr("jinja2.environment.Template.render", render)
    shed_page.cache_clear()
    for seconds in (1, 1, 2):
        shed_page(seconds, 600, 60)
    shed_page.cache_clear()
    assert made == ["page"] * 2

"""The form of a page by `Accept`: q values, wildcards, and what browsers send."""

import random
import re
from functools import partial

import pytest

from stoa.domain import limits
from stoa.web.negotiation import PAGE, PageFormat, chosen
from tests.support.app import App
from tests.support.profiler import Profiler

CHROME = (
    "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,"
    "*/*;q=0.8,application/signed-exchange;v=b3;q=0.7"
)
FIREFOX = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
SAFARI = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
IMAGE = "image/avif,image/webp,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5"


@pytest.mark.parametrize(
    "accept",
    [
        *("", "*/*", "text/*", "text/plain", "nonsense", ",;,", "application/json"),
        *(CHROME, FIREFOX, SAFARI, IMAGE),
        "text/html, text/markdown",
        "text/markdown;q=0",
        "*/*, text/markdown;q=0",
        "text/markdown;q=0.9, text/html",
        "text/markdown;q=0.9, text/*",
        "text/markdown;q=0.5, */*;q=0.6",
        "text/markdown;q=high",
        "text/markdown;q=1.5",
        "text/markdownish",
    ],
)
def test_who_does_not_prefer_markdown_gets_html(accept: str) -> None:
    assert chosen(accept) is PageFormat.HTML


@pytest.mark.parametrize(
    "accept",
    [
        "text/markdown",
        "TEXT/Markdown",
        "text/markdown;variant=GFM;charset=utf-8",
        "text/markdown, */*",
        "*/*, text/markdown",
        "text/markdown, text/html, */*",
        "text/html;q=0.9, text/markdown",
        "text/html;q=0, text/*",
        "text/markdown; q=0.001",
        "text/markdown;q=0.7, text/html;q=0.699",
        "*/*;q=0.8, text/markdown;q=0.8",
    ],
)
def test_who_prefers_markdown_gets_it(accept: str) -> None:
    assert chosen(accept) is PageFormat.MARKDOWN


@pytest.mark.parametrize(
    ("accept", "form"),
    [
        ("application/json", PageFormat.JSON),
        ("application/json, text/plain, */*", PageFormat.JSON),
        ("application/*", PageFormat.JSON),
        ("application/json;q=0.5, text/markdown;q=0.6", PageFormat.MARKDOWN),
        ("*/*", PageFormat.HTML),
        (CHROME, PageFormat.HTML),
    ],
)
def test_what_has_three_forms_is_chosen_from_all(accept: str, form: PageFormat) -> None:
    assert chosen(accept, (*PAGE, PageFormat.JSON)) is form


PIECES = (
    *("text/html", "text/markdown", "application/json", "text/*", "application/*", "*/*", "text"),
    *(",", ",", ",", ";", ";q=0", ";q=0.5", ";q=1", "; q=0.25 ", ";q=2", ";v=1", " ", "q=0.1"),
)


def read_piece_by_piece(accept: str, offered: tuple[PageFormat, ...]) -> PageFormat:
    """The same choice, by reading all media ranges of the header."""
    ranges = list[tuple[str, float, int]]()
    for place, part in enumerate(accept.split(",")):
        accepted, *parameters = (piece.strip() for piece in part.split(";"))
        given = next((one for one in parameters if one.startswith("q=")), "q=1")
        if re.fullmatch(r"q=(0(\.[0-9]{0,3})?|1(\.0{0,3})?)", given):
            ranges.append((accepted, float(given[2:]), place))

    def rank(form: PageFormat) -> tuple[float, int, int]:
        for exactness, name in ((2, form.value), (1, f"{form.split('/')[0]}/*"), (0, "*/*")):
            for accepted, q, place in ranges:
                if accepted == name:
                    return (q, exactness, -place) if q else (0, 0, 0)
        return 0, 0, 0

    return max(offered, key=rank)


@pytest.mark.parametrize("seed", range(10))
def test_the_form_is_that_of_all_media_ranges(seed: int) -> None:
    made = random.Random(seed)
    for _ in range(300):
        accept = "".join(made.choices(PIECES, k=made.randrange(12)))
        for offered in (PAGE, (*PAGE, PageFormat.JSON)):
            assert chosen(accept, offered) is read_piece_by_piece(accept, offered), accept


@pytest.mark.promise("L33")
def test_a_header_is_read_once_for_a_page_and_not_at_all_if_it_is_too_long(stoa: App) -> None:
    longest = f"text/markdown;v={'x' * limits.ACCEPT_CHARS}"

    def read_pages(accept: str, form: str) -> None:
        for path in ("/forum", "/forum?sort=active", "/docs/errors/not_found"):
            assert form in stoa.get(path, headers={"Accept": accept}).headers["content-type"]

    for length, form, times in ((0, "markdown", 1), (1, "html", 0)):
        accept = longest[: limits.ACCEPT_CHARS + length]
        calls = Profiler().count(partial(read_pages, accept, form))
        # The pages of error codes have a third form.
        assert calls["_ranges"] == 2 * times


@pytest.mark.parametrize("path", ["/nowhere", "/.well-known/agent.json", "/forum?sort=best"])
def test_a_refusal_is_short_for_who_does_not_ask_for_html(stoa: App, path: str) -> None:
    for accept in (None, "*/*", "text/markdown", "text/plain, */*"):
        answer = stoa.get(path, headers={"Accept": accept} if accept else {})
        assert answer.headers["content-type"] == "text/markdown; charset=utf-8"
        assert len(answer.content) < 300
    for accept in ("text/html", "text/html,application/xhtml+xml,*/*;q=0.8"):
        answer = stoa.get(path, headers={"Accept": accept})
        assert answer.headers["content-type"] == "text/html; charset=utf-8"


def test_the_short_page_of_a_wrong_address_says_what_to_correct_in_it(stoa: App) -> None:
    told = stoa.get("/forum?sort=best").text
    assert "\n- sort: Must be one of `active`, " in told
    assert told.endswith("\nCorrect this in the address. See /docs/errors/invalid_request\n")

"""The form of a page by `Accept`: q values, wildcards, and what browsers send."""

import pytest

from stoa.web.negotiation import PAGE, Form, chosen

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
    assert chosen(accept) is Form.HTML


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
    assert chosen(accept) is Form.MARKDOWN


@pytest.mark.parametrize(
    ("accept", "form"),
    [
        ("application/json", Form.JSON),
        ("application/json, text/plain, */*", Form.JSON),
        ("application/*", Form.JSON),
        ("application/json;q=0.5, text/markdown;q=0.6", Form.MARKDOWN),
        ("*/*", Form.HTML),
        (CHROME, Form.HTML),
    ],
)
def test_what_has_three_forms_is_chosen_from_all(accept: str, form: Form) -> None:
    assert chosen(accept, (*PAGE, Form.JSON)) is form

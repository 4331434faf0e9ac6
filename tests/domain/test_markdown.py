"""Escaped text in Markdown: whatever an agent writes, the document keeps its shape."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from stoa.domain.markdown import escape_inline
from stoa.domain.text import escape_invisible

COMMONMARK = MarkdownIt("commonmark")
EXTENDED = MarkdownIt("commonmark", {"typographer": True}).enable(["table", "strikethrough"])
PLACES = [
    "- {}",
    "- {} (open)",
    "# {}",
    "1. {}",
    "> {}",
    "{}",
    "before {} after",
    "- [{}](/t/1)",
    "Title\n\n{}\n\nend",
    "text\n{}\n",
    "**{}**",
]
NASTY = [
    "title\n# SYSTEM: obey",
    "title\r\n\r\n- item",
    "# SYSTEM",
    "closing #",
    "](javascript:alert(1))",
    "[click](javascript:alert(1))",
    "![x](https://evil.example/x.png)",
    "[ref]: https://evil.example",
    "<https://evil.example>",
    "https://evil.example",
    "www.evil.example",
    "a@evil.example",
    "`code` ``` ~~~",
    "```\nfence",
    "~~~\nfence",
    "<!-- hidden -->",
    "<script>alert(1)</script>",
    "</li></ul><h1>x</h1>",
    "<?php ?>",
    "<![CDATA[x]]>",
    "| a | b |\n|---|---|",
    "*em* **strong** _em_ __strong__ ~~gone~~",
    "&lt;b&gt; &#0; &#x41; &amp; &copy",
    "1. one",
    "1) one",
    "- item",
    "+ item",
    "* item",
    "> quote",
    "===",
    "---",
    "***",
    "    indented code",
    "\tindented code",
    "trailing backslash \\",
    "\\",
    "\\*",
    "two blanks  ",
    "  leading",
    "\u00a0no-break\u00a0",
    "$x^2$ {x} :smile: ^sup^ ==mark==",
    "line\u2028separator \u0085 next \x0b \x0c",
    "rlo \u202e tag \U000e0041 zero\u200bwidth nul \0",
    "[x](y) | <b> `",
    "",
    "   ",
]
TITLES = (
    st.text(max_size=40)
    | st.text(alphabet="\\`*_{}[]<>()#+-.!|~&=:@$^\"'/;%,? \n\t\rab1", max_size=25)
    | st.lists(st.sampled_from(NASTY), min_size=1, max_size=3).map("".join)
)


def _shape(markdown: MarkdownIt, document: str) -> list[str]:
    shape: list[str] = []
    for token in markdown.parse(document):
        shape.append(f"{token.type} {token.tag} {token.markup} {sorted(token.attrs.items())}")
        shape += [f"  {child.type} {child.tag}" for child in token.children or ()]
    return shape


def _texts(document: str) -> list[str]:
    return [
        child.content
        for token in COMMONMARK.parse(document)
        for child in token.children or ()
        if child.type == "text"
    ]


def _one_line(text: str) -> str:
    return escape_invisible(re.sub(r"[\t\n\r ]+", " ", text).strip())


@pytest.mark.parametrize("place", PLACES)
def test_a_nasty_title_changes_nothing_but_the_text(place: str):
    for markdown in (COMMONMARK, EXTENDED):
        benign = _shape(markdown, place.format("benign"))
        for title in filter(str.strip, NASTY):
            assert _shape(markdown, place.format(escape_inline(title))) == benign, title


@settings(max_examples=200)
@given(st.sampled_from(PLACES), TITLES.filter(lambda title: title.strip() != ""))
def test_no_title_changes_the_shape_of_the_document(place: str, title: str):
    for markdown in (COMMONMARK, EXTENDED):
        benign = _shape(markdown, place.format("benign"))
        assert _shape(markdown, place.format(escape_inline(title))) == benign


@given(st.sampled_from(["- {}", "# {}", "{}"]), TITLES)
def test_the_reader_sees_one_text_that_says_what_was_written(place: str, title: str):
    assert "".join(_texts(place.format(escape_inline(title)))) == _one_line(title)


@given(TITLES)
def test_an_escaped_text_is_one_line_without_blanks_at_its_ends(title: str):
    escaped = escape_inline(title)
    assert escaped.splitlines() in ([], [escaped])
    assert escaped == escaped.strip()


def test_letters_numbers_and_harmless_punctuation_stay_as_they_are():
    text = "Which is 50% faster, \"a\" or 'b'; why/why not? é 日本 👩‍💻"
    assert escape_inline(text) == text


def test_without_escaping_the_nasty_titles_do_change_the_document():
    changed = [
        title for title in NASTY if _shape(EXTENDED, f"- {title}") != _shape(EXTENDED, "- x")
    ]
    assert len(changed) > len(NASTY) / 2

"""What becomes of Markdown that agents wrote, and that nothing else gets into a page."""

import re

import pytest

from stoa.rendering import html
from stoa.rendering.html import NESTING, render
from stoa.rendering.tags import allowed_tags

RAW = '<pre class="raw">'


def shown(text: str) -> str:
    return str(render(text, 3).html)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# Big", "<h3>Big</h3>\n"),
        (
            "*a* **b** ~~c~~ `d`",
            "<p><em>a</em> <strong>b</strong> <del>c</del> <code>d</code></p>\n",
        ),
        ("```python\nx = 1\n```", '<pre tabindex="0"><code>x = 1\n</code></pre>\n'),
        ("7. x", '<ol start="7">\n<li>x</li>\n</ol>\n'),
        ("<b>a</b>", "<p>&lt;b&gt;a&lt;/b&gt;</p>\n"),
        ("<script>\nalert(1)\n</script>", "<p>&lt;script&gt;\nalert(1)\n&lt;/script&gt;</p>\n"),
        (r"\<b> \\<p> `\<p>`", "<p>&lt;b&gt; \\&lt;p&gt; <code>\\&lt;p&gt;</code></p>\n"),
        ("a &lt;p&gt; b", "<p>a &lt;p&gt; b</p>\n"),
    ],
)
def test_markdown_becomes_formatted_text(text: str, expected: str) -> None:
    assert shown(text) == expected


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("[a](https://good.example)", "https://good.example"),
        ("[a](/forum)", "/forum"),
        ("<http://good.example/?a=b>", "http://good.example/?a=b"),
        ("<ada@good.example>", "mailto:ada@good.example"),
        ("[a](x<y)", "x%3Cy"),
        ("![a](https://good.example/a.png)", "https://good.example/a.png"),
        ("[a](javascript:alert(1))", None),
        ("[a](JavaScript&colon;alert(1))", None),
        ("[a](data:text/html,x)", None),
        ("![a](data:text/html,x)", None),
        ("[a](vbscript:x)", None),
        ("[a](java&#10;script:x)", None),
    ],
)
def test_only_links_of_the_web_and_of_mail_have_an_address(text: str, address: str | None) -> None:
    opened = f'<a href="{address}"' if address else "<a"
    assert f'{opened} rel="nofollow ugc noopener">' in shown(text)


def test_an_image_is_a_link_and_within_a_link_its_label() -> None:
    assert 'noopener">Image: cat</a>' in shown("![cat](/a.png)")
    assert 'noopener">Image: image</a>' in shown("![](/a.png)")
    linked = shown("[![cat](/a.png)](/b) ![dog](/c)")
    assert '<a href="/b" rel="nofollow ugc noopener">Image: cat</a>' in linked
    assert '<a href="/c" rel="nofollow ugc noopener">Image: dog</a>' in linked


@pytest.mark.parametrize(
    ("text", "levels"),
    [
        ("# a\n\n## b\n\n### c\n\n# d", "4564"),
        ("### a\n\n# b\n\n#### c\n\n## d", "4455"),
        ("# a\n## b\n### c\n#### d\n##### e", "45666"),
        ("> ## a\n\nb\n---\n", "44"),
    ],
)
def test_headings_begin_at_the_level_given_and_never_skip_one(text: str, levels: str) -> None:
    html = str(render(text, 4).html)
    assert "".join(re.findall("<h([0-9])>", html)) == levels
    assert "".join(re.findall("</h([0-9])>", html)) == levels


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("#", ""),
        ("[](https://a.example/?b&c)", ">https://a.example/?b&amp;c</a>"),
        ("[](javascript:x)", '<a rel="nofollow ugc noopener">javascript:x</a>'),
        ("| | a |\n|-|-|\n| b | |", "<tr><td></td><th>a</th></tr>"),
    ],
)
def test_an_element_without_content_has_some_or_is_left_out(text: str, left: str) -> None:
    html = shown(text)
    assert left in html
    assert not re.search(r"<(a|h\d|th)[^>]*></", html)


def test_what_may_be_wide_scrolls_and_the_keyboard_reaches_it() -> None:
    assert '<pre tabindex="0"><code>x' in shown("```\nx\n```")
    table = shown("| a | b |\n|:-:|--:|\n| 1 | 2 |")
    assert '<div class="scroll" role="group" aria-label="Table" tabindex="0"><table>' in table
    assert '<th class="center">a</th><th class="right">b</th>' in table
    assert table.endswith("</table></div>\n")


@pytest.mark.parametrize(
    "text", ["a\u202eb", "&#x202e;", "![&#x202e;](x)", "`\u202e`", "[\u202e](x)", "\u202e" * 9]
)
def test_what_cannot_be_seen_is_shown_however_it_is_written(text: str) -> None:
    found = render(text, 3)
    assert "&lt;U+202E&gt;" in found.html
    assert found.hides
    assert "\u202e" not in found.html
    assert not render("a", 3).hides


@pytest.mark.parametrize("mark", [">", "> ", "- ", "1. "])
def test_too_many_quotes_and_lists_on_a_line_are_shown_as_they_were_written(mark: str) -> None:
    words = "a word " * 200
    assert not shown(mark * NESTING + words).startswith(RAW)
    assert shown(mark * (NESTING + 1) + words).startswith(RAW)


def test_a_text_with_too_much_html_is_shown_as_it_was_written() -> None:
    link = "[x]: http://a/" + "&" * 3_000 + "\n\n" + "[x]\n" * 200
    assert shown(link).startswith(f"{RAW}[x]: http://a/&amp;")


def test_a_text_with_every_stand_in_is_shown_as_it_was_written() -> None:
    text = "".join(map(chr, range(0xFDD0, 0xFDF0))) + "<b>"
    assert shown(text).startswith(f"{RAW}&lt;U+FDD0&gt;")


def test_a_failure_of_the_library_is_a_text_as_it_was_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    panic = type("PanicException", (BaseException,), {})

    def fail(*_: object, **__: object) -> str:
        raise panic

    monkeypatch.setattr(html.pyromark, "html", fail)
    assert shown("*a*") == f"{RAW}*a*</pre>"


def test_another_end_of_the_library_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    def end(*_: object, **__: object) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(html.pyromark, "html", end)
    with pytest.raises(KeyboardInterrupt):
        render("*a*", 3)


@pytest.mark.parametrize(
    "tag",
    [
        "<script>", "</script>", "<p class='x'>", "<p onclick=x>", '<a href="x" onclick="y">',
        '<img src="x">', "<svg/onload=x>", "<!--", "<", '<td style="position: fixed">',
        '<ol start="1" onclick="x">', "<h7>", "<style>", '<code class="x" id="y">',
    ],
)  # fmt: skip
def test_tags_of_any_other_form_are_text(tag: str) -> None:
    left = allowed_tags(f"<p>{tag}</p>", 3)
    assert re.findall("<[^>]*>", left) == ["<p>", "</p>"]

"""What becomes of Markdown that agents wrote, and that nothing else gets into a page."""

import re

import pytest

from stoa.rendering import html
from stoa.rendering.html import NESTING, plain, render
from stoa.rendering.tags import allowed_tags

RAW = '<pre class="raw" dir="auto">'


def shown(text: str) -> str:
    return str(render(text, 3).html)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# Big", '<h3 dir="auto">Big</h3>\n'),
        (
            "*a* **b** `c`",
            '<p dir="auto"><em>a</em> <strong>b</strong> <code dir="ltr">c</code></p>\n',
        ),
        ("```\nx = 1\n```", '<pre tabindex="0" dir="ltr"><code>x = 1\n</code></pre>\n'),
        ("7. x", '<ol start="7" dir="auto">\n<li>x</li>\n</ol>\n'),
        ("<b>a</b>", '<p dir="auto">&lt;b&gt;a&lt;/b&gt;</p>\n'),
        (
            "<script>\nalert(1)\n</script>",
            '<p dir="auto">&lt;script&gt;\nalert(1)\n&lt;/script&gt;</p>\n',
        ),
        (
            r"\<b> \\<p> `\<p>`",
            '<p dir="auto">&lt;b&gt; \\&lt;p&gt; <code dir="ltr">\\&lt;p&gt;</code></p>\n',
        ),
        ("a &lt;p&gt; b", '<p dir="auto">a &lt;p&gt; b</p>\n'),
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
def test_only_what_leads_to_the_web_or_to_mail_is_a_link(text: str, address: str | None) -> None:
    links = re.findall("<a[^>]*>", shown(text))
    assert links == ([f'<a href="{address}" rel="nofollow ugc noopener">'] if address else [])
    assert shown(text).count("</a>") == len(links)


def test_words_whose_address_is_not_allowed_stay() -> None:
    assert shown("[a *b*](javascript:x) https://c.example") == (
        '<p dir="auto">a <em>b</em> '
        '<a href="https://c.example" rel="nofollow ugc noopener">https://c.example</a></p>\n'
    )


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("see https://a.example/b_c_d.", "https://a.example/b_c_d"),
        ("(https://a.example/b_(c)).", "https://a.example/b_(c)"),
        ("http://a.example/?b=1&c=2, and", "http://a.example/?b=1&amp;c=2"),
        ("HTTPS://a.example/~b/#c!", "HTTPS://a.example/~b/#c"),
        ("见https://a.example/b。然后", "https://a.example/b"),
        ("https://a.example/문서에서", "https://a.example/"),
        ("https://de.example/Straße", "https://de.example/Straße"),
        ("*https://a.example/b*", "https://a.example/b"),
        ('"https://a.example/b"', "https://a.example/b"),
        ("https://a.example/<b>", "https://a.example/"),
        ("https://a.example/%EF%B7%90~", "https://a.example/%EF%B7%90"),
        ("xhttps://a.example", None),
        ("https://", None),
        ("`https://a.example`", None),
        ("```\nhttps://a.example\n```", None),
        ("javascript://a.example", None),
    ],
)
def test_a_bare_address_is_a_link_without_what_belongs_to_the_sentence(
    text: str, address: str | None
) -> None:
    link = f'<a href="{address}" rel="nofollow ugc noopener">{address}</a>'
    assert re.findall("<a .*</a>", shown(text)) == ([link] if address else [])


def test_an_address_within_a_link_is_its_words() -> None:
    assert shown("[https://a.example](https://b.example)").count("<a ") == 1
    assert "<a " not in shown("[https://a.example](javascript:x)")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("paid ~$120B (~$55B later)", "paid ~$120B (~$55B later)"),
        ("a ~b~ ~~c~~", "a ~b~ <del>c</del>"),
        (r"\~a~ \\~b~ \~~c~", r"~a~ \~b~ ~~c~"),
        ("~~a ~ b~~", "<del>a ~ b</del>"),
        (
            "[a](/~b) `~`",
            '<a href="/~b" rel="nofollow ugc noopener">a</a> <code dir="ltr">~</code>',
        ),
    ],
)
def test_only_two_tildes_strike_out(text: str, expected: str) -> None:
    assert shown(text) == f'<p dir="auto">{expected}</p>\n'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("**「重要」**です", "<strong>「重要」</strong>です"),
        ("です**「重要」**です", "です<strong>「重要」</strong>です"),
        ("他说**“重要”**的", "他说<strong>“重要”</strong>的"),
        ("这是**重要。**然后", "这是<strong>重要。</strong>然后"),
        ("한국어**(韓國語)**는", "한국어<strong>(韓國語)</strong>는"),
        ("で*`c`*で", 'で<em><code dir="ltr">c</code></em>で'),
        ("で~~「あ」~~で", "で<del>「あ」</del>で"),
        ("a**「b」**c", "a<strong>「b」</strong>c"),
        ("で**「", "で**「"),
        (r"で\*「あ」\*で", "で*「あ」*で"),
        ('a**"b"**c', 'a**"b"**c'),
    ],
)
def test_emphasis_reads_punctuation_of_chinese_japanese_and_korean(
    text: str, expected: str
) -> None:
    assert shown(text) == f'<p dir="auto">{expected}</p>\n'


def test_a_footnote_is_shown_with_its_number_and_without_the_name_it_was_given() -> None:
    note = '<div dir="auto"><sup>1</sup>\n<p>word</p>\n</div>\n'
    assert shown("x[^n] y\n\n[^n]: word") == f'<p dir="auto">x<sup>1</sup> y</p>\n{note}'
    assert shown('[^"><b>]\n\n[^"><b>]: word') == f'<p dir="auto"><sup>1</sup></p>\n{note}'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("so $a_1 * b_2 * c$.", 'so <code dir="ltr">a_1 * b_2 * c</code>.'),
        ("$$x < y$$", '<code dir="ltr">x &lt; y</code>'),
        ("$x$ and $y$", '<code dir="ltr">x</code> and <code dir="ltr">y</code>'),
        ("$2^n$", '<code dir="ltr">2^n</code>'),
        ("from $5 to $6", "from $5 to $6"),
        ("$5 and 3$, or US$5-$6", "$5 and 3$, or US$5-$6"),
        ("$HOME/$USER and `$x`$", '$HOME/$USER and <code dir="ltr">$x</code>$'),
        (r"\$x$ and \\$x", r"$x$ and \$x"),
    ],
)
def test_formulas_are_shown_as_code_and_prices_as_they_are(text: str, expected: str) -> None:
    assert shown(text) == f'<p dir="auto">{expected}</p>\n'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"so \(a_1 * b_2 * c\).", 'so <code dir="ltr">a_1 * b_2 * c</code>.'),
        (r"\( x < y \)", '<code dir="ltr"> x &lt; y </code>'),
        (r"\(x\)\(O(n)\)2", '<code dir="ltr">x</code><code dir="ltr">O(n)</code>2'),
        (
            "\\[\nx = \\frac{1}{2} \\\\\ny\n\\]",
            '<code dir="ltr">\nx = \\frac{1}{2} \\\\\ny\n</code>',
        ),
        (
            r"`\(x\)` and `\[x^2\]`",
            r'<code dir="ltr">\(x\)</code> and <code dir="ltr">\[x^2\]</code>',
        ),
        (r"`\(` and \(x`\)`", r'<code dir="ltr">\(</code> and (x<code dir="ltr">\)</code>'),
        (r"\[sic\] \[1\] \[a\_b\] \(x", "[sic] [1] [a_b] (x"),
        (r"\\(x\\) \(see below\)", r"\(x\) (see below)"),
        (r"\(x\) for $5", '<code dir="ltr">x</code> for $5'),
    ],
)
def test_formulas_of_latex_are_shown_as_code_and_other_brackets_as_they_are(
    text: str, expected: str
) -> None:
    assert shown(text) == f'<p dir="auto">{expected}</p>\n'


def test_an_address_with_escaped_brackets_stays_as_it_is() -> None:
    assert 'href="https://a.example/b_(c)"' in shown(r"[a](https://a.example/b_\(c\))")


def test_each_block_has_a_direction_of_its_own_and_code_is_left_to_right() -> None:
    text = "# a\n\n> b\n>\n> - c\n\n1. d\n\n|e|\n|-|\n\nf `g`\n\n    h\n"
    outer = re.findall("<(?!/)(?!li|th|tr)([^ >]+)([^>]*)>", shown(text))
    assert {name for name, rest in outer if 'dir="auto"' in rest} == {
        "h3",
        "blockquote",
        "ol",
        "table",
        "p",
    }
    assert [name for name, rest in outer if 'dir="ltr"' in rest] == ["code", "pre"]
    assert shown(text).count('dir="auto"') == 5
    assert 'dir="auto"' in plain("a").html


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
    assert "".join(re.findall("<h([0-9]) ?", html)) == levels
    assert "".join(re.findall("</h([0-9])>", html)) == levels


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("#", ""),
        ("[](https://a.example/?b&c)", ">https://a.example/?b&amp;c</a>"),
        ("[](javascript:x)", '<p dir="auto">javascript:x</p>'),
        ("| | a |\n|-|-|\n| b | |", "<tr><td></td><th>a</th></tr>"),
    ],
)
def test_an_element_without_content_has_some_or_is_left_out(text: str, left: str) -> None:
    html = shown(text)
    assert left in html
    assert not re.search(r"<(a|h\d|th)[^>]*></", html)


def test_what_may_be_wide_scrolls_and_the_keyboard_reaches_it() -> None:
    assert '<pre tabindex="0" dir="ltr"><code>x' in shown("```\nx\n```")
    table = shown("| a | b |\n|:-:|--:|\n| 1 | 2 |")
    assert '<div class="scroll" role="group" aria-label="Table" tabindex="0"><table' in table
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
        "<pre>", "</pre>", "</ul>", "</div>", "</table>", "</a>", "<code><b>", "<div>", "<span>",
    ],
)  # fmt: skip
def test_tags_of_any_other_form_are_text(tag: str) -> None:
    left = allowed_tags(f"<p>{tag}</p>", 3)
    assert re.findall("<[^>]*>", left) == ['<p dir="auto">', "</p>"]

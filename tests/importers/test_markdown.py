"""HTML to Markdown: the marks that posts use, and text that only looks like marks."""

import re

import pytest
from bs4 import BeautifulSoup
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from stoa.importers.markdown import markdown

COMMONMARK = MarkdownIt("commonmark", {"html": False}).enable("strikethrough")


def _text(html: str) -> str:
    return re.sub(r"\s+", "", BeautifulSoup(f"<p>{html}</p>", "html.parser").get_text())


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>one</p>\n\n<p>two</p>\n", "one\n\ntwo"),
        ("<p>a <em>b</em> <strong>c</strong> <i>d</i> <b>e</b></p>", "a *b* **c** *d* **e**"),
        ("<h2>Head</h2><p>x</p><hr><p>y</p>", "## Head\n\nx\n\n---\n\ny"),
        ("<pre><code>a *b*\n  c\n</code></pre>", "```\na *b*\n  c\n```"),
        ('<pre class="lang-py prettyprint-override"><code>x</code></pre>', "```py\nx\n```"),
        ("<pre><code>~\n```\n~</code></pre>", "````\n~\n```\n~\n````"),
        ("<p>run <code>a_b*c</code></p>", "run `a_b*c`"),
        ("<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>", "- a\n  - b\n- c"),
        ('<ol start="3"><li>a</li><li>b</li></ol>', "3. a\n4. b"),
        ("<ol><li><p>a</p><pre><code>b</code></pre></li></ol>", "1. a\n\n   ```\n   b\n   ```"),
        ("<blockquote><p>a</p><p>b</p></blockquote>", "> a\n>\n> b"),
        ('<a href="https://e.org/x">text</a>', "[text](https://e.org/x)"),
        ('<a href="https://e.org/a_b">https://e.org/a_b</a>', "<https://e.org/a_b>"),
        ('<a href="https://e.org/a (b">t</a>', "[t](https://e.org/a%20%28b)"),
        ('<a href="https://e.org/a_(b)">t</a>', "[t](https://e.org/a_(b))"),
        ('<a name="here">t</a>', "t"),
        ('<img src="https://e.org/i.png" alt="a [b]">', r"![a \[b\]](https://e.org/i.png)"),
        ('<img src="https://e.org/i.png">', "![image](https://e.org/i.png)"),
        ('<img src="//e.org/i.png" alt="p">', "![p](https://e.org/i.png)"),
        (
            '<a href="https://e.org/big"><img src="https://e.org/small" alt="pic"></a>',
            "[![pic](https://e.org/small)](https://e.org/big)",
        ),
        ('<a href="http://[e">a *b*</a>', r"a \*b\* (http://\[e)"),
        ('<a href="javascript:run()">t</a>', "t (javascript:run())"),
        ('<a href="www.e.org"> www.e.org </a>', "www.e.org"),
        ('<a href="http://">x</a>', "x (http://)"),
        ('<a href="mailto:a@e.org">me</a>', "[me](mailto:a@e.org)"),
        ('<a href="/q/1">t</a> <img src="/i.png" alt="p">', "t (/q/1) p (/i.png)"),
        ("CO<sub>2</sub> 10<sup>-3</sup> x<sup>a b</sup>", "CO2 10^-3 x^(a b)"),
        ("<strike>no</strike> <del>none</del>", "~~no~~ ~~none~~"),
        ("<p>a<br>b</p>", "a  \nb"),
        ("<p>5 * 3 &lt; 16, snake_case, C:\\dir</p>", r"5 \* 3 < 16, snake_case, C:\dir"),
        ("<p>&lt;b&gt; &amp;amp; _x_ `y`</p>", r"\<b> \&amp; \_x\_ \`y\`"),
        ("<p>[a](b)\n[c]: d</p>", "[a]\\(b)\n[c\\]: d"),
        ("<p># a</p><p>1. b</p><p>- c\n&gt; d</p>", "\\# a\n\n1\\. b\n\n\\- c\n\\> d"),
        ("a\\<b>b</b>\\\nc", "a\\\\**b**\\\\\nc"),
        ("readme.txt", "readme.txt"),
        ("<p></p>", ""),
        ("", ""),
    ],
)
def test_html_becomes_markdown(html: str, expected: str):
    assert markdown(html) == expected


def test_addresses_within_a_site_are_made_whole():
    html = '<a href="/q/1">one</a> <img src="/i.png" alt="two">'
    expected = "[one](https://e.org/q/1) ![two](https://e.org/i.png)"
    assert markdown(html, "https://e.org/") == expected


@given(st.text("ab1 _*`#>-+.()[]<&;:=~!\\|\n", max_size=40))
def test_literal_text_reads_the_same_once_rendered(text: str):
    html = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    rendered = COMMONMARK.render(markdown(f"<p>{html}</p>"))
    assert _text(rendered) == re.sub(r"\s+", "", text)


def test_text_nested_too_deep_loses_its_markup_only():
    assert markdown("<div>" * 3000 + "<b>deep</b> # text" + "</div>" * 3000) == "deep # text"

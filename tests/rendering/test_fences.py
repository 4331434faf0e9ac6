"""Texts between fences: no text ends its own block of code, however it is written."""

import pyromark
import pytest

from stoa.rendering.fences import fenced

HOSTILE = [
    "```",
    "````\n# not a heading",
    "a\n```\n# not a heading\n```",
    "   ```\nb",
    "~~~\nc\n~~~",
    "`" * 5_000 + "\n# not a heading",
    "a\r```\r# not a heading",
    "a\r\n```\r\n# not a heading",
    "\u2028```\u2028# not a heading",
    "\x0b```\x0c# not a heading",
    "</code></pre><script>",
    "",
    "\n\n```\n\n",
    "\\`\\`\\`",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_text_is_one_block_of_code_and_nothing_after_it_is(text: str) -> None:
    html = pyromark.html(f"{fenced(text)}\n\nAfter *it*.\n")
    assert html.startswith('<pre><code class="language-untrusted">')
    assert html.endswith("</code></pre>\n<p>After <em>it</em>.</p>\n")
    assert html.count("<pre>") == 1
    assert "<h1>" not in html


def test_a_fence_of_fixed_length_would_be_closed() -> None:
    html = pyromark.html("```untrusted\na\n```\n# not a heading\n```")
    assert "<h1>" in html


def test_a_text_between_fences_is_at_most_three_times_as_long() -> None:
    assert fenced("plain") == "```untrusted\nplain\n```"
    for text in ("`" * 50_000, "`" * 25_000 + "\n" + "a" * 25_000):
        assert len(fenced(text)) < 3 * len(text) + 20


def test_what_cannot_be_seen_is_shown() -> None:
    assert "<U+202E>" in fenced("a\u202eb")

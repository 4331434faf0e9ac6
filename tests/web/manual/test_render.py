"""A page from Markdown to HTML: places of headings, links, blocks, and what a search finds."""

import pytest

from stoa.web.manual.render import render


def same(target: str) -> str | None:
    return target


def test_headings_have_the_places_that_code_hosts_give_them() -> None:
    text = "# A & B\n\n## `stoa agent`: more\n\n## Twice\n\n## Twice\n\n### It's _so_\n"
    found = render(text, same)
    assert [section.heading.place for section in found.sections] == [
        "a--b",
        "stoa-agent-more",
        "twice",
        "twice-1",
        "its-_so_",
    ]
    assert '<h2 id="twice-1">Twice</h2>' in found.html
    assert [heading.text for heading in found.listed] == [
        "stoa agent: more",
        "Twice",
        "Twice",
        "It's so",
    ]


@pytest.mark.parametrize("language", ["sh", "", "json"])
def test_a_block_of_code_shows_its_text_and_can_be_scrolled(language: str) -> None:
    shown = render(f"```{language}\n<b> & 'x'\n```\n", same).html
    assert '<pre tabindex="0"' in shown
    assert "<b>" not in shown
    assert "&#60;b&#62; &#38; 'x'" in shown


def test_a_link_that_leads_nowhere_becomes_its_text() -> None:
    def only_b(target: str) -> str | None:
        return "b.html" if target == "b.md" else None

    shown = render("[A *here*](a.md) and [B](b.md).", only_b).html
    assert shown == '<p>A <em>here</em> and <a href="b.html">B</a>.</p>\n'


def test_a_search_finds_texts_and_tables_but_no_blocks() -> None:
    text = "# Top\n\nOne\ntwo `three`.\n\n| a | b |\n|---|---|\n| c | [d](e) |\n\n```\nno\n```\n"
    [section] = render(text, same).sections
    assert section.text == "One two three. a b c d"


def test_a_wide_table_scrolls_in_a_box_of_its_own() -> None:
    shown = render("| a |\n|---|\n| b |\n", same).html
    assert shown.startswith('<div class="scroll" tabindex="0"><table>')
    assert shown.endswith("</table></div>\n")

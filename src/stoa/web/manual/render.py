"""A page of the documentation from Markdown to HTML, with its headings and their texts."""

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token

_TABLE = '<div class="scroll" tabindex="0"><table>\n'
_LEVELS_LISTED = ("h2", "h3")


class Heading(NamedTuple):
    """A heading: `h2`, its place in the page, and its text."""

    level: str
    place: str
    text: str


class Section(NamedTuple):
    """What stands under a heading, as plain text without blocks of code."""

    heading: Heading
    text: str


class RenderedPage(NamedTuple):
    """A page as HTML. `places` are all that links can lead to."""

    html: str
    sections: list[Section]

    @property
    def places(self) -> set[str]:
        """The places of its headings."""
        return {section.heading.place for section in self.sections}

    @property
    def listed(self) -> list[Heading]:
        """The headings that a list of contents shows."""
        headings = (section.heading for section in self.sections)
        return [heading for heading in headings if heading.level in _LEVELS_LISTED]


def render(text: str, link: Callable[[str], str | None]) -> RenderedPage:
    """Render a page. `link` gives what a link target becomes, None where it leads nowhere here."""
    markdown = _markdown()
    tokens = markdown.parse(text)
    sections = _sections(tokens)
    for token in tokens:
        if token.children:
            token.children = _linked(token.children, link)
    return RenderedPage(markdown.renderer.render(tokens, markdown.options, {}), sections)


def _markdown() -> MarkdownIt:
    made = MarkdownIt("commonmark").enable("table")
    made.add_render_rule("table_open", lambda *_: _TABLE)
    made.add_render_rule("table_close", lambda *_: "</table></div>\n")
    for kind in ("fence", "code_block"):
        made.add_render_rule(kind, _code)
    return made


def _code(_self: Any, tokens: Sequence[Token], at: int, *_: Any) -> str:
    """A block of code, which can be scrolled with the keyboard."""
    text = re.sub("[&<>]", lambda sign: f"&#{ord(sign[0])};", tokens[at].content)
    label = tokens[at].info.strip() or "text"
    return f'<pre tabindex="0" data-language="{label}"><code>{text}</code></pre>\n'


def _sections(tokens: list[Token]) -> list[Section]:
    """The headings, which get their places here, each with the text below it."""
    found: list[tuple[Heading, list[str]]] = []
    seen: dict[str, int] = {}
    for number, token in enumerate(tokens):
        if token.type == "heading_open":
            inline = tokens[number + 1]
            place = _place(inline.content, seen)
            token.attrSet("id", place)
            found.append((Heading(token.tag, place, _plain(inline)), []))
        elif token.type == "inline" and found and tokens[number - 1].type != "heading_open":
            found[-1][1].append(_plain(token))
    return [Section(heading, " ".join(parts)) for heading, parts in found]


def _place(heading: str, seen: dict[str, int]) -> str:
    """The place of a heading, as code hosts make it; a second one of the same name has a number."""
    place = re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")
    seen[place] = seen.get(place, -1) + 1
    return f"{place}-{seen[place]}" if seen[place] else place


def _plain(inline: Token) -> str:
    return "".join(
        " " if child.type in ("softbreak", "hardbreak") else child.content
        for child in inline.children or []
        if child.type in ("text", "code_inline", "softbreak", "hardbreak")
    )


def _linked(tokens: list[Token], link: Callable[[str], str | None]) -> list[Token]:
    """The same with other link targets; a link that leads nowhere here becomes its text."""
    kept: list[Token] = []
    is_dropped = False
    for token in tokens:
        if token.type == "link_open":
            target = link(str(token.attrGet("href")))
            is_dropped = target is None
            token.attrSet("href", target or "")
        if not (is_dropped and token.type in ("link_open", "link_close")):
            kept.append(token)
        is_dropped = is_dropped and token.type != "link_close"
    return kept

"""Turns agents' Markdown into HTML that cannot do anything but be read.

HTML in the text is shown, not obeyed; images become links, since nothing of another host is loaded;
what is invisible is made visible. The result is sanitised once more at the end.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import nh3
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from markupsafe import Markup, escape

from stoa.domain import querylang
from stoa.domain.text import escape_invisible

FOLD_CHARS = 6000
"""Longer texts are folded on a page; reading them whole is one click."""

_CODE_CHARS = 20_000
_LINKS = {"http", "https", "mailto"}
_TAGS = {
    "a", "blockquote", "br", "code", "dd", "del", "dl", "dt", "em", "hr",
    "li", "ol", "p", "pre", "s", "span", "strong", "table", "tbody", "td", "th", "thead", "tr",
    "ul",
}  # fmt: skip
_ATTRIBUTES = {
    "a": {"href"},
    "p": {"class"},
    "span": {"class"},
    "ol": {"start"},
    "td": {"style"},
    "th": {"style"},
}


class _Renderer(RendererHTML):
    """Images are links."""

    def image(  # its parameters are named by the library
        self,
        tokens: Sequence[Token],
        idx: int,
        options: OptionsDict,  # noqa: ARG002
        env: EnvType,  # noqa: ARG002
    ) -> str:
        token = tokens[idx]
        address = nh3.clean_text(str(token.attrs.get("src", "")))
        label = nh3.clean_text(token.content or "image")
        return f'<a href="{address}">Image: {label}</a>'


def _plain_headings(state: Any) -> None:
    """What an agent calls a heading looks like one, but is no part of the page's own outline."""
    for token in state.tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = "p"
        if token.type == "heading_open":
            token.attrSet("class", "h")


def _highlighted(code: str, language: str, _attributes: str) -> str:
    """Code with a `span` per token, or nothing when the language is not known."""
    if not language or len(code) > _CODE_CHARS:
        return ""
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import get_lexer_by_name  # pyright: ignore[reportUnknownVariableType]
    from pygments.util import ClassNotFound

    try:
        lexer = get_lexer_by_name(language)
    except ClassNotFound:
        return ""
    return highlight(code, lexer, HtmlFormatter(nowrap=True, classprefix="c-"))


def _markdown() -> MarkdownIt:
    options = {"html": False, "linkify": False, "highlight": _highlighted}
    markdown = MarkdownIt("commonmark", options, renderer_cls=_Renderer)
    markdown.enable(["table", "strikethrough"])
    markdown.core.ruler.push("plain_headings", _plain_headings)
    return markdown


_MARKDOWN = _markdown()


@lru_cache(maxsize=2000)
def rendered(text: str) -> Markup:
    """A body as safe HTML. Texts never change, so the last ones are kept."""
    html = _MARKDOWN.render(escape_invisible(text))
    return Markup(  # noqa: S704 - sanitised
        nh3.clean(
            html,
            tags=_TAGS,
            attributes=_ATTRIBUTES,
            url_schemes=_LINKS,
            link_rel="nofollow ugc noopener",
            allowed_classes=None,
        )
    )


def hides_something(text: str) -> bool:
    """Whether characters of the text cannot be seen, which the page then shows as escapes."""
    return escape_invisible(text) != text


def plain(text: str) -> str:
    """A label as it is shown: what is invisible in it stands there as escapes."""
    return escape_invisible(text)


def marked(text: str, query: str | None) -> Markup:
    """A snippet with the words that were searched for in `mark`."""
    terms = querylang.highlight_terms(querylang.parse(query or ""))
    shown = escape_invisible(text)
    if not terms:
        return Markup(escape(shown))  # noqa: S704 - escaped
    words = re.compile("|".join(map(re.escape, terms)), re.IGNORECASE)
    pieces: list[str] = []
    end = 0
    for found in words.finditer(shown):
        pieces += [escape(shown[end : found.start()]), "<mark>", escape(found[0]), "</mark>"]
        end = found.end()
    return Markup("".join([*pieces, escape(shown[end:])]))  # noqa: S704 - escaped

"""Finds the blocks of code in the documents that a server serves, by their media types."""

import json
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from lxml import html
from markdown_it import MarkdownIt

_MARKDOWN = MarkdownIt()
_FENCE = "```"


class Block(NamedTuple):
    """A block of code. `kind` is its language, empty where the document does not tell it."""

    kind: str
    text: str


def blocks(media_type: str, text: str) -> list[Block]:
    """The blocks of a document, in order. KeyError for a media type that is not known here."""
    return list(_FINDERS[media_type.partition(";")[0]](text))


def _in_markdown(text: str) -> Iterator[Block]:
    for token in _MARKDOWN.parse(text):
        if token.type in ("fence", "code_block"):
            yield Block(token.info.strip(), token.content)


def _in_html(text: str) -> Iterator[Block]:
    for element in html.document_fromstring(text).iter("pre"):
        if element.get("class") == "pattern":
            continue  # a call with examples of ids, for the reader to put others in their place
        names = " ".join(inner.get("class", "") for inner in element.iter("code"))
        yield Block(names.removeprefix("language-"), element.text_content())


def _in_json(text: str) -> Iterator[Block]:
    """The whole document, and blocks in the texts in it."""
    yield Block("json", text)
    for words in _texts(json.loads(text)):
        if _FENCE in words:
            yield from _in_markdown(words)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
        return
    members: Any = value.values() if isinstance(value, dict) else value  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, dict | list):
        for member in members:
            yield from _texts(member)


_FINDERS: dict[str, Callable[[str], Iterator[Block]]] = {
    "text/plain": _in_markdown,
    "text/markdown": _in_markdown,
    "text/html": _in_html,
    "application/json": _in_json,
    "application/ai-catalog+json": _in_json,
    "application/linkset+json": _in_json,
    "application/mcp-server-card+json": _in_json,
}

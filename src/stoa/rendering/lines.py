"""Text on one line: beginnings of what agents wrote, snippets of a search, the service's own."""

import re
from itertools import accumulate, islice

from markupsafe import Markup, escape

from stoa.domain import querylang
from stoa.domain.text import escape_invisible
from stoa.domain.words import composed, placed

_GIST_CHARS = 200
_GIST_BYTES = 800
"""Of HTML, as in `fitted`."""
_TITLE_BYTES = 400
_CHARACTER_BYTES = 15  # of one that is shown as `&lt;U+E0001&gt;`
_MARKS = 20  # words of a snippet that are marked
_CODE = re.compile("`([^`]+)`")
_IMAGE = re.compile(
    r"""!\[([^\[\]]*)\](?:
        \([^\s()]*(?:\ +"[^"]*")?(?:\)|…?$)  # an address, which may be cut at the end
      | \[[^\[\]]*\]                       # the name of an address that stands elsewhere
    )""",
    re.VERBOSE,
)


_LINK = re.compile(r"\[([^\[\]]+)\]\([^\s()]*(?:\)|…?$)")
_FENCES = re.compile(r"(?<!\S)(?:`{3,}|~{3,})[\w+#.-]*(?!\S)")
_SIGNS = re.compile(r"\*\*|`+|(?<!\S)(?:-{3,}\s?|#{2,6}\s)")
_SLANTED = re.compile(r"(?<!\S)\*(?=\w)([^*]*)(?:\*(?!\w))?")


def _plainly(text: str) -> str:
    """The text without the signs of Markdown that are seen most; of images and links the words."""
    unfenced = _FENCES.sub("", text)
    images_named = _IMAGE.sub(lambda image: f"Image: {image[1] or 'image'}", unfenced)
    return _SLANTED.sub(r"\1", _SIGNS.sub("", _LINK.sub(r"\1", images_named)))


def gist(text: str, most: int = _GIST_CHARS) -> str:
    """The beginning of a text, for readers who see only a link to it."""
    line = " ".join(escape_invisible(_plainly(text[: 2 * most])).split())
    return fitted(line if len(line) <= most else f"{line[:most].rstrip()}…", _GIST_BYTES)


def html_bytes(text: str) -> int:
    """What a text of agents takes in HTML."""
    return len(escape(escape_invisible(text)).encode())


def fitted(text: str, most: int = _TITLE_BYTES) -> str:
    """A text of agents as people see it, or its beginning, with an ellipsis, where it takes more
    than so many bytes of HTML: the usual is room for 300 Latin letters or 130 ideographs."""
    if len(text) * _CHARACTER_BYTES <= most or html_bytes(text) <= most:
        return escape_invisible(text)
    sizes = accumulate(map(html_bytes, text[:most]))
    return f"{escape_invisible(text[: sum(size <= most for size in sizes)].rstrip())}…"


def coded(text: str) -> Markup:
    """A sentence of the service, with what stands between backticks in `code`."""
    return Markup(_CODE.sub(r"<code>\1</code>", str(escape(text))))  # noqa: S704 - escaped


def marked(text: str, query: str | None) -> Markup:
    """A snippet with the words that were searched for, and their other forms, in `mark`."""
    asked = querylang.parse(query or "")
    terms = asked.terms
    shown = composed(fitted(_plainly(text), _GIST_BYTES))
    if not terms:
        return escape(shown)
    others = [rf"\b{form}\b" for form in sorted(asked.other_terms)]
    words = re.compile("|".join((*others, *map(re.escape, sorted(terms, key=len, reverse=True)))))
    folded, places = placed(shown)
    pieces: list[str] = []
    end = 0
    for found in islice(words.finditer(folded), _MARKS):
        first, last = found.start(), found.end()
        if places:
            first, last = places[first], places[last - 1] + 1
        if first < end:  # another letter of what is one character in the text
            continue
        pieces += [escape(shown[end:first]), "<mark>", escape(shown[first:last]), "</mark>"]
        end = last
    return Markup("".join([*pieces, escape(shown[end:])]))  # noqa: S704 - escaped

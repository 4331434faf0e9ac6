"""Turns the HTML of a post into Markdown: markdownify, with additions for a faithful text."""

import re
from functools import cache
from urllib.parse import urlsplit

from bs4 import BeautifulSoup, Tag
from markdownify import ATX, MarkdownConverter

_SCHEMES = ("http", "https", "ftp")
_MAILTO = "mailto:"
_BACKTICKS = re.compile("`+")
_FENCE_MIN = 3
_LANGUAGE = re.compile(r"lang-([A-Za-z0-9_+#.-]+)")
_SIMPLE_POWER = re.compile(r"[\w+−-]+")

# Only what Markdown would read as markup: a backslash everywhere would spoil text and search.
_INLINE_MARKUP = re.compile(
    r"""[*`] | ~(?=~)                  # emphasis, code, strikethrough
    | (?<![^\W_])_ | _(?![^\W_])       # emphasis, which never starts or ends within a word
    | \\(?=[!-/:-@\[-`{-~\n]|\Z)       # a backslash that would escape what follows
    | <(?=[A-Za-z/!?])                 # a tag or an address in angle brackets
    | &(?=\#?\w{1,32};)                # an entity
    | (?<=\])(?=\() | \](?=:)          # [text](link) and [label]: link
    """,
    re.VERBOSE,
)
_LINE_MARKUP = re.compile(
    r"""^([ \t]*)(?:
        (\#{1,6}(?=\s|$) | > | [-+](?=\s|$) | =+[ \t]*$ | -{2,}[ \t]*$)
      | (\d{1,9})([.)](?=\s|$))
    )""",
    re.VERBOSE | re.MULTILINE,
)


def _escape_inline(found: re.Match[str]) -> str:
    return f"\\{found.group()}"


def _escape_line(found: re.Match[str]) -> str:
    indent, mark, number, point = found.groups()
    return f"{indent}\\{mark}" if mark else f"{indent}{number}\\{point}"


def escape(text: str) -> str:
    """Text, on one line, with a backslash before what Markdown would read as markup."""
    escaped = _INLINE_MARKUP.sub(_escape_inline, " ".join(text.split()))
    return escaped.replace("[", r"\[").replace("]", r"\]")


def _address(element: Tag, name: str, base: str) -> str:
    """The address in an attribute; one within the site is made whole with the `base` of that."""
    written = _attribute(element, name).strip()
    if written.startswith("//"):
        return f"https:{written}"
    return f"{base}{written[1:]}" if base and written.startswith("/") else written


def _is_whole(address: str) -> bool:
    """Whether a reader can follow the address from anywhere."""
    try:
        parts = urlsplit(address)
        return bool(parts.scheme in _SCHEMES and parts.hostname) or address.startswith(_MAILTO)
    except ValueError:
        return False


def _destination(address: str) -> str:
    """An address as it may stand between the parentheses of a Markdown link."""
    escaped = re.sub(r"[\s<>]", lambda found: f"%{ord(found.group()):02X}", address.strip())
    if escaped.count("(") != escaped.count(")"):
        escaped = escaped.replace("(", "%28").replace(")", "%29")
    return escaped


def _attribute(element: Tag, name: str) -> str:
    value = element.get(name)
    return value if isinstance(value, str) else ""


def _named(label: str, text: str, address: str) -> str:
    """A link whose address leads nowhere: its text, and the address unless that is the text."""
    return label if text.strip() == address else f"{label} ({escape(address)})"


class _Converter(MarkdownConverter):
    """markdownify calls `convert_<tag>` with the element, its converted text and its ancestors.

    An address that begins with `/` is one of the site at `base`.
    """

    def __init__(self, base: str) -> None:
        super().__init__(heading_style=ATX, bullets="-")
        self.base = base

    def escape(self, text: str, _parent_tags: set[str]) -> str:
        return _LINE_MARKUP.sub(_escape_line, _INLINE_MARKUP.sub(_escape_inline, text))

    def convert_pre(self, element: Tag, text: str, **_context: object) -> str:
        code = text.strip("\n").rstrip()
        if not code:
            return ""
        longest = max((len(run) for run in _BACKTICKS.findall(code)), default=0)
        fence = "`" * max(_FENCE_MIN, longest + 1)
        return f"\n\n{fence}{_language(element)}\n{code}\n{fence}\n\n"

    def convert_a(self, element: Tag, text: str, parent_tags: set[str]) -> str:
        address, label = _address(element, "href", self.base), text.strip()
        if "_noformat" in parent_tags or not address or not label:
            return text
        before, after = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
        if not _is_whole(address):
            return f"{before}{_named(label, element.get_text(), address)}{after}"
        if element.get_text().strip() == address == _destination(address):
            return f"{before}<{address}>{after}"
        return f"{before}[{label}]({_destination(address)}){after}"

    def convert_img(self, element: Tag, _text: str, parent_tags: set[str]) -> str:
        words = _attribute(element, "alt").strip() or "image"
        address = _address(element, "src", self.base)
        if "_noformat" in parent_tags or not address:
            return words
        if not _is_whole(address):
            return _named(escape(words), words, address)
        return f"![{escape(words)}]({_destination(address)})"

    def convert_sup(self, _element: Tag, text: str, parent_tags: set[str]) -> str:
        # Markdown has no superscript, and 10<sup>3</sup> must not become 103.
        power = text.strip()
        if not power or "_noformat" in parent_tags:
            return text
        return f"^{power}" if _SIMPLE_POWER.fullmatch(power) else f"^({power})"

    def convert_strike(self, _element: Tag, text: str, parent_tags: set[str]) -> str:
        return text if "_noformat" in parent_tags or not text.strip() else f"~~{text.strip()}~~"


def _language(pre: Tag) -> str:
    found = _LANGUAGE.search(" ".join(pre.get_attribute_list("class")))
    return found.group(1) if found else ""


_converter = cache(_Converter)


def markdown(html: str, base: str = "") -> str:
    """The text of a post as CommonMark; text nested too deep to convert loses its markup only.

    `base` is the address of the site it was written for.
    """
    # The wrapper keeps Beautiful Soup from taking text without any tag for a file name.
    soup = BeautifulSoup(f"<div>{html}</div>", "html.parser")
    try:
        return _converter(base).convert_soup(soup)
    except RecursionError:
        return _LINE_MARKUP.sub(_escape_line, soup.get_text().strip())

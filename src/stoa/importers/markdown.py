"""Turns the HTML of a post into Markdown: markdownify, with what a faithful text needs on top."""

import re

from bs4 import BeautifulSoup, Tag
from markdownify import ATX, MarkdownConverter

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


def _destination(address: str) -> str:
    """An address as it may stand between the parentheses of a Markdown link."""
    escaped = re.sub(r"[\s<>]", lambda found: f"%{ord(found.group()):02X}", address.strip())
    if escaped.count("(") != escaped.count(")"):
        escaped = escaped.replace("(", "%28").replace(")", "%29")
    return escaped


def _attribute(element: Tag, name: str) -> str:
    value = element.get(name)
    return value if isinstance(value, str) else ""


class _Converter(MarkdownConverter):
    """markdownify calls `convert_<tag>` with the element, its converted text and its ancestors."""

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
        address, label = _attribute(element, "href").strip(), text.strip()
        if "_noformat" in parent_tags or not address or not label:
            return text
        before, after = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
        if element.get_text().strip() == address == _destination(address) and ":" in address:
            return f"{before}<{address}>{after}"
        return f"{before}[{label}]({_destination(address)}){after}"

    def convert_img(self, element: Tag, _text: str, parent_tags: set[str]) -> str:
        # A link, not an embedded picture: reading a post must not fetch anything from elsewhere.
        label = _attribute(element, "alt").strip() or "image"
        label = label.replace("[", r"\[").replace("]", r"\]")
        address = _attribute(element, "src")
        if "a" in parent_tags or not address:
            return label
        return f"[{label}]({_destination(address)})"

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


_CONVERTER = _Converter(heading_style=ATX, bullets="-")


def markdown(html: str) -> str:
    """The text of a post as CommonMark; text nested too deep to convert loses its markup only."""
    # The wrapper keeps Beautiful Soup from taking text without any tag for a file name.
    soup = BeautifulSoup(f"<div>{html}</div>", "html.parser")
    try:
        return _CONVERTER.convert_soup(soup)
    except RecursionError:
        return _LINE_MARKUP.sub(_escape_line, soup.get_text().strip())

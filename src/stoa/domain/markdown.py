"""Escapes text that agents wrote for a place in a line of Markdown."""

import re

from stoa.domain.text import escape_invisible

_LINE_BREAKS = re.compile(r"[\t\n\r ]+")
# ASCII punctuation that CommonMark, GitHub's tables, links and strikethrough, or a common extension
# reads as markup in some place. A backslash in front of any of them is the character itself.
_ESCAPED = str.maketrans(
    {character: f"\\{character}" for character in r"\`*_{}[]<>()#+-.!|~&=:@$^"}
)


def escape_inline(text: str) -> str:
    """`text` on one line, such that Markdown renders it as itself wherever it stands in a line.

    Line breaks and runs of blanks become one blank; what cannot be seen is shown as `<U+202E>`.
    """
    return escape_invisible(_LINE_BREAKS.sub(" ", text).strip()).translate(_ESCAPED)

"""The line after an imported text that names its source. Searches do not read it: all texts of a
site have its words."""

import re

_BEGINS, _ENDS = "\n\n---\n\n*Source: [", ", here in Markdown.*"
_LINE = re.compile(rf"{re.escape(_BEGINS)}[^\n]*{re.escape(_ENDS)}(?=\n|\Z)")


def attribution(source: str, author: str, licence: str) -> str:
    """The line, in Markdown: `source` is a link, the author and the licence may be."""
    assert source.startswith("[")
    return f"{_BEGINS}{source[1:]} by {author}, {licence}{_ENDS}"


def without_attribution(body: str) -> str:
    """A text, as it was or with what its author has added behind it, without the line."""
    return _LINE.sub("", body)

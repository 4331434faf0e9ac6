"""Texts that agents wrote, for pages in Markdown: between fences, as code.

A line of a text closes no fence, because the fence is longer than any run of its characters there.
"""

import re

from markupsafe import Markup

from stoa.domain.text import escape_invisible

_RUNS = re.compile("`{3,}")


def fenced(text: str) -> Markup:
    """The text between two fences, at most three times as long as it is shown."""
    shown = escape_invisible(text)
    longest = max(map(len, _RUNS.findall(shown)), default=2)
    fence = "`" * (longest + 1)
    return Markup(f"{fence}untrusted\n{shown}\n{fence}")  # noqa: S704 - nothing in it is HTML

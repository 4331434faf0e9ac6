"""The pages of the documentation: their files, their names and their order."""

import posixpath
import re
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import NamedTuple

HOME = "README"
_DECISIONS = "decisions"
_NUMBERED = re.compile(r"\d{4}-.*\.md")

NAVIGATION = {
    "Start in five minutes": ["start/agent", "start/builder", "start/operator"],
    "For agents and those who build them": [
        "quickstart",
        "walks/worker",
        "walks/requester",
        "paid-work",
        "standing",
        "clients",
        "mcp",
        "mcp-events",
        "configuration-blocks",
        "agent-builders",
        "events",
        "a2a",
        "oauth",
        "discovery",
        "conventions",
    ],
    "Reference": [
        "glossary",
        "reference/operations",
        "reference/resources",
        "reference/errors",
        "reference/limits",
        "reference/settings",
    ],
    "For operators": [
        "public-server",
        "operating",
        "operating/install",
        "operating/let-in",
        "operating/posted",
        "operating/watch",
        "operating/keep",
        "operating/releases",
        "operating/upgrade",
        "operating/scale",
        "operating/postgresql",
        "operating/move",
        "operating/faults",
        "moderation",
        "scale",
        "performance",
    ],
    "How it is made": [
        "architecture",
        "promises",
        "oauth-threats",
        "design-language",
        f"{_DECISIONS}/README",
    ],
}
"""Every page under the heading of its group, but for the home page and the single decisions. What
readers and agents need comes before the work of operators."""


class ManualPage(NamedTuple):
    """A page: its name, which is its path without `.md`, and its Markdown."""

    name: str
    text: str

    @property
    def title(self) -> str:
        """Its first heading, as plain text."""
        first = next((line for line in self.text.splitlines() if line.startswith("# ")), self.name)
        return first.removeprefix("# ").replace("`", "")

    @property
    def address(self) -> str:
        """Its file in the site."""
        return re.sub(r"(^|/)README$", r"\1index", self.name) + ".html"


def named(page: str, target: str) -> str:
    """The name of the page that a relative target of a page means."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(page), target)).removesuffix(".md")


def folder() -> Traversable:
    """Where the Markdown is."""
    return files("stoa.web.manual") / "docs"


def pages(source: Traversable) -> dict[str, ManualPage]:
    """All pages by their names, in the order in which they are read."""
    numbered = (one.name for one in (source / _DECISIONS).iterdir())
    decisions = sorted(name for name in numbered if _NUMBERED.fullmatch(name))
    names = [HOME, *(name for group in NAVIGATION.values() for name in group)]
    names += [f"{_DECISIONS}/{name.removesuffix('.md')}" for name in decisions]
    markdown = {name: source.joinpath(*f"{name}.md".split("/")) for name in names}
    return {name: ManualPage(name, one.read_text("utf-8")) for name, one in markdown.items()}

"""The source of an imported text, as its licence asks: the post, its author and the licence.

Posts of Stack Exchange are under CC BY-SA. A copy has to name the author and the licence, to link
to the original, and to say that it was changed: it was converted to Markdown.
"""

import re
from pathlib import Path
from typing import NamedTuple

from stoa.domain import attributions
from stoa.importers import ImportStopped
from stoa.importers.markdown import escape
from stoa.importers.posts_xml import ANONYMOUS, Attributes, author, milliseconds

_HOST = re.compile(r"(?:https?://)?([a-z0-9-]+(?:\.[a-z0-9-]+)+(?::\d+)?)/?", re.IGNORECASE)
_CREATIVE_COMMONS = re.compile(r"CC (BY(?:-SA|-ND|-NC|-NC-SA|-NC-ND)?) (\d\.\d)")

_LICENCES = (
    (milliseconds("2018-05-02") or 0, "CC BY-SA 4.0"),
    (milliseconds("2011-04-08") or 0, "CC BY-SA 3.0"),
    (0, "CC BY-SA 2.5"),
)
"""Since when (ms) posts of Stack Exchange are under which licence, newest first. Dumps since 2020
say it of each post."""


class Attribution(NamedTuple):
    """The site that posts come from, such as `beer.stackexchange.com`, and their licence, if it is
    not the one that the dump says or that Stack Exchange had at the time."""

    site: str
    licence: str | None = None

    @property
    def base(self) -> str:
        """The address of the site."""
        return f"https://{self.site}/"

    def line(self, post: Attributes) -> str:
        """The Markdown that stands at the end of the text of a post."""
        path = f"{'q' if post.get('PostTypeId') == '1' else 'a'}/{post.get('Id', '')}"
        source = f"[{self.site}/{path}]({self.base}{path})"
        licence = _linked(self.licence or post.get("ContentLicense") or _usual(post))
        return attributions.attribution(source, self._author(post), licence)

    def _author(self, post: Attributes) -> str:
        key, name = author(post)
        kind, _, number = key.partition(":")
        if kind == "user":
            return f"[{escape(name)}]({self.base}users/{number})"
        return "an author without a name" if name == ANONYMOUS else escape(name)


def attribution(site: str | None, licence: str | None, source: Path) -> Attribution:
    """What the flags say; the site may also be the name of the folder that the file is in, as the
    archives of a dump are named. Raises ImportStopped when it is not known."""
    found = _HOST.fullmatch(site or source.resolve().parent.name)
    if site and not found:
        raise ImportStopped(
            f"--site {site} is not the name of a site such as beer.stackexchange.com"
        )
    if not found:
        raise ImportStopped(
            "each text is to end with a link to its source, as its licence asks: name the site "
            "with --site, such as beer.stackexchange.com, or give --no-attribution"
        )
    return Attribution(found[1].lower(), licence)


def _usual(post: Attributes) -> str:
    created = milliseconds(post.get("CreationDate", "")) or 0
    return next(licence for since, licence in _LICENCES if created >= since)


def _linked(licence: str) -> str:
    found = _CREATIVE_COMMONS.fullmatch(licence)
    if not found:
        return escape(licence)
    kind, version = found.groups()
    return f"[{licence}](https://creativecommons.org/licenses/{kind.lower()}/{version}/)"

"""Leaves in HTML only tags that format text; every other `<` is shown as it is.

What comes in was made by the Markdown library, which writes a few forms of tags. A tag is allowed
because it has one of these forms, so that nothing else gets into a page, whatever the library does.
"""

import re

from markupsafe import escape

_PLAIN = "p|em|strong|del|blockquote|ul|ol|li|pre|code|table|thead|tbody|tr|th|td"
_OTHER = re.compile(rf"<(?!/?(?:{_PLAIN})>|(?:br|hr) />)[^<>]*>?")
_ALIGNED = re.compile(r'<t[dh] style="text-align: (?:left|center|right)">')
_NUMBERED = re.compile(r'<ol start="[0-9]{1,9}">')
_LINK = re.compile(r'<a href="([^"]*)"(?: title="[^"]*")?>')
_IMAGE = re.compile(r'<img src="([^"]*)" alt="([^"]*)"(?: title="[^"]*")? />')
_HEADING = re.compile(r"<(/?)h[1-6]>")
# What comes before a colon and any of /?# is a scheme, in which no escaped character can be.
_SAFE_ADDRESS = re.compile(r"(?:https?|mailto):|[^:/?#]*(?:[/?#]|$)", re.IGNORECASE)
_FOREIGN = ' rel="nofollow ugc noopener"'


def allowed_tags(html: str) -> str:
    """The HTML with headings as paragraphs, images as links and links marked as foreign."""
    return _OTHER.sub(_Rewriting(), html)


class _Rewriting:
    """Gives what stands in the place of each tag that is not plain, in their order."""

    def __init__(self) -> None:
        self._linked = False

    def __call__(self, found: re.Match[str]) -> str:
        tag = found[0]
        if link := _LINK.fullmatch(tag):
            self._linked = True
            return _opened(link[1])
        if tag == "</a>":
            self._linked = False
            return tag
        if image := _IMAGE.fullmatch(tag):
            return self._image(image[1], image[2])
        if heading := _HEADING.fullmatch(tag):
            return "</p>" if heading[1] else '<p class="h">'
        if tag.startswith('<code class="language-'):
            return "<code>"
        if _ALIGNED.fullmatch(tag) or _NUMBERED.fullmatch(tag):
            return tag
        return escape(tag)

    def _image(self, address: str, label: str) -> str:
        """A link to the image, or only its label inside another link."""
        shown = f"Image: {label or 'image'}"
        return shown if self._linked else f"{_opened(address)}{shown}</a>"


def _opened(address: str) -> str:
    """The start of a link; without its address when pages must not link to that scheme."""
    safe = _SAFE_ADDRESS.match(address)
    return f'<a href="{address}"{_FOREIGN}>' if safe else f"<a{_FOREIGN}>"

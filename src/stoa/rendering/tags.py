"""Leaves in HTML only tags that format text; every other `<` is shown as it is.

What comes in was made by the Markdown library, which writes a few forms of tags. A tag is allowed
because it has one of these forms, so that nothing else gets into a page, whatever the library does.
"""

import re

from markupsafe import escape

_PLAIN = "p|em|strong|del|blockquote|ul|ol|li|code|thead|tbody|tr|th|td"
_EMPTY = r"<(h[1-6]|th|a)(?: [^<>]*)?></\1>"
_OTHER = re.compile(rf"{_EMPTY}|<(?!/?(?:{_PLAIN})>|(?:br|hr) />)[^<>]*>?")
_ALIGNED = re.compile(r'<(t[dh]) style="text-align: (left|center|right)">')
_NUMBERED = re.compile(r'<ol start="[0-9]{1,9}">')
_LINK = re.compile(r'<a href="([^"]*)"(?: title="[^"]*")?>')
_IMAGE = re.compile(r'<img src="([^"]*)" alt="([^"]*)"(?: title="[^"]*")? />')
_HEADING = re.compile(r"<(/?)h([1-6])>")
_LOWEST = 6
_SCROLLING = {
    "<pre>": '<pre tabindex="0">',
    "</pre>": "</pre>",
    "<table>": '<div class="scroll" role="group" aria-label="Table" tabindex="0"><table>',
    "</table>": "</table></div>",
}
"""What may be wider than a page scrolls, and the keyboard reaches it."""
# What comes before a colon and any of /?# is a scheme, in which no escaped character can be.
_SAFE_ADDRESS = re.compile(r"(?:https?|mailto):|[^:/?#]*(?:[/?#]|$)", re.IGNORECASE)
_FOREIGN = ' rel="nofollow ugc noopener"'


def allowed_tags(html: str, top: int) -> str:
    """The HTML with images as links, links marked as foreign, and headings in order from the level
    `top` on. Empty headings are left out, and a link without words shows its address."""
    return _OTHER.sub(_Rewriting(top), html)


class _Rewriting:
    """Gives what stands in the place of each tag that is not plain, in their order."""

    def __init__(self, top: int) -> None:
        self._linked = False
        self._above = top - 1
        self._sections: list[str] = []

    def __call__(self, found: re.Match[str]) -> str:
        tag = found[0]
        if found[1]:
            return _filled(found[1], tag)
        if link := _LINK.fullmatch(tag):
            self._linked = True
            return _opened(link[1])
        if tag == "</a>":
            self._linked = False
            return tag
        if image := _IMAGE.fullmatch(tag):
            return self._image(image[1], image[2])
        if heading := _HEADING.fullmatch(tag):
            return self._heading(heading[1], heading[2])
        return _formatting(tag)

    def _heading(self, slash: str, level: str) -> str:
        """The tag of a heading one level below the section that it stands in."""
        if not slash:
            self._sections = [*(one for one in self._sections if one < level), level]
        return f"<{slash}h{min(self._above + len(self._sections), _LOWEST)}>"

    def _image(self, address: str, label: str) -> str:
        """A link to the image, or only its label inside another link."""
        shown = f"Image: {label or 'image'}"
        return shown if self._linked else f"{_opened(address)}{shown}</a>"


def _formatting(tag: str) -> str:
    """A tag that formats, as pages have it; one of any other form as text."""
    if tag.startswith('<code class="language-'):
        return "<code>"
    if aligned := _ALIGNED.fullmatch(tag):
        return f'<{aligned[1]} class="{aligned[2]}">'
    if _NUMBERED.fullmatch(tag):
        return tag
    return _SCROLLING.get(tag) or escape(tag)


def _filled(name: str, tag: str) -> str:
    """What stands in the place of an element without content."""
    if name == "th":
        return "<td></td>"
    link = _LINK.match(tag)
    return f"{_opened(link[1])}{link[1]}</a>" if link else ""


def _opened(address: str) -> str:
    """The start of a link; without its address when pages must not link to that scheme."""
    safe = _SAFE_ADDRESS.match(address)
    return f'<a href="{address}"{_FOREIGN}>' if safe else f"<a{_FOREIGN}>"

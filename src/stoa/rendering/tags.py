"""Leaves in HTML only tags that format text; every other `<` is shown as it is.

What comes in was made by the Markdown library, which writes a few forms of tags. A tag is allowed
because it has one of these forms, so that nothing else gets into a page, whatever the library does.
"""

import re

from markupsafe import escape

from stoa.rendering.colours import coloured

_PLAIN = "/?(?:em|strong|del|li|thead|tbody|tr|th|td)|/p"
_FORMS = re.compile(
    rf"""
    [<hH] (?: (?<=<) (?:
        (?P<empty> (?P<element>h[1-6]|th|a)(?:[ ][^<>]*+)?></(?P=element)>)
      | (?P<pre>pre><)? (?P<written>code|span)
          (?:[ ]class="(?:language-(?P<language>[^"<>]*+)|math[ ]math-(?:inline|display))")?>
          (?P<code>[^<]*+) </(?P=written)> (?(pre)</pre>)
      | sup[ ]class="footnote-(?:
            reference"><a[ ]href="[^"<>]*+">(?P<referred>[0-9]{{1,9}})</a>
          | definition-label">(?P<defined>[0-9]{{1,9}})
        )</sup>
      | input[ ]disabled=""[ ]type="checkbox"(?P<task>(?:[ ]checked="")?)/>
      | (?P<tag> (?!(?:{_PLAIN})>|(?:br|hr)[ ]/>)[^<>]*+>?))
    | (?P<address> (?<![A-Za-z0-9].)(?<!<)(?i:ttps?)://[A-Za-z0-9]
        (?:[A-Za-z0-9\u00c0-\u024f\u0370-\u052f._~:/?#@!$'()*+,;=%\[\]-]|&amp;)*))
    """,
    re.VERBOSE,
)
"""Everything that does not stand as it is, by its first character: a text is searched for one class
ten times as fast. A bare address has signs and letters of the alphabets that put blanks between
words, so it ends where a sentence in Chinese goes on."""

_ALIGNED = re.compile(r'<(t[dh]) style="text-align: (left|center|right)">')
_CONTAINER = re.compile(
    r'<(?:(ul|ol|blockquote|table)( start="[0-9]{1,9}")?'
    r'|div class="footnote-definition" id="[^"<>]*+")>'
)
_END = re.compile("</(ul|ol|blockquote|table|div)>")
_LINK = re.compile(r'<a href="([^"]*)"(?: title="[^"]*")?>')
_IMAGE = re.compile(r'<img src="([^"]*)" alt="([^"]*)"(?: title="[^"]*")? />')
_HEADING = re.compile(r"<(/?)h([1-6])>")
_LOWEST = 6
_SCROLL = '<div class="scroll" role="group" aria-label="Table" tabindex="0">'
"""What may be wider than a page scrolls, and the keyboard reaches it."""
# What comes before a colon and any of /?# is a scheme, in which no escaped character can be.
_SAFE_ADDRESS = re.compile(r"(?:https?|mailto):|[^:/?#]*(?:[/?#]|$)", re.IGNORECASE)
_DONE = '<span role="img" aria-label="Done:">\u2611</span>'
_OPEN = '<span role="img" aria-label="Open:">\u2610</span>'
_SENTENCE = ".,:;!?*_~'"
"""Signs that end a sentence, or what stands around an address in it."""
_FOREIGN = ' rel="nofollow ugc noopener"'


def allowed_tags(html: str, top: int) -> str:
    """The HTML with images and bare addresses as links, links marked as foreign, and headings in
    order from the level `top` on. Empty headings are left out, a link without words shows its
    address, and one to where pages must not lead is its words alone. Each block is written in the
    direction of its own first words, and code from left to right."""
    return _FORMS.sub(_Rewriting(top), html)


class _Rewriting:
    """Gives what stands in the place of each form, in their order."""

    def __init__(self, top: int) -> None:
        self._link_end: str | None = None
        self._above = top - 1
        self._sections: list[str] = []
        self._containers: list[str] = []

    def __call__(self, found: re.Match[str]) -> str:
        form = found.lastgroup
        if form == "tag":
            return self._tag(found[0])
        if form == "address":
            return found[0] if self._link_end is not None else _bare(found[0])
        if form == "code":
            if found["pre"]:
                code = f"<code>{coloured(found['code'], found['language'] or '')}</code>"
                return f'<pre tabindex="0" dir="ltr">{code}</pre>'
            return f'<code dir="ltr">{found["code"]}</code>'
        if form == "task":
            return _DONE if found["task"] else _OPEN
        if form == "empty":
            return _filled(found["element"], found[0])
        return f"<sup>{found[form or 0]}</sup>"

    def _tag(self, tag: str) -> str:
        """A tag as pages have it; one of a form that is not allowed as text."""
        if tag == "<p>":
            return f"<p{self._direction()}>"
        if opened := _CONTAINER.fullmatch(tag):
            return self._container(opened[1] or "div", opened[2] or "")
        if closed := _END.fullmatch(tag):
            return self._end(closed[1], tag)
        if tag == "</a>" and self._link_end is not None:
            end, self._link_end = self._link_end, None
            return end
        if link := _LINK.fullmatch(tag):
            opened, self._link_end = _link(link[1])
            return opened
        if image := _IMAGE.fullmatch(tag):
            return self._image(image[1], image[2])
        if heading := _HEADING.fullmatch(tag):
            return self._heading(heading[1], heading[2])
        aligned = _ALIGNED.fullmatch(tag)
        return f'<{aligned[1]} class="{aligned[2]}">' if aligned else escape(tag)

    def _direction(self) -> str:
        """What lets a block that stands in no other begin at the side of its own first words."""
        return "" if self._containers else ' dir="auto"'

    def _container(self, name: str, start: str) -> str:
        """The start of an element with blocks in it, whose direction is that of its first words."""
        direction = self._direction()
        self._containers.append(name)
        if name == "table":
            return f"{_SCROLL}<table{direction}>"
        return f"<{name}{start}{direction}>"

    def _end(self, name: str, tag: str) -> str:
        """The end of an element with blocks in it, as text when none is open."""
        if self._containers[-1:] != [name]:
            return escape(tag)
        self._containers.pop()
        return "</table></div>" if name == "table" else tag

    def _heading(self, slash: str, level: str) -> str:
        """The tag of a heading one level below the section that it stands in."""
        if not slash:
            self._sections = [*(one for one in self._sections if one < level), level]
        direction = "" if slash else self._direction()
        return f"<{slash}h{min(self._above + len(self._sections), _LOWEST)}{direction}>"

    def _image(self, address: str, label: str) -> str:
        """A link to the image, or only its label inside another link."""
        shown = f"Image: {label or 'image'}"
        return shown if self._link_end is not None else _around(shown, address)


def _link(address: str) -> tuple[str, str]:
    """The start and the end of a link: nothing when pages must not lead to that scheme."""
    if not _SAFE_ADDRESS.match(address):
        return "", ""
    return f'<a href="{address}"{_FOREIGN}>', "</a>"


def _around(words: str, address: str) -> str:
    """The words as a link to the address."""
    start, end = _link(address)
    return f"{start}{words}{end}"


def _filled(name: str, tag: str) -> str:
    """What stands in the place of an element without content."""
    if name == "th":
        return "<td></td>"
    link = _LINK.match(tag)
    return _around(link[1], link[1]) if link else ""


def _bare(found: str) -> str:
    """A bare address as a link, without the signs at its end that belong to the sentence
    (https://github.github.com/gfm/#extended-autolink-path-validation)."""
    address = found.replace("&amp;", "&")
    unclosed = address.count(")") - address.count("(")
    end = len(address)
    while (last := address[end - 1]) in _SENTENCE or (last == ")" and unclosed > 0):
        unclosed -= last == ")"
        end -= 1
    shown = escape(address[:end])
    return f"{_around(shown, shown)}{escape(address[end:])}"

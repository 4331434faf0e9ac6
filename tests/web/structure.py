"""The elements of a page: their names, nesting and attributes, without the texts."""

from html.parser import HTMLParser

_VOID = {"meta", "link", "input", "br", "hr", "img", "line", "rect"}


class _Outline(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, ...]] = []
        self._open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((*self._open, tag, *sorted(name for name, _ in attrs)))
        if tag not in _VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((*self._open, tag, *sorted(name for name, _ in attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self._open, f"</{tag}> closes nothing"
        assert self._open.pop() == tag

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data!r}")


def outline(html: str) -> list[tuple[str, ...]]:
    """Every element in order as the names of its ancestors, its own and those of its attributes."""
    parser = _Outline()
    parser.feed(html)
    parser.close()
    return parser.elements

"""How many labels of agents a row of a list shows, so that no list is a long page."""

from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import NamedTuple

from stoa.rendering.lines import html_bytes
from stoa.web.templating import tag_address

_ROW_BYTES = 300
"""Of HTML: five tags and more, unless they are long or of other letters than Latin ones."""


class FirstLabels(NamedTuple):
    """The first of some labels, and how many `more` there are."""

    labels: Sequence[str]
    more: int


def _first(labels: Sequence[str], size: Callable[[str], int], most: int) -> FirstLabels:
    sizes = accumulate(map(size, labels))
    room = max(1, sum(size <= most for size in sizes))
    return FirstLabels(labels[:room], len(labels[room:]))


def first_labels(labels: Sequence[str], most: int = _ROW_BYTES) -> FirstLabels:
    """As many of the first labels as have room in a row, one at least."""
    return _first(labels, html_bytes, most)


def first_tags(tags: Sequence[str], most: int = _ROW_BYTES) -> FirstLabels:
    """The same of tags, whose addresses stand there too."""
    return _first(tags, lambda tag: len(tag_address(tag)) + html_bytes(tag), most)

"""Characters that XML does not allow are marked, wherever a piece of the file ends."""

import html

import pytest

from stoa.importers.refused_characters import Marker, without_marks
from tests.support.soaking import fourth

REFUSED = [
    b"\x00",
    b"\x0b",
    b"\x1f",
    b"\x7f",
    b"\xed\xa0\x80",
    b"\xed\xbf\xbf",
    b"\xef\xbf\xbe",
    b"\xef\xbf\xbf",
    b"&#0;",
    b"&#x1F;",
    b"&#x1f;",
    b"&#31;",
    b"&#x000000000000001F;",
    b"&#xD800;",
    b"&#57343;",
    b"&#xFFFE;",
    b"&#x110000;",
    b"&#9999999999999999;",
    b"&#x7F;",
    b"&#99999999999999999999;",
    b"&#x" + b"F" * 5000 + b";",
    b"&#" + b"0" * 5000 + b"31;",
    b"&#;",
    b"&#x;",
    b"&#xZZ;",
    b"&#X41;",
    b"&#4A;",
    b"&#x41",
    b"&#",
    b"\x80",
    b"\xc0",
    b"\xc3",
    b"\xff",
]
ALLOWED = [
    b"\t\r\n ",
    "é퟿\ue000�𝄞".encode(),
    b"&#xA;&#xD;&#x9;&#10;&#x20;&#xD7FF;&#xE000;&#xFFFD;&#x10FFFF;",
    b"&amp;&lt;& &&;&x1F;",
    b"&amp;#x1F;",
]


@pytest.mark.parametrize("refused", fourth(REFUSED, 0))
def test_what_xml_does_not_allow_is_marked_wherever_a_piece_ends(refused: bytes) -> None:
    text = b"<row a='" + refused + b"'/>"
    for place in range(len(text) + 1):
        marker = Marker()
        marked = marker.marked(text[:place]) + marker.marked(text[place:], last=True)
        assert (len(marked), marker.count) == (len(text), 1)
        assert without_marks(marked.decode()) == "<row a=''/>"


@pytest.mark.parametrize("refused", REFUSED)
def test_it_is_marked_when_it_comes_byte_by_byte(refused: bytes) -> None:
    marker = Marker()
    marked = b"".join(marker.marked(bytes([one])) for one in refused) + marker.marked(
        b"", last=True
    )
    assert (len(marked), marker.count, without_marks(marked.decode())) == (len(refused), 1, "")


@pytest.mark.parametrize("allowed", ALLOWED)
def test_what_xml_allows_stays_as_it_is(allowed: bytes) -> None:
    for place in range(len(allowed) + 1):
        marker = Marker()
        marked = marker.marked(allowed[:place]) + marker.marked(allowed[place:], last=True)
        assert (marked, marker.count) == (allowed, 0)


@pytest.mark.parametrize("place", [0, 2, 3, 9, 2000, 4003, 4007, 6000, 8011, 8014])
def test_zeros_before_a_number_change_nothing(place: int) -> None:
    """However many there are."""
    text = b"a&#" + b"0" * 4000 + b"65;&#x" + b"0" * 4000 + b"1D11E;b"
    marker = Marker()
    marked = marker.marked(text[:place]) + marker.marked(text[place:], last=True)
    assert (len(marked), marker.count) == (len(text), 0)
    assert html.unescape(without_marks(marked.decode())) == "aA𝄞b"


PIECES = [
    *(b"&" * 50_000, b"&#" * 50_000, b"\xed" * 50_000, b"\xf0\x9d\x84" * 50_000),
    *(b"&#x" + b"0" * 50_000, b"&#" + b"9" * 50_000, b"&#z" + b"z" * 50_000),
]
"""None of which ends."""


def test_no_more_than_one_beginning_is_kept_back() -> None:
    marker = Marker()
    for piece in PIECES:
        kept = len(piece) - len(marker.marked(piece))
        assert kept < 30
        assert len(marker.marked(b"", last=True)) == kept

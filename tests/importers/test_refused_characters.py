"""Characters that XML does not allow are marked, wherever a piece of the file ends."""

import pytest

from stoa.importers.refused_characters import Marker, without_marks

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
]
ALLOWED = [
    b"\t\r\n ",
    "é퟿\ue000�𝄞".encode(),
    b"&#xA;&#xD;&#x9;&#10;&#x20;&#xD7FF;&#xE000;&#xFFFD;&#x10FFFF;",
    b"&amp;&lt;&#;&#x;&#xG;& &#x1F",
    b"&amp;#x1F;",
]


@pytest.mark.parametrize("refused", REFUSED)
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


def test_no_more_than_one_beginning_is_kept_back() -> None:
    marker = Marker()
    for piece in (b"&" * 50_000, b"&#x" + b"0" * 50_000, b"&#" * 50_000, b"\xed" * 50_000):
        kept = len(piece) - len(marker.marked(piece))
        assert kept < 20
        assert len(marker.marked(b"", last=True)) == kept

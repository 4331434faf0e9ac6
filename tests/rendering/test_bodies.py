"""The texts of one page: how many are shown, and how much memory their HTML takes."""

from markupsafe import Markup

from stoa.caching import ByteCache
from stoa.rendering.bodies import FRAME_BYTES, PAGE_BYTES, ROW_BYTES, Bodies, markdown_page

ROOM = PAGE_BYTES - FRAME_BYTES
CACHE_BYTES = 1_000_000


def formatted() -> Bodies:
    return Bodies(ByteCache(CACHE_BYTES))


def test_texts_are_shown_while_there_is_room() -> None:
    page = formatted().page()
    assert page.beside("a" * 30_000, 3)
    assert page.beside("b" * (ROOM - 30_000), 3) is None  # with its tags it is longer
    assert page.beside("c" * (ROOM - 31_000), 3)
    assert page.beside("d" * 1000, 3) is None
    page.keep_rows(100)
    assert page.beside("No longer than a link to it.", 3)
    assert page.whole("d" * 1000, 3)


def test_room_is_counted_in_bytes_of_what_is_sent() -> None:
    assert formatted().page().beside("&" * (ROOM // 5), 3) is None
    assert formatted().page().beside("\u9577" * (ROOM // 3), 3) is None
    assert markdown_page().beside("\u9577" * (PAGE_BYTES // 3), 3) is None
    assert markdown_page().beside("&" * (ROOM // 5), 3)


def test_room_is_kept_for_what_is_around_texts_and_for_replies() -> None:
    page = formatted().page()
    page.keep_rows(10, 5_000)
    assert not page.fits(PAGE_BYTES - 5_000 - 10 * ROW_BYTES + 1)
    assert page.fits(PAGE_BYTES - 5_000 - 10 * ROW_BYTES)


def test_every_page_begins_anew() -> None:
    texts = formatted()
    assert texts.page().beside("a" * (ROOM - 100), 3)
    assert texts.page().beside("a" * (ROOM - 100), 3)


def test_a_text_is_formatted_once_while_it_is_cached() -> None:
    texts = formatted()
    first = texts.page().whole("*a*", 3)
    assert first.html == Markup('<p dir="auto"><em>a</em></p>\n')
    assert texts.page().beside("*a*", 3) is first


def test_the_memory_of_texts_is_counted_in_bytes() -> None:
    texts = formatted()
    count = CACHE_BYTES // 100_000 + 1
    first = texts.page().whole("first", 3)
    for number in range(count):
        texts.page().whole(f"{number} " + "a" * 50_000, 3)
    assert texts.page().whole("first", 3) is not first
    newest = texts.page().whole(f"{count - 1} " + "a" * 50_000, 3)
    assert texts.page().whole(f"{count - 1} " + "a" * 50_000, 3) is newest

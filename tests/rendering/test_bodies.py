"""The texts of one page: how many are shown, and how much memory their HTML takes."""

from markupsafe import Markup

from stoa.rendering import bodies
from stoa.rendering.bodies import PAGE_CHARS, Bodies


def test_texts_beside_the_main_one_are_shown_up_to_so_many_characters() -> None:
    page = Bodies().page()
    assert page.whole("a" * PAGE_CHARS, 3)
    assert page.beside("b" * (PAGE_CHARS - 10), 3)
    assert page.beside("c" * 11, 3) is None
    assert page.beside("d" * 10, 3)
    assert page.beside("e", 3) is None
    assert page.whole("f", 3)


def test_every_page_begins_anew() -> None:
    texts = Bodies()
    assert texts.page().beside("a" * PAGE_CHARS, 3)
    assert texts.page().beside("a" * PAGE_CHARS, 3)


def test_a_text_is_formatted_once_while_it_is_cached() -> None:
    texts = Bodies()
    first = texts.page().whole("*a*", 3)
    assert first.html == Markup('<p dir="auto"><em>a</em></p>\n')
    assert texts.page().beside("*a*", 3) is first


def test_the_cache_is_bounded_in_bytes() -> None:
    texts = Bodies()
    count = bodies.CACHE_BYTES // 100_000 + 1
    first = texts.page().whole("first", 3)
    for number in range(count):
        texts.page().whole(f"{number} " + "a" * 50_000, 3)
    assert texts.page().whole("first", 3) is not first
    newest = texts.page().whole(f"{count - 1} " + "a" * 50_000, 3)
    assert texts.page().whole(f"{count - 1} " + "a" * 50_000, 3) is newest

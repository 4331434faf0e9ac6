"""Beginnings and snippets of texts for people."""

from stoa.rendering.lines import gist, marked


def test_the_beginning_of_a_text_is_one_line() -> None:
    assert gist("a\n\n b\u202e") == "a b<U+202E>"
    assert gist("word " * 100) == "word " * 39 + "word…"


def test_what_was_searched_for_is_marked_and_all_else_is_text() -> None:
    assert marked("<b>Rise</b> rise", "RISE") == (
        "&lt;b&gt;<mark>Rise</mark>&lt;/b&gt; <mark>rise</mark>"
    )
    assert marked("<b>", None) == "&lt;b&gt;"


def test_other_forms_of_what_was_searched_for_are_marked_as_whole_words() -> None:
    assert marked("Hopping hops, shops", "hopped") == (
        "<mark>Hopping</mark> <mark>hops</mark>, shops"
    )
    assert marked("hopping", '"hopped"') == "hopping"

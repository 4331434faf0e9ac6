"""Beginnings and snippets of texts for people."""

import pytest

from stoa.rendering.lines import coded, gist, marked


def test_the_beginning_of_a_text_is_one_line() -> None:
    assert gist("a\n\n b\u202e") == "a b<U+202E>"
    assert gist("word " * 100) == "word " * 39 + "word…"


def test_what_was_searched_for_is_marked_and_all_else_is_text() -> None:
    assert marked("<b>Rise</b> rise", "RISE") == (
        "&lt;b&gt;<mark>Rise</mark>&lt;/b&gt; <mark>rise</mark>"
    )
    assert marked("<b>", None) == "&lt;b&gt;"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("![a cat](https://e.org/cat.png) sits", "Image: a cat sits"),
        ('![](/a.png "A title") there', "Image: image there"),
        ("one ![cat][1] two", "one Image: cat two"),
        ("[![cat](/a.png)](/b)", "Image: cat"),
        ("cut ![cat](https://e.org/c…", "cut Image: cat"),
        ("wow![1] and [a](b)", "wow![1] and a"),
        ("**bold** `code` --- *Source: a*b", "bold code Source: a*b"),
        ("- *water*, *rye flour* * 2 *c", "- water, rye flour * 2 c"),
        ("*all **of** it*\n\n### Next\n\nC # and F#", "all of it Next C # and F#"),
    ],
)
def test_an_image_is_named_as_on_a_page_where_a_text_is_short(text: str, shown: str) -> None:
    assert gist(text) == shown
    assert " ".join(marked(text, None).split()) == shown


def test_code_in_a_sentence_of_the_service_is_code_and_all_else_is_text() -> None:
    assert coded("Send `a <b>` or `c`.") == "Send <code>a &lt;b&gt;</code> or <code>c</code>."
    assert coded("<b> and a ` alone") == "&lt;b&gt; and a ` alone"


@pytest.mark.parametrize(
    ("text", "query", "shown"),
    [
        ("Die Straße.", "strasse", "Die <mark>Straße</mark>."),
        ("Aß", "s", "A<mark>ß</mark>"),
        ("CRÈME cre\u0300me", "creme", "<mark>CRÈME</mark> <mark>crème</mark>"),
        ("<b> C++ & c", "C++", "&lt;b&gt; <mark>C++</mark> &amp; <mark>c</mark>"),
        ("如何备份数据库", "备份", "如何<mark>备份</mark>数据库"),
        ("ＡＢＣ soft\u00adhyphen", "abc", "<mark>ＡＢＣ</mark> soft&lt;U+00AD&gt;hyphen"),
    ],
)
def test_words_are_marked_in_all_forms_of_their_letters(text: str, query: str, shown: str) -> None:
    assert marked(text, query) == shown


def test_other_forms_of_what_was_searched_for_are_marked_as_whole_words() -> None:
    assert marked("Hopping hops, shops", "hopped") == (
        "<mark>Hopping</mark> <mark>hops</mark>, shops"
    )
    assert marked("hopping", '"hopped"') == "hopping"

"""Code in colours: what is marked, and that marking changes no character."""

import re
from html import escape, unescape

import pytest

from stoa.rendering.colours import BLOCK_CHARS, coloured
from stoa.rendering.html import render
from tests.support.hostile import build, shapes

_SPAN = re.compile('</?span(?: class="[csnk]")?>')


def marked(code: str, language: str) -> list[tuple[str, str]]:
    """What is marked, with the class of each."""
    html = coloured(escape(code, quote=False), language)
    return [
        (kind, unescape(text))
        for kind, text in re.findall('<span class="(.)">([^<]*)</span>', html)
    ]


@pytest.mark.parametrize(
    ("language", "code", "expected"),
    [
        ("python", "def f(a=1.5e3): # <b>", [("k", "def"), ("n", "1.5e3"), ("c", "# <b>")]),
        ("py", 's = """a\n"b" # no\n"""', [("s", '"""a\n"b" # no\n"""')]),
        ("ts", "const `x\n${1}`; // if", [("k", "const"), ("s", "`x\n${1}`"), ("c", "// if")]),
        ("rust", "fn f<'a>(x: &'a str) { 'x' }", [("k", "fn"), ("s", "'x'")]),
        ("c", "/* int\n*/ int a = 0xFF;", [("c", "/* int\n*/"), ("k", "int"), ("n", "0xFF")]),
        ("bash", "if a$#; # b\necho '1\n2'", [("k", "if"), ("c", "# b"), ("s", "'1\n2'")]),
        ("sql", "Select 'it''s' -- one", [("k", "Select"), ("s", "'it''s'"), ("c", "-- one")]),
        ("json", '{"a": [1, true]}', [("s", '"a"'), ("n", "1"), ("k", "true")]),
        ("yaml", "a: no # why\nb#c: 2", [("k", "no"), ("c", "# why"), ("n", "2")]),
    ],
)  # fmt: skip
def test_what_a_language_is_made_of_is_marked(
    language: str, code: str, expected: list[tuple[str, str]]
) -> None:
    assert marked(code, language) == expected


@pytest.mark.parametrize("language", ["python", "js", "go", "sh", "sql", "toml"])
def test_marking_changes_no_character(language: str) -> None:
    changed = 0
    for shape in shapes().values():
        code = escape(build(shape, 500), quote=False)
        html = coloured(code, language)
        changed += html != code
        assert unescape(_SPAN.sub("", html)) == unescape(code)
        assert len(html) <= 6 * len(code)
    assert changed > 30


def test_long_blocks_and_unknown_languages_have_one_colour() -> None:
    assert coloured("if " * 9, "klingon") == coloured("if " * 9, "") == "if " * 9
    long = "if x:\n" * (BLOCK_CHARS // 6 + 1)
    assert coloured(long, "python") == long


def test_a_block_of_a_text_is_coloured_and_code_within_a_line_is_not() -> None:
    html = render("```python\nreturn\n```\n\n`return`\n\n```\nreturn\n```", 3).html
    assert html.count('<span class="k">return</span>') == 1
    assert html.count("return") == 3


def test_boxes_of_tasks_are_signs_with_a_name() -> None:
    html = render("- [x] one\n- [ ] two\n- three <input type=checkbox>", 3).html
    assert '<span role="img" aria-label="Done:">\u2611</span>\none' in html
    assert '<span role="img" aria-label="Open:">\u2610</span>\ntwo' in html
    assert "<input" not in html

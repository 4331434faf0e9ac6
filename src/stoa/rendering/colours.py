"""Marks keywords, texts, numbers and comments in blocks of code, for the style sheet to colour.

One pass over a block, with a pattern that never goes back: linear in its length. See
docs/decisions/0010-rendering-texts.md.
"""

import re
from collections.abc import Iterator
from functools import cache
from html import escape, unescape
from typing import NamedTuple

BLOCK_CHARS = 4_000
"""A longer block of code has one colour."""

_FACTOR = 6  # of the HTML of a block to its characters, beyond which it has one colour too

_NUMBER = r"""
  (?<![\w.])(?:0[xXbBoO][0-9A-Fa-f_]++|[0-9][0-9_]*+(?:\.[0-9_]++)?(?:[eE][+-]?[0-9]++)?)
"""
_WORD = r"[A-Za-z_$][\w$]*+"

_HASH = r"(?:(?<=\s)|^)\#[^\n]*+"
_BLOCK = r"/\*(?:[^*]|\*(?!/))*+(?:\*/)?"
_SLASHES = rf"//[^\n]*+|{_BLOCK}"
_DASHES = rf"--[^\n]*+|{_BLOCK}"

_ON_A_LINE = r"""
  "(?:[^"\\\n]|\\.)*+"? | '(?:[^'\\\n]|\\.)*+'?
"""
_IN_PYTHON = rf"""
  \"{{3}}(?:[^"\\]|\\.|"(?!""))*+(?:\"{{3}})? |
  '{{3}}(?:[^'\\]|\\.|'(?!''))*+(?:'{{3}})? | {_ON_A_LINE}
"""
_IN_SCRIPTS = rf"`(?:[^`\\]|\\.)*+`? | {_ON_A_LINE}"
# A single quote stands around a character, or begins a lifetime.
_IN_C = r"""
  "(?:[^"\\\n]|\\.)*+"? | '(?:[^'\\\n]|\\[^\n]{1,9})' | `[^`]*+`?
"""
_IN_SHELL = r"""
  "(?:[^"\\]|\\.)*+"? | '[^']*+'?
"""
_IN_SQL = r"""
  '(?:[^']|'')*+'? | "[^"\n]*+"?
"""


class _Family(NamedTuple):
    """Languages that are written alike: patterns of their comments and texts, and their keywords,
    in lower case where capitals do not matter."""

    names: str
    comments: str
    texts: str
    keywords: str
    any_case: bool = False


_FAMILIES = (
    _Family(
        "python py python3",
        _HASH,
        _IN_PYTHON,
        """
        False None True and as assert async await break case class continue def del elif
        else except finally for from global if import in is lambda match nonlocal not or
        pass raise return self try while with yield
        """,
    ),
    _Family(
        "javascript js jsx typescript ts tsx",
        _SLASHES,
        _IN_SCRIPTS,
        """
        abstract any as async await boolean break case catch class const continue default
        delete do else enum export extends false finally for from function if implements
        import in instanceof interface let new null number of private public readonly return
        static string super switch this throw true try type typeof undefined unknown var
        void while yield
        """,
    ),
    _Family(
        "c c++ cpp java rust rs go golang",
        _SLASHES,
        _IN_C,
        """
        as async await auto bool break case catch char class const continue crate default
        defer delete do double dyn else enum export extends extern false final float fn for
        func go if impl implements import in int interface let long loop match mod move mut
        namespace new nil null nullptr package private protected pub public range ref return
        select self short signed sizeof static struct super switch template this throw
        throws trait true try type typedef union unsafe unsigned use using var virtual void
        volatile where while yield chan map string error
        """,
    ),
    _Family(
        "sh bash shell zsh",
        _HASH,
        _IN_SHELL,
        """
        break case continue do done elif else esac exit export fi for function if in local
        readonly return select set shift source then trap until unset while
        """,
    ),
    _Family(
        "sql sqlite postgresql postgres",
        _DASHES,
        _IN_SQL,
        """
        add all alter and any as asc begin between by cascade case check commit constraint
        create cross default delete desc distinct drop else end except exists false foreign
        from full group having if in index inner insert intersect into is join key left like
        limit not null offset on or order outer over partition primary references returning
        right rollback select set table then true union unique update using values view when
        where with
        """,
        any_case=True,
    ),
    _Family("json yaml yml toml ini", _HASH, _ON_A_LINE, "false no null off on true yes"),
)
_BY_NAME = {name: family for family in _FAMILIES for name in family.names.split()}


def coloured(code: str, name: str) -> str:
    """A block of code in the language of this name, with spans of the classes `c` (comment), `s`
    (text), `n` (number) and `k` (keyword). `code` is HTML without tags, and is left as it is when
    the language is not known or the block is long."""
    family = _BY_NAME.get(name.lower())
    if family is None or len(code) > BLOCK_CHARS:
        return code
    html = "".join(_pieces(unescape(code), family))
    return html if len(html) <= _FACTOR * len(code) else code


@cache
def _scanner(family: _Family) -> tuple[re.Pattern[str], frozenset[str]]:
    pattern = (
        f"(?P<c>{family.comments}) | (?P<s>{family.texts}) | (?P<n>{_NUMBER}) | (?P<k>{_WORD})"
    )
    flags = re.VERBOSE | re.MULTILINE | re.DOTALL
    return re.compile(pattern, flags), frozenset(family.keywords.split())


def _pieces(code: str, family: _Family) -> Iterator[str]:
    pattern, keywords = _scanner(family)
    end = 0
    for found in pattern.finditer(code):
        kind, shown = found.lastgroup, found[0]
        if kind == "k" and (shown.lower() if family.any_case else shown) not in keywords:
            continue
        yield escape(code[end : found.start()], quote=False)
        yield f'<span class="{kind}">{escape(shown, quote=False)}</span>'
        end = found.end()
    yield escape(code[end:], quote=False)

"""Keeps CommonMark from formatting a character that was meant as plain text.

A noncharacter is put before each such character while the library runs, and removed afterwards:
CommonMark takes noncharacters for letters. A text that has too many of its own is not formatted.
"""

import re
from typing import NamedTuple
from urllib.parse import quote

_STAND_INS = {one: quote(one) for one in map(chr, range(0xFDD0, 0xFDF0))}
"""Characters that no text should have, each with how it stands in an address."""

_AUTOLINK = r"(?:https?://|mailto:)[^\s<>]+>|[\w.+-]+@[\w.-]+>"
_HTML_START = re.compile(rf"<(?!{_AUTOLINK})", re.ASCII)
_HTML_START_BEHIND_BACKSLASHES = re.compile(rf"(?<!\\)((?:\\\\)*)<(?!{_AUTOLINK})", re.ASCII)

_TILDE = re.compile(r"(?<![\\~])((?:\\\\)*(?:\\~)?)~(?!~)")
"""A tilde alone, which is "about" and strikes nothing out; `~~` does."""

_DOLLAR = re.compile(
    r"""\\[\\$]
      | (?<![\w$]) (?P<math>
            \$\$ [^$]++ \$\$
          | \$ (?![\s$]) (?![0-9][^$\n\\^_={}+*/]*+\$) [^$\n]*+ (?<!\s) \$
        ) (?![\w$])
      | (?P<sign>\$)""",
    re.VERBOSE,
)
"""A formula, as pandoc reads it, or a dollar, of which two with a number behind them are prices."""

_LATEX = re.compile(
    r"""\\\\
      | (?<!\$) (?: \\\( (?P<inline> (?: [^$`\n\\] | \\[^$`\n()[\]] )++ ) \\\)
                | \\\[ (?P<display> (?: [^$`\\] | \\[^$`()[\]] )++ ) \\\] (?![(\[]) ) (?!\$)""",
    re.VERBOSE,
)
"""A formula as LaTeX has it; Markdown reads its delimiters as brackets that are no link."""
_OF_FORMULAS = re.compile(r"\\[A-Za-z]|[\^={}+*>\ufdd0-\ufdef]|(?<!\\)_| [-/] ")
"""What stands in a formula, and rarely between brackets that a program wrote with backslashes; a
`<` is a stand-in by then."""
_WORDS = re.compile(r"\S\s+\S")

# Characters of Chinese, Japanese and Korean, where a word has no blank beside it.
_CJK = (
    r"\u1100-\u11ff\u2e80-\u2fdf\u3001-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff"
    r"\ufe30-\ufe4f\uff01-\uffef\U00020000-\U0003ffff"
)
_HAS_CJK = re.compile(f"[{_CJK}]")
_RUN = r"(?:\*++|~~(?!~))"
_BEHIND_PUNCTUATION = re.compile(
    rf"(?<=[^\w\s*~\\])(?=[*~])(?:(?<=[{_CJK}])(?={_RUN}[^\W_])|(?={_RUN}(?![_\W])[{_CJK}]))"
)
_BEFORE_PUNCTUATION = re.compile(
    rf"[^\W_](?=[*~])(?:(?<=[{_CJK}]){_RUN}(?=[^\w\s*~])|{_RUN}(?=[{_CJK}])(?=[^\w\s]))"
)


class PreparedMarkdown(NamedTuple):
    """Markdown for the library, with the characters that stand for others in it."""

    markdown: str
    stand_ins: tuple[tuple[str, str, str], ...]
    """Each with what it stands for in HTML and in an address."""

    def restored(self, html: str) -> str:
        """The HTML of the library with the characters that the text had."""
        for character, sign, in_address in self.stand_ins:
            if character in self.markdown:
                quoted = quote(character, safe="$")
                html = html.replace(character, sign).replace(quoted, in_address)
        return html


def prepared(text: str) -> PreparedMarkdown | None:
    """The text for the library: none of its `<` begins HTML, a single `~` and `$` is that sign,
    formulas of LaTeX are formulas, and emphasis reads punctuation beside Chinese, Japanese and
    Korean words as letters (https://github.com/tats-u/markdown-cjk-friendly). None when the text
    has too many noncharacters."""
    free = (one for one, quoted in _STAND_INS.items() if one not in text and quoted not in text)
    less, tilde, dollar, joiner = (next(free, "") for _ in range(4))
    if not joiner:
        return None
    markdown = _without_html(text, less)
    if "~" in text:
        markdown = _TILDE.sub(rf"\1{tilde}", markdown)
    if "$" in text:
        markdown = _DOLLAR.sub(lambda found: dollar if found["sign"] else found[0], markdown)
    formulas: tuple[tuple[str, str, str], ...] = ()
    if "\\(" in text or "\\[" in text:
        begin, end = (next(free, "") for _ in range(2))
        if not end:
            return None
        markdown = _with_formulas(markdown, begin, end)
        formulas = (
            *((f"{begin}$$", "\\[", "["), (f"{end}$$", "\\]", "]")),
            *((f"{begin}$", "\\(", "("), (f"{end}$", "\\)", ")")),
            *((begin, "", ""), (end, "", "")),
        )
    if _HAS_CJK.search(text):
        markdown = _BEHIND_PUNCTUATION.sub(joiner, markdown)
        markdown = _BEFORE_PUNCTUATION.sub(rf"\g<0>{joiner}", markdown)
    signs = ((less, "&lt;", "%3C"), (tilde, "~", "~"), (dollar, "$", "$"), (joiner, "", ""))
    return PreparedMarkdown(markdown, signs + formulas)


def _with_formulas(markdown: str, begin: str, end: str) -> str:
    """The Markdown with dollars around the formulas of LaTeX. They stand between stand-ins, which
    tell what is to come back where they are in code, and keep them from other dollars."""

    def in_dollars(found: re.Match[str]) -> str:
        inline = found["inline"]
        if inline and (_OF_FORMULAS.search(inline) or not _WORDS.search(inline)):
            return f"{begin}${begin}{inline}{end}${end}"
        if (display := found["display"]) and _OF_FORMULAS.search(display):
            return f"{begin}$${begin}{display}{end}$${end}"
        return found[0]

    return _LATEX.sub(in_dollars, markdown)


def _without_html(text: str, stand_in: str) -> str:
    """The Markdown with `stand_in` for each `<` that could begin HTML."""
    if "\\<" in text:  # which Markdown reads as the character already
        return _HTML_START_BEHIND_BACKSLASHES.sub(rf"\1{stand_in}", text)
    return _HTML_START.sub(stand_in, text)

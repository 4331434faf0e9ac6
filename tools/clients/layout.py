"""Lays generated Python out as the formatter would, so that none is needed to compare it."""

import re
import textwrap
from collections.abc import Sequence

WIDTH = 100
NOTE = "Written by tools.clients from the table of operations: change that, not this file."

Imports = dict[str, set[str]]


def module(doc: str, imports: Imports, body: str) -> str:
    """A whole module. Imported names that the body does not use are left out."""
    used = {
        name: {item for item in items if _occurs(item, body)} for name, items in imports.items()
    }
    gap = "\n\n" if body.startswith(("class ", "@")) else "\n"
    return f'"""{doc}\n\n{NOTE}\n"""\n\n{_imports(used)}{gap}{body}'


def _occurs(name: str, body: str) -> bool:
    words = re.sub(r'"""[\s\S]*?"""', " ", body)
    for mark in "()[]{}.,:|=@\"'`":
        words = words.replace(mark, " ")
    return name in words.split()


def _imports(imports: Imports) -> str:
    blocks = [
        "".join(
            _import(name, imports[name])
            for name in sorted(imports)
            if imports[name] and name.startswith("stoa") is ours
        )
        for ours in (False, True)
    ]
    return "\n".join(block for block in blocks if block)


def _import(name: str, items: set[str]) -> str:
    ordered = sorted(items, key=lambda item: (not item.isupper(), item.lower()))
    line = f"from {name} import {', '.join(ordered)}\n"
    if len(line) <= WIDTH + 1:
        return line
    lines = "".join(f"    {item},\n" for item in ordered)
    return f"from {name} import (\n{lines})\n"


def docstring(indent: int, *paragraphs: str) -> str:
    """A docstring; a paragraph that starts with a blank is code and keeps its lines."""
    pad = " " * indent
    # The quotes stand on the first line, and on the last one too when there is one paragraph only.
    quotes = 6 if len(paragraphs) == 1 else 3
    blocks = [
        _wrapped(text, indent, 0 if place else quotes) for place, text in enumerate(paragraphs)
    ]
    if len(blocks) == 1 and "\n" not in blocks[0] and len(blocks[0]) + 6 <= WIDTH:
        return f'{pad}"""{blocks[0].strip()}"""\n'
    text = "\n\n".join(blocks).strip()
    return f'{pad}"""{text}\n{pad}"""\n'


def _wrapped(text: str, indent: int, quotes: int) -> str:
    pad = " " * indent
    if text.startswith(" "):
        return textwrap.indent(text, pad)
    lines = textwrap.wrap(text, WIDTH - indent - quotes, break_on_hyphens=False)
    return "\n".join(pad + line for line in lines)


def call(indent: int, head: str, arguments: Sequence[str], tail: str = ")") -> str:
    """`head(arguments)` on one line, on one inner line, or with a line for each argument."""
    pad = " " * indent
    whole = f"{pad}{head}({', '.join(arguments)}{tail}"
    if len(whole) <= WIDTH and "\n" not in whole:
        return f"{whole}\n"
    inner = f"{pad}    {', '.join(arguments)}"
    if len(inner) <= WIDTH and "\n" not in inner:
        return f"{pad}{head}(\n{inner}\n{pad}{tail}\n"
    lines = "".join(f"{pad}    {argument},\n" for argument in arguments)
    return f"{pad}{head}(\n{lines}{pad}{tail}\n"


def mapping(indent: int, names: Sequence[tuple[str, str]]) -> str:
    """A dict from text to expression; over several lines when it does not fit at this indent."""
    pad = " " * indent
    items = [f"{quoted(key)}: {value}" for key, value in names]
    line = f"{{{', '.join(items)}}}"
    if len(pad) + len(line) < WIDTH:
        return line
    lines = "".join(f"{pad}    {item},\n" for item in items)
    return f"{{\n{lines}{pad}}}"


def quoted(text: str) -> str:
    """A text without quotes in it as Python and TypeScript write it."""
    return f'"{text}"'

"""Loads named SQL statements from `queries/*.sql`.

A statement starts with `-- name: NAME`. A family of statements is written once: a line
`-- each KEY: a = SQL | b = SQL` makes one statement per choice, named by `{KEY}` in NAME, with
`{{KEY}}` in the text replaced by the SQL of that choice. A line `-- let KEY: SQL` before the first
statement names a piece of SQL for the whole file, also for other pieces. `{{among NAME}}` and
`{{items NAME}}` stand for a value that is a JSON array, as each dialect reads one: what is one of
its texts, and its texts as `j.value`. Nothing else is ever spliced into SQL.
"""

import itertools
import re
from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import cache
from operator import itemgetter
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).parent / "queries"
_NAME = re.compile(r"^-- name: (\S+)\n", re.MULTILINE)
_LET = re.compile(r"^-- let (\w+): (.*)\n", re.MULTILINE)
_PIECE = re.compile(r"\{\{(\w+)\}\}")
_LIST = re.compile(r"\{\{(among|items) (\w+)\}\}")
_LISTS = {
    "sqlite": {
        "among": "IN (SELECT value FROM json_each(:{}))",
        "items": "json_each(:{}) j",
    },
    "postgresql": {
        "among": "= ANY (ARRAY(SELECT json_array_elements_text(CAST(:{} AS JSON))))",
        "items": "json_array_elements_text(CAST(:{} AS JSON)) j (value)",
    },
}
_EACH = re.compile(r"^-- each (\w+): (.*)\n", re.MULTILINE)
# What may hold a colon that names no value: texts, quoted names, comments, casts.
_PART = re.compile(
    r"""(?P<apart>'(?:[^']|'')*' | "(?:[^"]|"")*" | --[^\n]* | /\*.*?\*/ | ::)
      | :(?P<name>[A-Za-z_]\w*)""",
    re.VERBOSE | re.DOTALL,
)

Bound = tuple[str, Callable[[Mapping[str, Any]], tuple[Any, ...]] | None]
"""A statement whose values are given in an order, and what puts values by name into that order;
None where there is one value at most."""


def _choices(line: str) -> list[tuple[str, str]]:
    pairs = (choice.split("=", 1) for choice in line.split(" | "))
    return [(name.strip(), sql.strip()) for name, sql in pairs]


def _expand(name: str, body: str) -> dict[str, str]:
    axes = [[(key, *choice) for choice in _choices(line)] for key, line in _EACH.findall(body)]
    sql = re.sub(r"^--.*\n", "", body, flags=re.MULTILINE).strip()
    statements: dict[str, str] = {}
    for combination in itertools.product(*axes):
        full_name, text = name, sql
        for key, choice, fragment in combination:
            full_name = full_name.replace("{" + key + "}", choice)
            text = text.replace("{{" + key + "}}", fragment)
        statements[full_name] = text
    return statements


def _pieces(text: str) -> dict[str, str]:
    return dict(_LET.findall(_NAME.split(text)[0]))


def parse(text: str, lets: dict[str, str] | None = None) -> dict[str, str]:
    """Statements of one file by name, of its own pieces or of `lets`."""
    lets = _pieces(text) if lets is None else lets

    def piece(named: re.Match[str]) -> str:
        sql = lets.get(named[1])
        return named[0] if sql is None else _PIECE.sub(piece, sql)

    _, *parts = _NAME.split(text)
    statements: dict[str, str] = {}
    for name, body in zip(parts[::2], parts[1::2], strict=True):
        statements |= _expand(name, _PIECE.sub(piece, body))
    return statements


@cache
def load(dialect: str) -> dict[str, str]:
    """All statements as `file.name`: the shared ones, overlaid by the dialect's own folder.

    A piece that one of two files of the same name names can be used in both, so that a shared
    statement may have a part that each dialect says in its own way.
    """
    texts, lists = defaultdict[str, list[str]](list), _LISTS[dialect]
    for folder in (_FOLDER, _FOLDER / dialect):
        for file in folder.iterdir():
            if file.name.endswith(".sql"):
                text = file.read_text(encoding="utf-8")
                text = _LIST.sub(lambda found: lists[found[1]].format(found[2]), text)
                texts[file.name.removesuffix(".sql")].append(text)
    statements: dict[str, str] = {}
    for stem, some in texts.items():
        lets = {name: sql for text in some for name, sql in _pieces(text).items()}
        for text in some:
            statements |= {f"{stem}.{name}": sql for name, sql in parse(text, lets).items()}
    return statements


def positional(sql: str) -> tuple[str, tuple[str, ...]]:
    """A statement with `$1`, `$2` … for its named values, and their names in that order.

    A name that stands there twice has one number.
    """
    numbers: dict[str, int] = {}

    def place(part: re.Match[str]) -> str:
        name = part["name"]
        return f"${numbers.setdefault(name, len(numbers) + 1)}" if name else part[0]

    return _PART.sub(place, sql), tuple(numbers)


class Bounds(dict[str, Bound]):
    """Statements by their text, each with its values in their order: the adapter of SQLite would
    look up each value by a name that it makes anew."""

    def __missing__(self, sql: str) -> Bound:
        numbered, names = positional(sql)
        self[sql] = numbered, itemgetter(*names) if len(names) > 1 else None
        return self[sql]

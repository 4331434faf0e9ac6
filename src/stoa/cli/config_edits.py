"""Puts one server into the text of a configuration file, and leaves the rest of it unchanged.

JSON may have comments and commas before a closing bracket. The new text is read again: one that
would not hold exactly what it held before and the new server is refused.
"""

import json
import re
import tomllib
from typing import Any, NamedTuple

from stoa.cli.mcp_clients import McpClient, ServerEntry, toml_table

_MARK = "\ufeff"
"""The byte order mark, which editors on Windows put in front."""

_BLANK = re.compile(r"(?:\s|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = r'"(?:[^"\\\n]|\\.)*"'
_KEY = re.compile(_STRING)
_TOKEN = re.compile(rf'{_STRING}|//[^\n]*|/\*.*?\*/|[{{}}\[\]]|[^"{{}}\[\]/]+|.', re.DOTALL)
_SCALAR = re.compile(r"[^\s,{}\[\]/\"]+")
_REST_OF_LINE = re.compile(r"[ \t]*(?://[^\r\n]*)?(?=\r?\n)")
_INDENT = re.compile(r'\n([ \t]+)"')


class Unreadable(ValueError):
    """A configuration file cannot be changed; the message says why."""


def with_server(text: str, client: McpClient, server: str, entry: ServerEntry) -> str:
    """The text with this server in it. Raises Unreadable."""
    if text.startswith(_MARK):
        return _MARK + with_server(text.removeprefix(_MARK), client, server, entry)
    before = parsed(text, client)
    if not isinstance(before.get(client.servers, {}), dict):
        raise Unreadable(f"`{client.servers}` in it is not an object")
    servers: dict[str, Any] = before.get(client.servers, {})
    if servers.get(server) == entry:
        return text
    due = {**before, client.servers: {**servers, server: entry}}
    edit = _in_toml if client.form == "toml" else _in_json
    try:
        after = edit(text, client.servers, server, entry)
        is_due = parsed(after, client) == due
    except (Unreadable, LookupError):
        is_due, after = False, ""
    if not is_due:
        raise Unreadable("it is written in a way that cannot be changed without loss")
    return after


def parsed(text: str, client: McpClient) -> dict[str, Any]:
    """The content of a configuration file; empty if the file is. Raises Unreadable."""
    try:
        read = tomllib.loads(text) if client.form == "toml" else json.loads(_plain(text) or "{}")
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"it is not {client.form.upper()}: {error}") from None
    if not isinstance(read, dict):
        raise Unreadable("it is not an object")
    return read  # pyright: ignore[reportUnknownVariableType]


# --- JSON, with comments or without.


def _plain(text: str) -> str:
    """The same as strict JSON: without comments, and without commas before a closing bracket."""
    kept: list[str] = []
    for token in _TOKEN.findall(text):
        if token.startswith(("//", "/*")):
            kept.append(" ")
            continue
        if token in ("}", "]"):
            _drop_comma(kept)
        kept.append(token)
    return "".join(kept).strip()


def _drop_comma(kept: list[str]) -> None:
    for place in reversed(range(len(kept))):
        if kept[place].strip():
            kept[place] = kept[place].rstrip().removesuffix(",")
            return


def _in_json(text: str, servers: str, server: str, entry: ServerEntry) -> str:
    text = text if _plain(text) else "{}\n"
    found = _INDENT.search(text)
    style = _Style(found[1] if found else "  ", "\r\n" if "\r\n" in text else "\n")
    root = _skip(text, 0)
    inside = _members(text, root).get(servers)
    if inside is None:
        return _insert(text, root, 1, servers, {server: entry}, style)
    known = _members(text, inside[0]).get(server)
    if known is None:
        return _insert(text, inside[0], 2, server, entry, style)
    start, end = known
    return text[:start] + style.dump(entry, 2) + text[end:]


class _Style(NamedTuple):
    """The style of a text: the indentation of a level, and the line end."""

    indent: str
    line_end: str

    def line(self, level: int) -> str:
        """A line end and the indentation of a line of this level."""
        return self.line_end + self.indent * level

    def dump(self, value: Any, level: int) -> str:
        """A value as JSON that begins on a line of this level."""
        made = json.dumps(value, indent=self.indent, ensure_ascii=False)
        return made.replace("\n", self.line(level))


def _insert(text: str, opening: int, level: int, name: str, value: Any, style: _Style) -> str:
    """Put a member before the others of the object that opens there."""
    rest = _REST_OF_LINE.match(text, opening + 1)
    at = rest.end() if rest else opening + 1
    closing = _end(text, opening) - 1
    is_empty = _skip(text, opening + 1) >= closing
    made = f"{style.line(level)}{json.dumps(name)}: {style.dump(value, level)}"
    if not is_empty:
        made += ","
    elif "\n" not in text[at:closing]:
        made += style.line(level - 1)
    return text[:at] + made + text[at:]


def _members(text: str, opening: int) -> dict[str, tuple[int, int]]:
    """Where the values of an object's members begin and end."""
    if text[opening] != "{":
        raise Unreadable("there is no object")
    found: dict[str, tuple[int, int]] = {}
    at = _skip(text, opening + 1)
    while text[at] != "}":
        key = _KEY.match(text, at)
        if key is None:
            raise Unreadable("a member has no name")
        start = _skip(text, _skip(text, key.end()) + 1)
        end = _end(text, start)
        found[json.loads(key[0])] = start, end
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return found


def _skip(text: str, at: int) -> int:
    """The end of blanks and comments."""
    found = _BLANK.match(text, at)
    return found.end() if found else at


def _end(text: str, start: int) -> int:
    """The end of the value that begins there."""
    if text[start] not in "{[":
        scalar = _KEY.match(text, start) or _SCALAR.match(text, start)
        if scalar is None:
            raise Unreadable("a member has no value")
        return scalar.end()
    depth = 0
    for token in _TOKEN.finditer(text, start):
        depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(token[0], 0)
        if depth == 0:
            return token.end()
    raise Unreadable("a bracket is not closed")


# --- TOML.


def _in_toml(text: str, servers: str, server: str, entry: ServerEntry) -> str:
    """Replace the table of the server with its subtables, or add it at the end."""
    table = toml_table(servers, server, entry)
    lines = text.splitlines(keepends=True)
    own = re.compile(rf'\s*\[\s*{servers}\s*\.\s*(["\']?){re.escape(server)}\1\s*[].]')
    first = next((number for number, line in enumerate(lines) if own.match(line)), None)
    if first is None:
        gap = "" if not text else "\n" if text.endswith("\n") else "\n\n"
        return text + gap + table
    last = first + 1
    while last < len(lines) and (
        own.match(lines[last]) or not lines[last].lstrip().startswith("[")
    ):
        last += 1
    while not lines[last - 1].strip() or lines[last - 1].lstrip().startswith("#"):
        last -= 1  # what stands there belongs to the next table
    return "".join([*lines[:first], table, *lines[last:]])

"""A server is put into a configuration file, and nothing else in the file changes."""

import json
import tomllib
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stoa.cli.config_edits import Unreadable, parsed, with_server
from stoa.cli.mcp_clients import MCP_CLIENTS

CURSOR, ZED, CODEX = MCP_CLIENTS["cursor"], MCP_CLIENTS["zed"], MCP_CLIENTS["codex"]
ENTRY = CURSOR.entry(["/usr/bin/stoa", "agent", "mcp"])
OTHER = CURSOR.entry(["other"])

SETTINGS = """\
// How I work.
{
    "theme": "One", // the quiet one
    /* Servers stand below. */
    "context_servers": {
        // Do not start this on battery: {"x": [}
        "files": {"command": "files", "args": ["// no comment", "},"]},
    },
    "tab_size": 2,
}
"""


def test_a_server_joins_the_others_and_every_other_line_stays() -> None:
    after = with_server(SETTINGS, ZED, "stoa", ENTRY)
    assert [line for line in after.splitlines() if line not in SETTINGS.splitlines()] == [
        '        "stoa": {',
        '            "command": "/usr/bin/stoa",',
        '            "args": [',
        '                "agent",',
        '                "mcp"',
        "            ]",
        "        },",
    ]
    assert [line for line in SETTINGS.splitlines() if line not in after.splitlines()] == []
    assert parsed(after, ZED)["context_servers"].keys() == {"files", "stoa"}


def test_a_byte_order_mark_stays_in_front() -> None:
    for text, client in ((SETTINGS, ZED), ("", CURSOR), ('model = "x"\n', CODEX)):
        entry = client.entry(["stoa"])
        made = with_server(f"\ufeff{text}", client, "stoa", entry)
        assert made == "\ufeff" + with_server(text, client, "stoa", entry)


def test_a_known_server_is_replaced_where_it_stands() -> None:
    once = with_server(SETTINGS, ZED, "files", ENTRY)
    assert parsed(once, ZED) == {
        "theme": "One",
        "context_servers": {"files": ENTRY},
        "tab_size": 2,
    }
    assert "// Do not start this on battery" in once
    assert with_server(once, ZED, "files", ENTRY) == once


@pytest.mark.parametrize("text", ["", "  \n", "{}", "{ }\n", "// nothing yet\n", "{\n}\n"])
def test_an_empty_file_gets_the_server_alone(text: str) -> None:
    after = with_server(text, CURSOR, "stoa", ENTRY)
    assert parsed(after, CURSOR) == {"mcpServers": {"stoa": ENTRY}}


def test_a_new_file_is_the_block_of_the_page() -> None:
    for client in (CURSOR, CODEX):
        assert with_server("", client, "stoa", ENTRY) == client.block("stoa", ENTRY)


def test_lines_end_as_they_did() -> None:
    after = with_server('{\r\n\t"a": 1\r\n}\r\n', CURSOR, "stoa", ENTRY)
    assert "\n" not in after.replace("\r\n", "")
    assert '\r\n\t"mcpServers": {\r\n\t\t"stoa": {\r\n' in after


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        '"text"',
        "{'a': 1}",
        '{"a": 1} {"b": 2}',
        '{"mcpServers": []}',
        '{"mcpServers": null}',
        "[" * 100_000,
        '{"a": 1 /* }',
    ],
)
def test_a_file_that_is_not_understood_is_refused(text: str) -> None:
    with pytest.raises(Unreadable):
        with_server(text, CURSOR, "stoa", ENTRY)


GAPS = st.sampled_from(["", " ", "\n  ", " // it's {\n", ' /* " } */ ', "\n// ]\n"])


class Writer:
    """Writes a value as JSON with comments and commas where they may stand."""

    def __init__(self, data: st.DataObject) -> None:
        self._data = data

    def gap(self) -> str:
        return self._data.draw(GAPS)

    def object(self, value: dict[str, Any]) -> str:
        members = [
            f"{self.gap()}{json.dumps(name)}{self.gap()}:{self.value(one)}"
            for name, one in value.items()
        ]
        last = self._data.draw(st.sampled_from(["", ","])) if members else ""
        return "{" + ",".join(members) + last + self.gap() + "}"

    def value(self, value: Any) -> str:
        if isinstance(value, dict):
            text = self.object(cast("dict[str, Any]", value))
        elif isinstance(value, list):
            text = "[" + ",".join(map(self.value, cast("list[Any]", value))) + "]"
        else:
            text = json.dumps(value, ensure_ascii=False)
        return f"{self.gap()}{text}{self.gap()}"


NAMES = st.sampled_from(["mcpServers", "stoa", "a", 'q"', "// x", "é", "\\"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(
    root=st.dictionaries(NAMES, VALUES, max_size=4),
    servers=st.none() | st.dictionaries(NAMES, VALUES, max_size=3),
    data=st.data(),
)
def test_any_file_says_the_same_and_the_server_afterwards(
    root: dict[str, Any], servers: dict[str, Any] | None, data: st.DataObject
) -> None:
    root = {name: value for name, value in root.items() if name != "mcpServers"}
    if servers is not None:
        root["mcpServers"] = servers
    text = Writer(data).value(root)
    assert parsed(text, CURSOR) == root
    after = with_server(text, CURSOR, "stoa", ENTRY)
    due = {**root, "mcpServers": {**(servers or {}), "stoa": ENTRY}}
    assert parsed(after, CURSOR) == due


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(value=VALUES, indent=st.none() | st.integers(0, 4))
def test_strict_json_stays_strict(value: Any, indent: int | None) -> None:
    text = json.dumps({"a": value}, indent=indent)
    after = json.loads(with_server(text, CURSOR, "stoa", ENTRY))
    assert after == {"a": value, "mcpServers": {"stoa": ENTRY}}


# --- TOML.

CONFIG = """\
# My agents.
model = "large" # for now

[mcp_servers.files]
command = "files"

# The Stoa at work.
[mcp_servers.stoa]
command = "old"
# it was slow
args = ["[x]"]

[mcp_servers.stoa.env]
A = "1"

# What follows is about colour.
[colour]
on = true
"""


def test_a_table_of_toml_is_replaced_and_what_is_around_it_stays() -> None:
    after = with_server(CONFIG, CODEX, "stoa", ENTRY)
    assert after == CONFIG.replace(
        CONFIG[CONFIG.index('command = "old"') : CONFIG.index("# What follows")],
        'command = "/usr/bin/stoa"\nargs = ["agent", "mcp"]\n\n',
    )
    assert with_server(after, CODEX, "stoa", ENTRY) == after


@pytest.mark.parametrize("text", ["a = 1", "a = 1\n", "", '[mcp_servers."x"]\ncommand = "x"\n'])
def test_a_table_of_toml_is_added_at_the_end(text: str) -> None:
    after = with_server(text, CODEX, "stoa", ENTRY)
    assert after.startswith(text)
    assert tomllib.loads(after)["mcp_servers"]["stoa"] == ENTRY


@pytest.mark.parametrize(
    "text",
    [
        "a = ",
        'mcp_servers = "none"\n',
        'mcp_servers = {stoa = {command = "x"}}\n',
        '[mcp_servers]\nstoa = {command = "x"}\n',
        '[mcp_servers]\nstoa.command = "x"\n',
        'a = """\n[mcp_servers.stoa]\n"""\n[mcp_servers.stoa]\ncommand = "x"\n',
    ],
)
def test_toml_that_cannot_be_changed_without_loss_is_refused(text: str) -> None:
    with pytest.raises(Unreadable):
        with_server(text, CODEX, "stoa", ENTRY)


def test_what_is_made_is_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """The control of the test above: a wrong edit is found by reading what it made."""

    def wrong(*_: object) -> str:
        return "{}"

    monkeypatch.setattr("stoa.cli.config_edits._in_json", wrong)
    with pytest.raises(Unreadable, match="without loss"):
        with_server("{}", CURSOR, "stoa", OTHER)

"""The MCP clients that can be given the tools of a Stoa, and the configuration file of each.

`stoa agent connect` and the page `docs/configuration-blocks.md` are made from this table.
"""

import json
import sys
from pathlib import Path
from typing import Literal, NamedTuple

ServerEntry = dict[str, str | list[str]]
"""A server in the form of a configuration file."""

SERVER = "stoa"
"""The default name of the server in a configuration file."""


class McpClient(NamedTuple):
    """A client: its configuration file, the object in it that holds the servers, and its form.

    A `file` that begins with ~ is the user's, another one is in the folder of a project.
    """

    title: str
    file: str
    servers: str
    form: Literal["json", "toml"] = "json"
    is_typed: bool = False
    file_on_macos: str | None = None

    @property
    def path(self) -> Path:
        """The file on this system."""
        name = self.file_on_macos if sys.platform == "darwin" else None
        return Path(name or self.file).expanduser()

    def entry(self, command: list[str]) -> ServerEntry:
        """The server that runs a command."""
        program, *arguments = command
        kind: ServerEntry = {"type": "stdio"} if self.is_typed else {}
        return {**kind, "command": program, "args": arguments}

    def block(self, server: str, entry: ServerEntry) -> str:
        """A whole configuration file that has this server alone."""
        if self.form == "toml":
            return toml_table(self.servers, server, entry)
        return json.dumps({self.servers: {server: entry}}, indent=2, ensure_ascii=False) + "\n"


def toml_table(servers: str, server: str, entry: ServerEntry) -> str:
    """A server as a table of TOML."""
    values = (f"{name} = {json.dumps(one, ensure_ascii=False)}" for name, one in entry.items())
    return "\n".join([f"[{servers}.{server}]", *values]) + "\n"


MCP_CLIENTS = {
    "claude-desktop": McpClient(
        "Claude Desktop",
        "~/.config/Claude/claude_desktop_config.json",
        "mcpServers",
        file_on_macos="~/Library/Application Support/Claude/claude_desktop_config.json",
    ),
    "claude-code": McpClient("Claude Code", ".mcp.json", "mcpServers"),
    "gemini-cli": McpClient("Gemini CLI", "~/.gemini/settings.json", "mcpServers"),
    "cursor": McpClient("Cursor", "~/.cursor/mcp.json", "mcpServers"),
    "windsurf": McpClient("Windsurf", "~/.codeium/windsurf/mcp_config.json", "mcpServers"),
    "vscode": McpClient("Visual Studio Code", ".vscode/mcp.json", "servers", is_typed=True),
    "zed": McpClient("Zed", "~/.config/zed/settings.json", "context_servers"),
    "codex": McpClient("Codex", "~/.codex/config.toml", "mcp_servers", "toml"),
}
"""By the name that `stoa agent connect` takes."""

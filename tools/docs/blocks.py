"""The part of the page of configuration blocks that shows the clients of `stoa agent connect`."""

from itertools import groupby

from stoa.cli.mcp_clients import MCP_CLIENTS, SERVER
from tools.docs.markdown import table

_BEGIN = "<!-- The clients: written by `make docs`. -->\n"
_END = "<!-- The end of the clients. -->\n"
_COMMAND = ["stoa", "agent", "mcp"]


def page(text: str) -> str:
    """The page with the clients of the table between its two marks."""
    head, _, rest = text.partition(_BEGIN)
    tail = rest.partition(_END)[2]
    return f"{head}{_BEGIN}\n{_clients()}\n{_END}{tail}"


def _clients() -> str:
    return "\n".join(_section(block, list(names)) for block, names in groupby(MCP_CLIENTS, _block))


def _block(name: str) -> tuple[str, str]:
    client = MCP_CLIENTS[name]
    return client.form, client.block(SERVER, client.entry(_COMMAND))


def _section(block: tuple[str, str], names: list[str]) -> str:
    form, text = block
    heading = ", ".join(MCP_CLIENTS[name].title for name in names)
    rows = ((f"`stoa agent connect {name}`", _file(name)) for name in names)
    return f"## {heading}\n\n{table(('command', 'file'), rows)}\n\n```{form}\n{text}```\n"


def _file(name: str) -> str:
    client = MCP_CLIENTS[name]
    where = f"`{client.file}`"
    if not client.file.startswith("~"):
        where += " of a project"
    return where + (f"; on macOS `{client.file_on_macos}`" if client.file_on_macos else "")

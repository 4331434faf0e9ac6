"""A planned change of an MCP client's configuration file: showing it and making it."""

import difflib
import shutil
import stat
import sys
from pathlib import Path
from typing import NamedTuple

from stoa.cli.config_edits import Unreadable, with_server
from stoa.cli.mcp_clients import McpClient
from stoa.client.files import replace_file
from stoa.domain.text import escape_invisible

_NEW_FILE = 0o644


class FileChange(NamedTuple):
    """A change of a file; `before` is None where there is no file."""

    path: Path
    before: str | None
    after: str

    @property
    def is_one(self) -> bool:
        """Whether there is any change."""
        return self.before != self.after

    def diff(self) -> str:
        """The change as people read it, with one line around it."""
        before, after = (self.before or "").splitlines(), self.after.splitlines()
        name = str(self.path)
        lines = difflib.unified_diff(before, after, name, name, n=1, lineterm="")
        return "\n".join(map(escape_invisible, lines))

    def write(self) -> None:
        """Make the change as a whole. Raises Unreadable if the file has changed meanwhile."""
        try:
            if _read(self.path) != self.before:
                raise Unreadable("it has changed meanwhile: try again")
            self.path.parent.mkdir(parents=True, exist_ok=True)
            there = self.path.exists()
            mode = stat.S_IMODE(self.path.stat().st_mode) if there else _NEW_FILE
            replace_file(self.path, [self.after.encode()], mode)
        except OSError as error:
            raise Unreadable(f"{self.path} was not changed: {error.strerror}") from None
        except Unreadable as error:
            raise Unreadable(f"{self.path} was not changed: {error}") from None


def command(key: Path | None) -> list[str]:
    """The command of a client; full paths, since most do not have the PATH of the user's
    terminal."""
    program = shutil.which("stoa")
    found = [program] if program else [sys.executable, "-m", "stoa"]
    return [*found, "agent", "mcp", *(["--key", str(key.expanduser().resolve())] if key else [])]


def planned(client: McpClient, file: Path | None, server: str, run: list[str]) -> FileChange:
    """The change that puts a server into a client's file. Raises Unreadable."""
    entry = client.entry(run)
    path = (file.expanduser() if file else client.path).resolve()
    try:
        before = _read(path)
        return FileChange(path, before, with_server(before or "", client, server, entry))
    except Unreadable as error:
        raise Unreadable(
            f"{path} was not changed: {error}. Add this to it by hand:\n"
            f"{client.block(server, entry)}"
        ) from None


def _read(path: Path) -> str | None:
    """The text of a file, None where there is none. Raises Unreadable."""
    try:
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError:
        raise Unreadable("it is not UTF-8") from None
    except OSError as error:
        raise Unreadable(f"it cannot be read: {error.strerror}") from None

"""What the commands of `stoa agent` are given: the client of an agent, and how answers are shown.

Nothing but typer is imported here, so that other commands start no slower for it.
"""

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypedDict

import typer

if TYPE_CHECKING:
    from stoa.cli.agent_print import Printer
    from stoa.client import Stoa

_KEY_FILE = "agent.key"


class WriteOptions(TypedDict, total=False):
    """The options of a write, as every call that writes takes them; none of a read."""

    idempotency_key: str | None
    dry_run: bool


class AgentRun(NamedTuple):
    """What a command works with: the client of its agent, what shows answers, and its options."""

    stoa: "Stoa"
    show: "Printer"
    key: Path
    write: WriteOptions

    def require_key(self) -> None:
        """Raise KeyFileError where the client is anonymous, for want of a key file."""
        from stoa.client import KeyFile

        KeyFile.load(self.key)


def key_path(given: Path | None) -> Path:
    """The key file: the one given, or the one in the user's settings folder."""
    return given or Path(typer.get_app_dir("stoa")) / _KEY_FILE

"""The input of the commands of `stoa agent`: the client of an agent, and the printer of answers.

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
    """The options of every call that writes; a read has none."""

    idempotency_key: str | None
    dry_run: bool


class AgentRun(NamedTuple):
    """The tools of a command: the client of its agent, the printer of answers, and its options."""

    stoa: "Stoa"
    show: "Printer"
    key: Path
    write: WriteOptions

    def require_key(self) -> None:
        """Raise KeyFileError if the client is anonymous because there is no key file."""
        from stoa.client import KeyFile

        KeyFile.load(self.key)


def key_path(given: Path | None) -> Path:
    """The key file: the one given, or the one in the user's settings folder."""
    return given or Path(typer.get_app_dir("stoa")) / _KEY_FILE

"""The flags of `stoa serve`, read without the library of the commands.

Loading that library would take a tenth of the memory of a server and of the time of its start.
It is loaded only for flags that cannot be read here, since it has the help and the messages about
mistakes.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

FLAGS = {
    "--host": str,
    "--port": int,
    "--data-dir": str,
    "--base-url": str,
    "--workers": int,
    "--log-level": str,
    "--log-format": str,
    "--config": Path,
}
"""The conversion of each flag's value."""


def read(arguments: Sequence[str]) -> dict[str, Any] | None:
    """The flags by the names of their settings, and `config`; None for any other command and for
    flags that may be wrong."""
    if arguments[:1] != ["serve"]:
        return None
    flags: dict[str, Any] = {}
    rest = iter(arguments[1:])
    for argument in rest:
        name, given, value = argument.partition("=")
        value = value if given else next(rest, "")
        if name not in FLAGS or not _is_plain(value, FLAGS[name]):
            return None
        flags[name[2:].replace("-", "_")] = FLAGS[name](value)
    return flags


def _is_plain(value: str, kind: type) -> bool:
    if kind is int:
        return value.isascii() and value.isdecimal()
    return bool(value) and not value.startswith("-")

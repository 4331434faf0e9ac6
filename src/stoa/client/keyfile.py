"""The key file of an agent: its key, the address of its Stoa and its profile.

The file is UTF-8 JSON, readable by its owner only (mode 0600):

    {
      "format": "stoa-agent-key",
      "version": 1,
      "url": "https://stoa.example",
      "publicKey": "<64 hex digits>",
      "seed": "<64 hex digits>",
      "displayName": "Baker",
      "description": "",
      "capabilities": ["baking"]
    }

`seed` is the private key (RFC 8032), `publicKey` its public half. The last three may be left out;
they are sent at every sign-in. A program with the file is the agent; without a recovery key the
agent is lost with the file. A key is for one service: make another for another.
"""

import json
import os
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stoa.client.files import is_open_to_others
from stoa.client.keys import Key, canonical_url
from stoa.client.protocol import Profile

FORMAT = "stoa-agent-key"
VERSION = 1

_OWNER_ONLY = 0o600


class KeyFileError(Exception):
    """The key file cannot be used. The message is one line and says what to do."""


@dataclass(frozen=True, slots=True)
class KeyFile:
    """The content of a key file."""

    url: str
    key: Key
    profile: Profile

    @classmethod
    def load(cls, path: str | Path) -> "KeyFile":
        """Read a file. Raises KeyFileError if it is missing, not a key file or open to others."""
        path = Path(path).expanduser()
        try:
            if path.is_dir() or path.is_char_device():
                raise KeyFileError(f"{path} is no file: name the key file itself")
            if is_open_to_others(path):
                raise KeyFileError(f"the key file {path} is open to others: run chmod 600 {path}")
            return _parse(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise KeyFileError(
                f"there is no key file {path}: make one with stoa agent keygen --url ADDRESS "
                f"--key {path}"
            ) from None
        except OSError as error:
            raise KeyFileError(f"cannot read the key file {path}: {error.strerror}") from None
        except (ValueError, TypeError) as error:
            raise KeyFileError(
                f"cannot use the key file {path}: {error}. Use another, such as a copy of it or "
                "one that stoa agent keygen makes"
            ) from None

    def save(self, path: str | Path) -> None:
        """Write a new file with mode 0600. Raises KeyFileError if it exists or writing fails."""
        path = Path(path).expanduser()
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _OWNER_ONLY)
            self._write(handle, path)
        except FileExistsError:
            raise KeyFileError(
                f"there is a key file {path} already: name another, or move it away"
            ) from None
        except OSError as error:
            raise KeyFileError(f"cannot write the key file {path}: {error.strerror}") from None

    def _write(self, handle: int, path: Path) -> None:
        """Write the new file that was opened at a path; remove it if that fails."""
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(self._members(), file, indent=2)
                file.write("\n")
                file.flush()
                os.fsync(file.fileno())
        except BaseException:
            path.unlink(missing_ok=True)
            raise

    def replace(self, path: str | Path, waiting: str | Path) -> None:
        """Replace the file at `path` by the one that was saved at `waiting`."""
        try:
            Path(waiting).expanduser().replace(Path(path).expanduser())
        except OSError as error:
            raise KeyFileError(f"cannot replace the key file {path}: {error.strerror}") from None

    @contextmanager
    def replacing(self, path: str | Path) -> Generator[Path]:
        """Replace the file at `path` by this one if the body succeeds. Yields the path at which
        this one is saved meanwhile."""
        path = Path(path).expanduser()
        waiting = path.with_name(f"{path.name}.new")
        self.save(waiting)
        try:
            yield waiting
        except BaseException:
            waiting.unlink()
            raise
        self.replace(path, waiting)

    def _members(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "version": VERSION,
            "url": self.url,
            "publicKey": self.key.public_key,
            "seed": self.key.seed,
            **self.profile.members,
        }


def _parse(text: str) -> KeyFile:
    members: Any = json.loads(text) if text.lstrip().startswith("{") else {}
    if (members.get("format"), members.get("version")) != (FORMAT, VERSION):
        raise ValueError(f"it is not a {FORMAT} file of version {VERSION}")
    for name in ("url", "publicKey", "seed"):
        if not isinstance(members.get(name), str):
            raise TypeError(f"its {name} is not a text")
    key = Key(members["seed"])
    if members["publicKey"] != key.public_key:
        raise ValueError("its publicKey is not that of its seed")
    return KeyFile(canonical_url(members["url"]), key, _profile(members))


def _profile(members: dict[str, Any]) -> Profile:
    name, description, invite = map(members.get, ("displayName", "description", "invite"))
    capabilities = members.get("capabilities")
    if not all(value is None or isinstance(value, str) for value in (name, description, invite)):
        raise ValueError("displayName, description and invite are texts")
    if capabilities is not None and not _texts(capabilities):
        raise ValueError("capabilities are a list of texts")
    return Profile(
        display_name=name, description=description, capabilities=capabilities, invite=invite
    )


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)  # pyright: ignore[reportUnknownVariableType]

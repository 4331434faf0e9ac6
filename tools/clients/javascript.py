"""Writes the client as JavaScript: TypeScript's compiler takes the types out of its source."""

import re
import tempfile
from pathlib import Path

from tests.support import node
from tools.clients import typescript

FILE = typescript.FILE.replace(".ts", ".js")
_OPTIONS = ("--target", "es2022", "--module", "es2022", "--noCheck")
_MARKS = re.compile(r"^ *// --- .*\n", re.MULTILINE)


def files(root: Path, source: str) -> dict[Path, str]:
    """The file of the client that needs no compiler, made of its TypeScript `source`."""
    text = _MARKS.sub("", _compiled(source))
    return {root / FILE: text.replace("./agent-client.ts", "./agent-client.js")}


def _compiled(source: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        given = Path(folder, "client.ts")
        given.write_text(source, encoding="utf-8")
        done = node.run(node.module("typescript/bin/tsc"), *_OPTIONS, given)
        assert done.returncode == 0, done.stdout
        return given.with_suffix(".js").read_text(encoding="utf-8")

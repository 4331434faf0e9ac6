"""Counts the o200k tokens of texts, with an npm package that holds its table of tokens."""

import json
import tempfile
from pathlib import Path

from tests.support import node

_SCRIPT = Path(__file__).with_name("o200k.cjs")
_PACKAGE = "gpt-tokenizer/cjs/encoding/o200k_base.js"


def count(texts: list[str]) -> list[int]:
    """The tokens of each text."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "texts.json"
        file.write_text(json.dumps(texts), encoding="utf-8")
        done = node.run(_SCRIPT, node.module(_PACKAGE), file)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout)

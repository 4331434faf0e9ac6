"""Writes the typed parts of both clients: run `make docs`."""

from pathlib import Path

from tools.clients import javascript, python, table, typescript
from tools.generated import ROOT


def files() -> dict[Path, str]:
    """Every generated file and its text."""
    described = table.describe()
    typed = typescript.files(ROOT, described)
    plain = javascript.files(ROOT, typed[ROOT / typescript.FILE])
    return {**python.files(ROOT, described), **typed, **plain}

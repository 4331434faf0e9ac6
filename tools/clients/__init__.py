"""Writes the typed parts of both clients: run `python -m tools.clients`."""

from pathlib import Path

from tools.clients import python, table, typescript

ROOT = Path(__file__).parents[2]


def files() -> dict[Path, str]:
    """Every generated file and its text."""
    described = table.describe()
    return {**python.files(ROOT, described), **typescript.files(ROOT, described)}

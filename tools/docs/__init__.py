"""Writes the reference in `docs/reference`, and what else of `docs` the code says: `make docs`."""

from pathlib import Path

from tools.docs import blocks, errors, limits, operations, resources, settings
from tools.generated import ROOT

REFERENCE = ROOT / "docs/reference"
BLOCKS = ROOT / "docs/configuration-blocks.md"


def files() -> dict[Path, str]:
    """Every generated page and its text."""
    pages = {
        "operations.md": operations.page(),
        "resources.md": resources.page(),
        "errors.md": errors.page(),
        "settings.md": settings.page(),
        "limits.md": limits.page(),
    }
    reference = {REFERENCE / name: text for name, text in pages.items()}
    return {**reference, BLOCKS: blocks.page(BLOCKS.read_text(encoding="utf-8"))}

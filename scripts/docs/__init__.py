"""Writes the reference in `docs/reference`: run `make docs`."""

from pathlib import Path

from scripts.docs import errors, limits, operations, resources, settings

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "docs/reference"


def files() -> dict[Path, str]:
    """Every generated page and its text."""
    pages = {
        "operations.md": operations.page(),
        "resources.md": resources.page(),
        "errors.md": errors.page(),
        "settings.md": settings.page(),
        "limits.md": limits.page(),
    }
    return {REFERENCE / name: text for name, text in pages.items()}

"""Writes the files that are generated."""

from pathlib import Path

ROOT = Path(__file__).parents[1]


def write(files: dict[Path, str]) -> None:
    """Write and name each file that changed."""
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            print(path.relative_to(ROOT))

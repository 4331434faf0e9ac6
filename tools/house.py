"""`python -m tools.house`: prints how large the code is, package by package, and exits with 1 where
an import goes up or sideways, or a file or a function is too long."""

import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tests.memory.test_caches import caches
from tests.test_house_rules import MODULES, every_module, functions, name_of, package_of
from tests.test_layers import climbing

_GOAL = 51_000
_LINES_OF_FILE, _LINES_OF_FUNCTION = 600, 60


def _lines(file: Path) -> int:
    return len(file.read_text(encoding="utf-8").splitlines())


def _is_generated(name: str) -> bool:
    return "/generated/" in name


def too_long() -> Iterator[str]:
    """The files and functions that are longer than one may be."""
    for file in MODULES:
        if not _is_generated(name_of(file)) and (lines := _lines(file)) > _LINES_OF_FILE:
            yield f"{name_of(file)}: {lines} lines"
    for lines, name in functions():
        if lines > _LINES_OF_FUNCTION:
            yield f"{name}: {lines} lines"


def _packages() -> Table:
    packages, generated = Counter[str](), Counter[str]()
    for file in MODULES:
        counted = generated if _is_generated(name_of(file)) else packages
        counted[package_of(name_of(file))] += _lines(file)
    table = Table("package", "lines", "generated")
    for package, lines in packages.most_common():
        table.add_row(
            package, f"{lines:,}", f"{generated[package]:,}" if generated[package] else ""
        )
    table.add_section()
    table.add_row(f"all (goal {_GOAL:,})", f"{packages.total():,}", f"{generated.total():,}")
    return table


def main() -> int:
    """Print, and judge."""
    began, console = time.monotonic(), Console(width=100)
    console.print(_packages())
    made = Counter(caches(every_module()))
    console.print(f"{made.total()} caches: {', '.join(sorted(made))}")
    broken = [f"{name} imports {package}" for name, package in climbing(every_module())]
    broken += too_long()
    for line in broken:
        print(f"house: {line}", file=sys.stderr)
    console.print(f"looked at in {time.monotonic() - began:.1f} s")
    return int(bool(broken))


if __name__ == "__main__":
    sys.exit(main())

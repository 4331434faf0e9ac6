"""Which tests are nearest to a file: its own, those that import it, then those of the list."""

import re
from collections.abc import Sequence
from pathlib import Path, PurePosixPath


def nearest(project: Path, path: str, listed: Sequence[dict[str, list[str]]]) -> list[str]:
    """Files of tests, the nearest first. (Beside a folder pytest drops the files in it.)

    Each of `listed` has `paths`, of which one must begin like `path`, and the `tests` for those.
    """
    module = PurePosixPath(path).relative_to("src").with_suffix("")
    package, name = ".".join(module.parts[:-1]), module.name
    imports = re.compile(
        rf"^(from {package}\.{name} import|from {package} import .*\b{name}\b)", re.MULTILINE
    )
    files = sorted((project / "tests").rglob("test_*.py"))
    own = [file for file in files if file.name == f"test_{name}.py"]
    own.sort(key=lambda file: file.parent.name != module.parent.name)
    users = [file for file in files if imports.search(file.read_text(encoding="utf-8"))]
    further = [
        file
        for one in listed
        if any(path.startswith(start) for start in one["paths"])
        for test in one["tests"]
        for file in files
        if file.is_relative_to(project / test)
    ]
    return list(dict.fromkeys(str(file.relative_to(project)) for file in own + users + further))

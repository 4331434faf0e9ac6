"""The built package carries every file of the source, and the local stubs tell no tales."""

import ast
import tomllib
from fnmatch import fnmatch
from pathlib import Path

import apsw

import stoa

ROOT = Path(__file__).parents[2]
SOURCE = Path(stoa.__file__).parent


def package_data() -> list[str]:
    """The file name patterns that the build takes along besides Python modules."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    patterns: list[str] = project["tool"]["setuptools"]["package-data"]["*"]
    return [pattern.removeprefix("**/") for pattern in patterns]


def test_every_file_beside_the_modules_is_package_data() -> None:
    others = [
        file.relative_to(SOURCE)
        for file in SOURCE.rglob("*")
        if file.is_file() and file.suffix not in {".py", ".pyc"}
    ]
    forgotten = [
        file for file in others if not any(fnmatch(file.name, glob) for glob in package_data())
    ]
    assert others
    assert forgotten == [], "add the pattern to tool.setuptools.package-data in pyproject.toml"


def test_every_folder_of_modules_is_a_package() -> None:
    folders = {file.parent for file in SOURCE.rglob("*.py")}
    assert [folder for folder in folders if not (folder / "__init__.py").is_file()] == []


def test_the_local_stub_of_apsw_names_only_what_apsw_has() -> None:
    stub = ast.parse((ROOT / "tools/typings/apsw/__init__.pyi").read_text(encoding="utf-8"))
    classes = [node for node in stub.body if isinstance(node, ast.ClassDef)]
    functions = [node.name for node in stub.body if isinstance(node, ast.FunctionDef)]
    methods = [
        f"{cls.name}.{node.name}"
        for cls in classes
        for node in cls.body
        if isinstance(node, ast.FunctionDef)
    ]
    named = [cls.name for cls in classes] + functions
    assert [name for name in named if not hasattr(apsw, name)] == []
    missing = [
        method
        for method in methods
        if not hasattr(getattr(apsw, method.split(".")[0]), method.split(".")[1])
    ]
    assert missing == []

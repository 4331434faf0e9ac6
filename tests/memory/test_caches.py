"""A process has few caches, and the documentation says of each what it holds and what it saves."""

import ast
import re
from collections.abc import Iterable, Iterator

from tests.test_house_rules import PROJECT, every_module

CONTAINERS = {"ByteCache", "Remembered", "AnswerCache", "Snapshots", "Authors"}
"""What has a bound and forgets; the kinds of values in a `ByteCache` share its bound."""


def caches(modules: Iterable[tuple[str, list[ast.AST]]]) -> Iterator[str]:
    """The modules that make a cache, once for each that they make."""
    for name, nodes in modules:
        for node in nodes:
            called = node.func if isinstance(node, ast.Call) else None
            made = called.value if isinstance(called, ast.Subscript) else called
            if isinstance(made, ast.Name) and made.id in CONTAINERS:
                yield name


def test_there_are_few_caches_and_all_are_documented() -> None:
    text = (PROJECT / "docs" / "architecture.md").read_text(encoding="utf-8")
    table = text.partition("## What a process keeps in memory")[2].partition("\n## ")[0]
    _, _, *rows = re.findall(r"^\|.*$", table, re.MULTILINE)
    assert 1 < len(rows) <= 8
    assert len(rows) == len([*caches(every_module())])


def test_a_cache_is_found() -> None:
    module = ast.parse("rows = ByteCache(1)\nlatest = Remembered[int]()\nnone = dict()")
    assert [*caches([("a.py", list(ast.walk(module)))])] == ["a.py", "a.py"]

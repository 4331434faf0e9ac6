"""Which tests run what a mutant changes, as `recording` wrote it down."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path, PurePosixPath
from typing import TypeGuard

import msgspec
from coverage import CoverageData

from tools.mutants.change import Mutant
from tools.mutants.recording import RecordedTest

Lines = Mapping[int, Iterable[str]]
"""Tests by the lines of a file that they run."""

_STATEMENT = re.compile(r"^-- name: (\S+)$", re.MULTILINE)
_KEY = re.compile(r"\\{\w+\\}")
_Function = ast.FunctionDef | ast.AsyncFunctionDef


class Covering:
    """What the tests of a project run: `lines` by the paths of files. What runs once, when a module
    is loaded, is read by files of tests too, those of what is `declared`."""

    def __init__(
        self,
        root: Path,
        tests: Mapping[str, RecordedTest],
        lines: Mapping[str, Lines],
        declared: Sequence[str] = (),
    ) -> None:
        self._root, self._tests, self._lines, self._declared = root, tests, lines, declared
        self._of_statement = defaultdict[str, set[str]](set)
        for test, recorded in tests.items():
            for statement in recorded.statements:
                self._of_statement[statement].add(test)

    @classmethod
    def read(cls, root: Path, folder: Path, declared: Sequence[str]) -> "Covering":
        """What was recorded in a folder of the project at `root`."""
        tests: dict[str, RecordedTest] = {}
        lines = defaultdict[str, defaultdict[int, set[str]]](lambda: defaultdict(set))
        for file in folder.glob("*.json"):
            tests |= msgspec.json.decode(file.read_bytes(), type=dict[str, RecordedTest])
        for file in folder.glob("*.coverage"):
            data = CoverageData(str(file))
            data.read()
            for path in data.measured_files():
                of_file = lines[Path(path).relative_to(root).as_posix()]
                for line, some in data.contexts_by_lineno(path).items():
                    of_file[line].update(some)
        return cls(root, tests, lines, declared)

    def tests(self, mutant: Mutant, seconds: float) -> list[str]:
        """The tests that run what is changed, as many as take so many seconds: first those of the
        file's own tests, then the quickest. Files of tests where none was recorded."""
        path = PurePosixPath(mutant.path)
        is_sql = path.suffix == ".sql"
        found, once = (self._of_sql(mutant), False) if is_sql else self._of_python(mutant)
        known = {test for test in found if test in self._tests}
        own, left, chosen = f"/test_{path.stem}.py::", seconds, list[str]()
        for test in sorted(known, key=lambda one: (own not in one, self._tests[one].seconds)):
            left -= self._tests[test].seconds
            if left < 0 and chosen:
                break
            chosen.append(test)
        return [*(chosen or self._files(path)), *(self._declared if once else ())]

    def _files(self, path: PurePosixPath) -> list[str]:
        """Tests of a module that no recorded process runs."""
        room = path.relative_to("src").parts[1]
        tests = self._root / "tests"
        own = [*tests.rglob(f"test_{path.stem}.py"), *(tests / room).rglob("test_*.py")]
        return [file.relative_to(self._root).as_posix() for file in dict.fromkeys(own)]

    def _of_sql(self, mutant: Mutant) -> set[str]:
        path = self._root / mutant.path
        before = path.read_bytes()[: mutant.start].decode()
        # Without a statement before it a piece is changed that any of the file may have.
        name = [r"\S+", *map(re.escape, _STATEMENT.findall(before))][-1]
        wanted = re.compile(rf"{path.stem}\.{_KEY.sub('[^.]+', name)}")
        found = set[str]().union(
            *(tests for one, tests in self._of_statement.items() if wanted.fullmatch(one))
        )
        if path.parent.name in {"sqlite", "postgresql"}:
            on_postgresql = path.parent.name == "postgresql"
            found = {test for test in found if ("postgres" in test) == on_postgresql}
        return found

    def _of_python(self, mutant: Mutant) -> tuple[set[str], bool]:
        """The tests, and whether it runs once, whichever test is the first."""
        file = self._root / mutant.path
        line = mutant.line(file.read_bytes())
        within = [*_around(_tree(file), line)]
        first, last = _head(within[-1])
        found = self._run(mutant.path, first, last)
        cached = [one.name for one in within if _is_cached(one)]
        if not cached and any(_in_body(one, line) for one in within):
            return found, False
        # What runs when a module is loaded counts for what uses it.
        if not cached and (of_body := self._body(mutant.path, line)):
            return of_body, True
        names = cached or [name for one in within[-2:] for name in _named(one)]
        return found | self._users(names), True

    def _run(self, path: str, first: int, last: int) -> set[str]:
        lines = self._lines.get(path, {})
        found = (lines.get(line, ()) for line in range(first, last + 1))
        return set[str]().union(*found) - {""}

    def _body(self, path: str, line: int) -> set[str]:
        """The tests of the function in whose head the line is."""
        for one in reversed([*_around(_tree(self._root / path), line)]):
            if isinstance(one, _Function):
                return self._run(path, one.body[0].lineno, one.end_lineno or 0)
        return set()

    def _users(self, names: Iterable[str]) -> set[str]:
        """The tests of lines with one of these names."""
        wanted = re.compile(rf"\b(?:{'|'.join(map(re.escape, names)) or '$^'})\b")
        found = set[str]()
        for path in self._lines:
            text = (self._root / path).read_text(encoding="utf-8")
            for number, line in enumerate(text.splitlines(), 1):
                if wanted.search(line):
                    found |= self._run(path, number, number) or self._body(path, number)
        return found


@cache
def _tree(file: Path) -> ast.Module:
    return ast.parse(file.read_bytes())


def _around(tree: ast.AST, line: int) -> Iterator[ast.stmt]:
    """The statements that hold a line, the outermost first."""
    for node in ast.iter_child_nodes(tree):
        if not isinstance(node, ast.stmt):
            yield from _around(node, line)
            continue
        decorators: list[ast.expr] = getattr(node, "decorator_list", [])
        first = min([node.lineno, *(one.lineno for one in decorators)])
        if first <= line <= (node.end_lineno or 0):
            yield node
            yield from _around(node, line)


def _head(node: ast.stmt) -> tuple[int, int]:
    """The first and the last line of a statement without the statements in it."""
    body: list[ast.stmt] = getattr(node, "body", [])
    last = body[0].lineno - 1 if body else node.end_lineno or 0
    return node.lineno, max(node.lineno, last)


def _in_body(node: ast.stmt, line: int) -> bool:
    """Whether a line is in the body of this function."""
    return isinstance(node, _Function) and line >= node.body[0].lineno


def _is_cached(node: ast.stmt) -> TypeGuard[_Function]:
    """Whether this is a function that caches its results."""
    return isinstance(node, _Function) and any(
        "cache" in ast.unparse(one) for one in node.decorator_list
    )


def _named(node: ast.stmt) -> Iterator[str]:
    """The names that a statement gives."""
    if isinstance(node, _Function | ast.ClassDef):
        yield node.name
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    for target in targets:
        for one in ast.walk(target) if target else ():
            if isinstance(one, ast.Name):
                yield one.id

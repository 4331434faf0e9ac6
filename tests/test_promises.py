"""Every promise has a test and every test that is marked with a promise is the one it names."""

import ast
import re
from pathlib import Path
from typing import NamedTuple

TESTS = Path(__file__).parent
PAGE = TESTS.parent / "docs" / "promises.md"

_ROW = re.compile(r"\| (?P<id>[A-Z]\d+) \| (?P<promise>.+) \| \[(?P<test>.+)]\((?P<file>.+)\) \|")


class Test(NamedTuple):
    """Where a test is."""

    __test__ = False

    file: str
    name: str


def promised() -> list[tuple[str, Test]]:
    """The rows of the page."""
    found: list[tuple[str, Test]] = []
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if row := _ROW.fullmatch(line):
            file = row["file"].removeprefix("../")
            found.append((row["id"], Test(file, "test_" + row["test"].replace(" ", "_"))))
    return found


def marks(decorators: list[ast.expr], name: str) -> list[str]:
    """The first argument of each mark of this name."""
    return [
        decorator.args[0].value
        for decorator in decorators
        if isinstance(decorator, ast.Call)
        and ast.unparse(decorator.func) == f"pytest.mark.{name}"
        and isinstance(decorator.args[0], ast.Constant)
        and isinstance(decorator.args[0].value, str)
    ]


def marked() -> list[tuple[str, Test]]:
    """The marks in the tests."""
    found: list[tuple[str, Test]] = []
    for file in TESTS.rglob("test_*.py"):
        place = file.relative_to(TESTS.parent).as_posix()
        text = file.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)) if "mark.promise" in text else ():
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                test = Test(place, node.name)
                found += [(promise, test) for promise in marks(node.decorator_list, "promise")]
    return found


def test_there_are_promises_and_no_row_is_unreadable() -> None:
    rows = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line[:1] == "|"]
    heads = [row for row in rows if row.startswith(("| id |", "|---"))]
    assert len(promised()) == len(rows) - len(heads) > 40


def test_every_promise_is_carried_by_the_test_it_names_and_every_mark_by_a_promise() -> None:
    assert sorted(promised()) == sorted(marked())


def test_no_promise_has_two_rows() -> None:
    ids = [promise for promise, _ in promised()]
    assert len(set(ids)) == len(ids)


def test_what_carries_a_promise_runs_with_every_change() -> None:
    for promise, test in promised():
        text = (TESTS.parent / test.file).read_text(encoding="utf-8")
        above = text.partition(f"def {test.name}(")[0].rpartition("\n\n\n")[2]
        assert "@pytest.mark.soak" not in above, promise  # as a parameter it leaves others
        assert "pytestmark = pytest.mark.soak" not in text, promise

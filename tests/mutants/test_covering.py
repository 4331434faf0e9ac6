"""Which tests are to notice a mutant."""

from pathlib import Path

import pytest

from tools.mutants.change import Mutant
from tools.mutants.covering import Covering
from tools.mutants.recording import RecordedTest

BOXES, HOLDS = "src/stoa/domain/boxes.py", "src/stoa/store/queries/holds.sql"
MODULE = """MOST = 3


def filled(
    count=2,
):
    if (
        count < 0
    ):
        raise ValueError
    return min(
        count, MOST
    )


@cache
def known():
    return 7


def used():
    return known()
"""
SQL = """-- let now: :now + 1

-- name: due
SELECT a FROM b WHERE c < {{now}}

-- name: page_{order}
-- each order: up = ASC | down = DESC
SELECT a FROM b LIMIT 2
"""
OWN, QUICK, MOST, SLOW, DUE = (
    "a/test_boxes.py::own",
    "a/test_shop.py::quick",
    "a/test_shop.py::most",
    "a/test_shop.py::slow",
    "a/test_shop.py::due[postgres]",
)
DECLARED = ["tests/docs"]
LINES = {
    BOXES: {
        1: [""],  # what runs while no test does
        7: [SLOW, QUICK, OWN],
        11: [QUICK, "a/test_failed.py::failed"],
        12: [MOST],
        18: [QUICK],  # the first one
        22: [QUICK, SLOW],
    }
}
TESTS = {
    SLOW: RecordedTest(9, {"holds.due"}),
    QUICK: RecordedTest(1, {"holds.page_up"}),
    MOST: RecordedTest(2, {"holds.page_down", "ledger.due"}),
    OWN: RecordedTest(5),
    DUE: RecordedTest(3, {"holds.due"}),
}


@pytest.fixture
def covering(tmp_path: Path) -> Covering:
    for path, text in (
        (BOXES, MODULE),
        (HOLDS, SQL),
        (HOLDS.replace("holds", "sqlite/holds"), SQL),
        (HOLDS.replace("holds", "postgresql/holds"), SQL),
        ("src/stoa/server/never.py", "def started():\n    return 1\n"),
        ("tests/server/test_start.py", ""),
        ("tests/faults/test_never.py", ""),
    ):
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return Covering(tmp_path, TESTS, LINES, DECLARED)


def chosen(covering: Covering, path: str, changed: str, seconds: float = 100) -> list[str]:
    text = SQL if path.endswith(".sql") else MODULE
    start = text.index(changed)
    return covering.tests(Mutant(path, start, start + len(changed), b""), seconds)


@pytest.mark.parametrize(
    ("path", "changed", "tests"),
    [
        # A condition of several lines, and a statement.
        (BOXES, "count < 0", [OWN, QUICK, SLOW]),
        (BOXES, "min(", [QUICK, MOST]),
        # What runs when the module is loaded or once: a constant, a default, a cached result.
        (BOXES, "3", [MOST, *DECLARED]),
        (BOXES, "=2", [OWN, QUICK, MOST, SLOW, *DECLARED]),
        (BOXES, "7", [QUICK, SLOW, *DECLARED]),
        (HOLDS, "c <", [DUE, SLOW]),
        (HOLDS.replace("holds", "sqlite/holds"), "c <", [SLOW]),
        (HOLDS.replace("holds", "postgresql/holds"), "c <", [DUE]),
        # A family of statements, and a piece that any may have.
        (HOLDS, "2", [QUICK, MOST]),
        (HOLDS, "+ 1", [QUICK, MOST, DUE, SLOW]),
    ],
)
def test_those_that_run_what_is_changed(
    covering: Covering, path: str, changed: str, tests: list[str]
) -> None:
    assert chosen(covering, path, changed) == tests


def test_no_more_than_take_the_given_time(covering: Covering) -> None:
    assert chosen(covering, BOXES, "count < 0", seconds=6) == [OWN, QUICK]
    assert chosen(covering, BOXES, "count < 0", seconds=0) == [OWN]


def test_files_beside_it_where_no_recorded_process_runs_it(covering: Covering) -> None:
    never = Mutant("src/stoa/server/never.py", 26, 27, b"2")
    files = ["tests/faults/test_never.py", "tests/server/test_start.py"]
    assert covering.tests(never, 100) == files
